"""Several nodes, several windows: sealed matches to their end, watching, votes, queues; words of others stay text."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_who_is_lost_is_waited_for_by_the_second_and_voted_out_by_all_others(_window: Browser, tmp_path: Path) -> None:
    with nodes_at(tmp_path, 3) as nodes, windows(_window, 1) as (first, second):
        for node, name in zip(nodes, ("Ann", "Bo", "Carla"), strict=True):
            node.link().put("settings", {"name": name})
        base = sign_in(first, nodes[0])
        table = ask(nodes[0], "tables", {"game": "osaka", "seats": 3, "options": {"tokens_to_end": 6}})["id"]
        first.open(f"{base}#/table/{table}")
        sit(first, 0)
        address = ask(nodes[0], f"tables/{table}")["addresses"][0]
        sign_in(second, nodes[1])
        join(second, address)
        sit(second, 1)
        third = nodes[2].link()
        third.post("join", {"address": address})
        third.post(f"tables/{table}/sit", {"seat": 2})
        first.wait("return document.querySelector('.seats').textContent.includes('Carla')", seconds=PATIENCE)
        third.post(f"tables/{table}/ready")
        match = begin((first, second))
        nodes[2].kill()
        for window in (first, second):
            window.wait_for(".waiting [data-wait=vote]", seconds=PATIENCE)
            assert "Carla" in window.text(".waiting")
        began = first.text(".elapsed")
        first.wait("return document.querySelector('.elapsed').textContent !== arguments[0]", began, seconds=PATIENCE)
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
        assert take_turns((first, second), 4) == 4, "a stand-in plays for whoever is gone"
        assert same_digest(nodes[:2], match)


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
