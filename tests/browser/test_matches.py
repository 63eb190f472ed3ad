"""Whole matches in a real browser: by clicking what is highlighted, by keyboard alone, across restarts and nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.kit import NodeProcess
from tests.lobby.child import LobbyProcess

from .driver import Browser
from .play import CAN, DRAWN, STEP, ask, new_match, play_on, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Rounds are limited where clicking at random would go on for hours.
GAMES = {"osaka": {}, "joban": {}, "yokohama": {"max_rounds": 6}, "hansa": {"max_rounds": 6}}


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_is_played_by_clicking_only_what_is_highlighted(
    browser: Browser, node: NodeProcess, game: str
) -> None:
    address = sign_in(browser, node)
    match = new_match(node, game, ["Ann", "Bo", "Cleo"], GAMES[game], seed=f"whole {game}")
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    clicks = play_on(browser, lambda n: n * 7919 + 3, 2000)
    assert 10 < clicks < 2000
    state = ask(node, f"matches/{match}")
    assert state["status"] == "over"
    assert browser.text(".result h2").endswith(("wins", "win together"))
    rows = browser.run(
        "return [...document.querySelectorAll('.result tr.total td')].map((td) => Number(td.textContent))"
    )
    assert rows == state["result"]["scores"]
    assert not browser.complaints()


def test_a_match_of_osaka_is_played_with_the_keyboard_alone(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    browser.open(f"{address}#/match/{new_match(node, 'osaka', ['Ann', 'Bo'], {'tokens_to_end': 6}, seed='keys')}")
    browser.wait_for(CAN)
    drawn = ""
    for step in range(600):
        browser.wait(
            f"return {DRAWN} !== arguments[0] && document.querySelector('.result, .can, .draft.must') !== null",
            drawn,
            seconds=60,
        )
        if browser.has(".result"):
            break
        drawn = str(browser.run(f"return {DRAWN}"))
        if browser.has(".draft.must"):
            browser.press("c")
            continue
        browser.press("b")
        assert browser.run("return document.activeElement.classList.contains('can')"), "b goes to what can be done"
        for _ in range(step % 3):
            browser.press("Right")
            assert browser.run("return document.activeElement.classList.contains('can')"), "arrows stay on it"
        browser.press("Enter")
    assert browser.has(".result"), "600 steps were not enough"


def test_the_page_finds_a_node_again_that_was_restarted(tmp_path: Path, _window: Browser) -> None:
    browser, home = _window, NodeProcess(tmp_path / "home").start()
    try:
        address = sign_in(browser, home)
        browser.open(f"{address}#/match/{new_match(home, 'osaka', ['Ann', 'Bo'])}")
        browser.wait_for(CAN)
        browser.click(".board [data-target='token:green'].can")
        browser.wait_for(".draft-steps li")
        port = home.port
        home.kill()
        browser.wait_for("#online.off")
        home.start()
        assert home.port == port, "the node comes back where the page looks for it"
        browser.wait("return !document.querySelector('#online.off')", seconds=30)
        browser.wait("return document.querySelector('.draft-steps')?.textContent === 'token green'")
        browser.click("[data-draft=commit]")
        browser.wait("return document.querySelector('.log').textContent.includes('green token')")
    finally:
        if home.process is not None:
            home.end()


@pytest.fixture
def two_nodes(tmp_path: Path, _chromium: None) -> Iterator[tuple[NodeProcess, NodeProcess]]:
    one, two = NodeProcess(tmp_path / "one").start(), NodeProcess(tmp_path / "two").start()
    yield one, two
    for each in (one, two):
        if each.process is not None:
            each.end()


def test_two_windows_on_two_nodes_play_a_sealed_match_by_address(
    two_nodes: tuple[NodeProcess, NodeProcess], _window: Browser
) -> None:
    one, two = two_nodes
    with Browser() as second:
        base = sign_in(_window, one)
        table = ask(one, "tables", {"game": "osaka", "seats": 2, "options": {"tokens_to_end": 6}})["id"]
        _window.open(f"{base}#/table/{table}")
        _sit(_window, 0)
        sign_in(second, two)
        _join(second, ask(one, f"tables/{table}")["addresses"][0])
        _sit(second, 1)
        _play_together(two_nodes, (_window, second), turns=6)


def test_two_windows_on_two_nodes_play_a_sealed_match_through_a_lobby(
    two_nodes: tuple[NodeProcess, NodeProcess], _window: Browser, tmp_path: Path
) -> None:
    lobby = LobbyProcess(tmp_path / "lobby")
    try:
        with Browser() as second:
            for node, name in zip(two_nodes, ("Anna", "Bob"), strict=True):
                node.link().put("settings", {"name": name, "lobby": f"127.0.0.1:{lobby.port}"})
            sign_in(_window, two_nodes[0])
            _window.click(".join > button")
            _window.wait_for("dialog.dialog")
            for number, value in enumerate(("osaka", "2", "lobby", "invite")):
                _window.run(
                    "const field = document.querySelectorAll('dialog .field select')[arguments[0]];"
                    "field.value = arguments[1]; field.dispatchEvent(new Event('change'))",
                    number,
                    value,
                )
            _window.click("dialog button.primary")
            _window.wait("return location.hash.startsWith('#/table/')")
            code = _window.wait("return document.querySelector('strong.six-words')?.textContent")
            sign_in(second, two_nodes[1])
            _join(second, code)
            _sit(second, 1)
            _window.wait("return document.querySelector('.seats').textContent.includes('Bob')")
            second.run("document.querySelector('.chat-form input').value = arguments[0]", "<u>at the table</u>")
            second.click(".chat-form button")
            _window.wait("return document.querySelector('.chat')?.textContent.includes('<u>at the table</u>')")
            _play_together(two_nodes, (_window, second), turns=12)
    finally:
        lobby.stop()


def _join(browser: Browser, where: str) -> None:
    """Enter a table by its address or code."""
    browser.run("document.querySelector('.join input').value = arguments[0]", where)
    browser.click(".join form button")


def _sit(browser: Browser, seat: int) -> None:
    browser.wait_for(f"[data-sit='{seat}']")
    browser.click(f"[data-sit='{seat}']")
    browser.wait(f"return document.querySelector('[data-sit=\"{seat}\"]') === null")


def _play_together(nodes: tuple[NodeProcess, NodeProcess], windows: tuple[Browser, Browser], turns: int) -> None:
    """Both are ready, compare the six words, take turns, and see the same state; what is said stays text."""
    first, second = windows
    for window in windows:
        window.wait_for("[data-ready=no]:not(:disabled)")
        window.click("[data-ready=no]")
    for window in windows:
        window.wait("return location.hash.startsWith('#/match/')", seconds=60)
        window.wait_for(".board svg", seconds=60)
    assert first.text(".six-words") == second.text(".six-words") != ""
    made = 0
    while made < turns:
        acting = _wait_for_either(first, second)
        drawn = acting.run(f"return {DRAWN}")
        acting.run(STEP, made)
        acting.wait(f"return {DRAWN} !== arguments[0]", drawn)
        if acting.has(".draft.must"):
            acting.click("[data-draft=commit]")
            acting.wait("return document.querySelector('.draft-steps') === null", seconds=30)
            made += 1
    match = first.run("return location.hash.split('/')[2]")
    digests = [ask(node, f"matches/{match}")["digest"] for node in nodes]
    assert digests[0] == digests[1]
    second.run("document.querySelector('.chat-form input').value = arguments[0]", "<i>hello</i>")
    second.click(".chat-form button")
    first.wait("return document.querySelector('.chat')?.textContent.includes('<i>hello</i>')")
    assert not first.has(".chat i, .chat u")


def _wait_for_either(first: Browser, second: Browser) -> Browser:
    """Whoever has something to click."""
    for _ in range(600):
        for window in (first, second):
            if window.has(CAN):
                return window
    raise AssertionError("nobody can act")
