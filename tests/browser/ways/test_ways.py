"""Whole matches of every game against bots, in each way a person plays; a short form of each runs every time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess

from ..driver import Browser
from ..person import Person
from ..play import CAN, ask, new_match, set_pace, sign_in
from .finger import Finger, hold, put_away
from .keys import Keys
from .reader import Reader

pytestmark = pytest.mark.browser

NAMES = ["Annabel", "Bertram", "Cosima"]
# Rounds are limited where clicking at random would go on for hours.
GAMES: dict[str, dict[str, Any]] = {"osaka": {}, "joban": {}, "yokohama": {"max_rounds": 6}, "hansa": {"max_rounds": 6}}
WHOLE = 3000
SHORT = 14


def lengths(short: str) -> list[Any]:
    """The first choices of one game; whole matches of all, which begin with the same choices, are long."""
    whole = [pytest.param(game, WHOLE, id=game, marks=pytest.mark.long) for game in GAMES]
    return [pytest.param(short, SHORT, id=f"{short}-short"), *whole]


@pytest.fixture
def paced(node: NodeProcess) -> Iterator[NodeProcess]:
    """A node whose moves are staged."""
    set_pace(node, "fast")
    yield node
    set_pace(node, "off")


@pytest.fixture
def phone(browser: Browser) -> Iterator[Browser]:
    hold(browser)
    yield browser
    put_away(browser)


def begin(browser: Browser, node: NodeProcess, game: str, way: str) -> str:
    address = sign_in(browser, node)
    for row in ask(node, "matches")["matches"]:
        if row["status"] != "over":  # the short form has the same seed, and a seed is played once at a time
            node.link().delete(f"matches/{row['id']}")
    match = new_match(node, game, NAMES, GAMES[game], seed=f"{way} {game}")
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    return match


def check(browser: Browser, node: NodeProcess, match: str, over: bool, wanted: int) -> None:
    """A whole match is over and its result is on the screen; a short one has gone on."""
    state = ask(node, f"matches/{match}")
    assert over == (state["status"] == "over") and (over or wanted != WHOLE)
    if over:
        assert browser.text(".ending h2").endswith(("wins", "win", "win together"))
        rows = "return [...document.querySelectorAll('.result tr.total td')].map((td) => Number(td.textContent))"
        assert browser.run(rows) == state["result"]["scores"]
    assert not browser.complaints()


@pytest.mark.parametrize(("game", "choices"), lengths("yokohama"))
def test_a_match_is_played_with_the_mouse(browser: Browser, node: NodeProcess, game: str, choices: int) -> None:
    browser.resize(1280, 800)
    match = begin(browser, node, game, "mouse")
    counts = Person(browser, NAMES, f"mouse {game}").play(choices)
    check(browser, node, match, counts.over, choices)


@pytest.mark.parametrize(("game", "choices"), lengths("hansa"))
def test_a_match_is_played_with_a_finger(phone: Browser, node: NodeProcess, game: str, choices: int) -> None:
    match = begin(phone, node, game, "finger")
    counts = Finger(phone, NAMES, f"finger {game}").play(choices)
    check(phone, node, match, counts.over, choices)


@pytest.mark.parametrize(("game", "choices"), lengths("hansa"))
def test_a_match_is_played_with_the_keyboard_and_the_focus_is_never_lost(
    browser: Browser, node: NodeProcess, game: str, choices: int
) -> None:
    match = begin(browser, node, game, "keys")
    keys = Keys(browser, f"keys {game}")
    over = keys.play(choices)
    check(browser, node, match, over, choices)
    assert keys.lost == [], "whoever plays with keys never has to look for the focus"
    if over:
        focus = keys.focus()
        assert focus["name"] == "Rematch", f"the end of the match takes the focus, not {focus}"


@pytest.mark.parametrize(("game", "choices"), lengths("osaka"))
def test_a_match_is_played_by_what_a_screen_reader_knows_and_each_event_is_told_once(
    browser: Browser, paced: NodeProcess, game: str, choices: int
) -> None:
    match = begin(browser, paced, game, "reader")
    reader = Reader(browser, NAMES, f"reader {game}")
    reader.look()
    began, told = _log(paced, match), len(reader.told)
    lines = dict(began)
    over = False
    for done in range(0, choices, SHORT):
        over = reader.play(min(SHORT, choices - done))
        lines.update(_log(paced, match))  # the node tells only the newest lines
        if over:
            break
    reader.settle()
    lines.update(_log(paced, match))
    check(browser, paced, match, over, choices)
    assert reader.nameless == set(), "whatever can be pressed has a name"
    others = [line["say"] for number, line in sorted(lines.items()) if number not in began and _is_told(line)]
    heard = [text for text in reader.told[told:] if text in set(others)]
    assert len(others) > SHORT // 4 and heard == others, "what others cause is told, once and in its order"


def _log(node: NodeProcess, match: str) -> dict[int, dict[str, Any]]:
    state = ask(node, f"matches/{match}")
    return {state["log_from"] + number: line for number, line in enumerate(state["log"])}


def _is_told(line: dict[str, Any]) -> bool:
    """Whether somebody else, or chance, caused something that has words; a deal alone shows nothing yet."""
    return bool(line["say"]) and line["seat"] != 0 and bool(line["events"])
