"""Whole matches in a real browser: by clicking what is highlighted, by keyboard alone, across restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, DRAWN, ask, new_match, play_on, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]

LIVE = "return document.activeElement.matches('[data-entries], .kinds button')"

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
            f"return {DRAWN} !== arguments[0] && document.querySelector('.play[aria-busy=true]') === null"
            " && document.querySelector('.result, .can, .draft.must, .popover') !== null",
            drawn,
            seconds=60,
        )
        if browser.has(".result"):
            break
        drawn = str(browser.run(f"return {DRAWN}"))
        if browser.has(".popover"):
            browser.press(*["Down"] * (step % 3), "Enter")
            continue
        if browser.has(".draft.must"):
            browser.press("c")
            continue
        browser.press("b")
        assert browser.run(LIVE), "b goes to what can be done"
        for _ in range(step % 3):
            browser.press("Right")
            assert browser.run(LIVE), "arrows stay on it"
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
        browser.wait("return document.querySelector('.draft-steps')?.textContent.includes('a green token')")
        browser.click("[data-draft=commit]")
        browser.wait("return document.querySelector('.log').textContent.includes('green token')")
    finally:
        if home.process is not None:
            home.end()
