"""Several nodes, several windows: sealed matches to their end, watching, votes, queues; words of others stay text."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, ask, sign_in
from .together import (
    PATIENCE,
    begin,
    join,
    lobby_for,
    nodes_at,
    open_table,
    same_digest,
    sit,
    take_turns,
    windows,
    write,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]

MARKUP = "<img src=x onerror=a()>"
READ_SECONDS = 1.6
BAD = "main img:not([src='/icon.svg']), main script, main u, main i u, .chat i, .chat img"


def test_two_nodes_without_a_name_are_asked_for_one_and_told_apart(_window: Browser, tmp_path: Path) -> None:
    with nodes_at(tmp_path, 2) as nodes, windows(_window, 1) as (first, second):
        base = sign_in(first, nodes[0])
        assert first.has(".first-name"), "whoever has no name is asked on first use"
        write(first, ".first-name input", "Player")
        first.click("[data-name=save]")
        first.wait("return !document.querySelector('.first-name')")
        table = ask(nodes[0], "tables", {"game": "osaka", "seats": 2, "options": {"tokens_to_end": 6}})["id"]
        first.open(f"{base}#/table/{table}")
        sit(first, 0)
        sign_in(second, nodes[1])
        join(second, ask(nodes[0], f"tables/{table}")["addresses"][0])
        write(second, "dialog input", "Player")  # the same name: the table would refuse it
        second.click("dialog button.primary")
        sit(second, 1)
        first.wait("return document.querySelectorAll('.seats .badge, [data-sit]').length === 0")
        names = [seat["name"] for seat in ask(nodes[0], f"tables/{table}")["seats"]]
        assert names[0] == "Player" and names[1].startswith("Player ") and len(set(names)) == 2
        second.click("[data-rename='1']")
        write(second, "dialog input", "Bob")
        second.click("dialog button.primary")
        first.wait("return document.querySelector('.seats').textContent.includes('Bob')", seconds=PATIENCE)
        match = begin((first, second))
        take_turns((first, second), 4)
        second.click("[data-tab=chat]")
        second.run("document.querySelector('.chat-form input').value = arguments[0]", "<i>hello</i>")
        second.click(".chat-form button")
        first.wait("return document.querySelector('.chat')?.textContent.includes('<i>hello</i>')", seconds=PATIENCE)
        assert not first.has(BAD)
        first.wait("return document.querySelector('.grid li')?.dataset.state === 'linked'", seconds=PATIENCE)
        assert same_digest(nodes, match)


def test_a_sealed_match_through_a_lobby_is_played_and_watched_to_its_very_end(_window: Browser, tmp_path: Path) -> None:
    with (
        nodes_at(tmp_path, 3) as nodes,
        lobby_for(tmp_path, nodes, ("<b>Ann</b>", "Bob", "Carla")),
        windows(_window, 2) as (first, second, onlooker),
    ):
        sign_in(first, nodes[0])
        open_table(first, ("osaka", "2", "lobby", "public"), MARKUP)
        first.wait("return document.querySelector('.table-note')?.textContent === arguments[0]", MARKUP)
        sign_in(second, nodes[1])
        second.wait("return document.querySelector('.table-row')?.textContent.includes(arguments[0])", MARKUP)
        assert not second.has(BAD)
        second.click(".table-row")
        sit(second, 1)
        first.wait("return document.querySelector('.seats').textContent.includes('Bob')", seconds=PATIENCE)
        write(second, ".chat-form input", "<u>at the table</u>")
        second.click(".chat-form button")
        first.wait(
            "return document.querySelector('.chat')?.textContent.includes('<u>at the table</u>')", seconds=PATIENCE
        )
        match = begin((first, second))

        address = sign_in(onlooker, nodes[2])
        onlooker.open(f"{address}#/watch")
        onlooker.wait(
            "const row = document.querySelector('.table-row'); if (!row) location.hash = '#/watch';"
            "return row !== null && row.querySelector('.watch') !== null",
            seconds=PATIENCE,
        )
        onlooker.click(".table-row")
        onlooker.wait("return location.hash === `#/match/${arguments[0]}`", match, seconds=PATIENCE)
        onlooker.wait_for(".board svg", seconds=PATIENCE)
        assert onlooker.has("[data-watch=stop]") and not onlooker.has(".draft, .chat-form")

        for _ in range(40):
            take_turns((first, second), 10)
            assert not onlooker.has(CAN), "who watches has nothing to click"
            if first.has(".result"):
                break
        for window in (first, second, onlooker):
            window.wait_for(".result", seconds=PATIENCE)
        assert len({window.text(".result") for window in (first, second, onlooker)}) == 1
        assert same_digest(nodes, match)
        assert not any(window.has(BAD) for window in (first, second, onlooker))
        replay = first.wait(
            "return fetch('/api/1/replays').then((answer) => answer.json()).then((found) => found.replays[0]?.id)",
            seconds=PATIENCE,
        )
        first.run("location.hash = `#/replay/${arguments[0]}`", replay)
        first.wait("return document.querySelector('.verdict.verified') !== null", seconds=PATIENCE)
        onlooker.click("[data-watch=stop]")
        onlooker.wait("return !location.hash.includes('match')")
        assert ask(nodes[2], "matches")["matches"] == []


def test_who_is_lost_has_grace_then_is_put_out_and_told_and_the_others_play_share_and_play_again(
    _window: Browser, tmp_path: Path
) -> None:
    with nodes_at(tmp_path, 3) as nodes, windows(_window, 2) as (first, second, third):
        for node, name in zip(nodes, ("Ann", "Bo", "Carla"), strict=True):
            node.link().put("settings", {"name": name})
        match = _table_of_three(nodes, (first, second, third))
        nodes[2].kill()
        for window in (first, second):
            window.wait_for(".waiting.calm", seconds=PATIENCE)
            assert "Carla" in window.text(".waiting") and "you can go on without them in" in window.text(".waiting")
            assert not window.has("[data-wait=vote]"), "nobody is put out before the time of grace is over"
        began = first.text(".elapsed")
        first.wait("return document.querySelector('.elapsed').textContent !== arguments[0]", began, seconds=PATIENCE)
        for window in (first, second):
            window.wait_for(".waiting [data-wait=vote]", seconds=PATIENCE)
            assert not window.has("[data-wait=vote].primary"), "to go on without somebody is never the usual answer"
        first.click("[data-wait=vote]")
        first.wait_for("[data-voted=yes]", seconds=PATIENCE)
        second.wait_for("[data-votes='1']", seconds=PATIENCE)
        first.click("[data-wait=wait]")
        first.wait("return !document.querySelector('[data-voted]')", seconds=PATIENCE)
        for window in (first, second):
            window.click("[data-wait=vote]")
        for window in (first, second):
            window.wait("return document.querySelector('.players .gone') !== null", seconds=PATIENCE)
            window.wait("return document.querySelector('.waiting') === null", seconds=PATIENCE)

        nodes[2].start()
        third.open(f"{sign_in(third, nodes[2])}#/match/{match}")
        third.wait_for(".put-out", seconds=PATIENCE)
        assert "Ann and Bo went on without you" in third.text(".put-out")
        before = ask(nodes[2], f"matches/{match}")["ply"]
        while take_turns((first, second), 10):
            pass
        assert same_digest(nodes[:2], match)
        third.wait_for(".result", seconds=PATIENCE)
        assert ask(nodes[2], f"matches/{match}")["ply"] > before and same_digest(nodes, match), "they can watch"
        assert not third.has(CAN)
        _share_and_replay(first)
        _play_again((first, second), match)


def _table_of_three(nodes: list[NodeProcess], players: tuple[Browser, ...]) -> str:
    """A table whose host changes the time of grace on its page; the others see it before they agree."""
    first, *others = players
    options = {"tokens_to_end": 6}
    new = {"game": "osaka", "seats": 3, "options": options, "spectators": True}
    table = ask(nodes[0], "tables", new)["id"]
    first.open(f"{sign_in(first, nodes[0])}#/table/{table}")
    sit(first, 0)
    for number, (window, node) in enumerate(zip(others, nodes[1:], strict=True), 1):
        sign_in(window, node)
        join(window, ask(nodes[0], f"tables/{table}")["addresses"][0])
        sit(window, number)
    first.wait("return document.querySelector('.seats').textContent.includes('Carla')", seconds=PATIENCE)
    first.run(
        "const field = document.querySelector('[data-grace]'); field.value = '600';"
        "field.dispatchEvent(new Event('change'))"
    )
    _all_read(players, "10 minutes")
    assert not any(window.has("[data-grace]") for window in others), "only the host changes it"
    ask(nodes[0], f"tables/{table}/configure", {"grace": 20})  # a test has less patience than people
    _all_read(players, "20 seconds")
    time.sleep(READ_SECONDS)  # nobody can have read a change that is younger
    return begin(players)


def _all_read(players: tuple[Browser, ...], words: str) -> None:
    says = "return document.querySelector('[data-says=grace]')?.textContent.includes(arguments[0])"
    for window in players:
        window.wait(says, words, seconds=PATIENCE)


def _share_and_replay(window: Browser) -> None:
    window.wait_for("[data-end=share]", seconds=PATIENCE)
    window.click("[data-end=share]")
    window.wait_for("[data-share=file][download]")
    size = window.run_async(
        "const done = arguments[arguments.length - 1];"
        "fetch(document.querySelector('[data-share=file]').href).then((got) => got.arrayBuffer())"
        ".then((file) => done(file.byteLength))"
    )
    assert size > 1000
    window.press("Escape")
    window.wait_for("[data-end=replay]", seconds=PATIENCE)
    window.click("[data-end=replay]")
    window.wait_for(".verdict.verified", seconds=PATIENCE)
    window.wait_for(".turns [data-turn='2']")
    window.run("history.back()")
    window.wait_for("[data-end=rematch]", seconds=PATIENCE)


def _play_again(players: tuple[Browser, Browser], match: str) -> None:
    """One proposes, the other is told and comes by one click; both play on at the new table."""
    first, second = players
    first.click("[data-end=rematch]")
    first.wait("return location.hash.startsWith('#/table/')", seconds=PATIENCE)
    second.wait(
        "return document.querySelector('.ending-wants')?.textContent.includes('Ann')",
        seconds=PATIENCE,
    )
    second.click("[data-end=rematch]")
    second.wait("return location.hash.startsWith('#/table/')", seconds=PATIENCE)
    tables = {window.run("return location.hash") for window in players}
    assert len(tables) == 1, "they meet at one table"


def test_an_offer_of_the_queue_is_asked_about_and_leads_to_a_table(_window: Browser, tmp_path: Path) -> None:
    with (
        nodes_at(tmp_path, 2) as nodes,
        lobby_for(tmp_path, nodes, ("<b>Ann</b>", "Bob")),
        windows(_window, 1) as both,
    ):
        for window, node in zip(both, nodes, strict=True):
            sign_in(window, node)
            window.wait_for("[data-queue=off]", seconds=PATIENCE)
            window.run(
                "const game = document.querySelector('.lobby select'); game.value = 'joban';"
                "game.dispatchEvent(new Event('change'))"
            )
        write(both[0], ".lobby .chat-form input", MARKUP)
        both[0].click(".lobby .chat-form button")
        both[1].wait(
            "return document.querySelector('.lobby .chat')?.textContent.includes(arguments[0])",
            MARKUP,
            seconds=PATIENCE,
        )
        for window in both:
            window.run("document.activeElement.blur()")
            window.wait_for("[data-queue=off]", seconds=PATIENCE)
            window.run("document.querySelector('.lobby select').value = 'joban'")
            window.click("[data-queue=off]")
        for window in both:
            window.wait_for("dialog.dialog button.primary", seconds=PATIENCE)
            assert not window.has("dialog b, dialog img")
        assert "<b>Ann</b>" in both[1].text("dialog")
        for window in both:
            window.click("dialog button.primary")
        for window in both:
            window.wait("return location.hash.startsWith('#/table/')", seconds=PATIENCE)
        assert not any(window.has(BAD) for window in both)
