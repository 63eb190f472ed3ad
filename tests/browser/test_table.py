"""How a match feels: clicks as a person makes them, counted in every game and at every size."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess
from tests.samples import combined

from .axe import axe_text, faults, load
from .driver import Browser
from .person import HANDLE, READY, Counts, Person
from .play import CAN, new_match, sign_in
from .screenshots import reach
from .usual import UsualTurn, until

pytestmark = pytest.mark.browser

NAMES = ["Annabel", "Bertram", "Cosima"]
GAMES = ("osaka", "joban", "yokohama", "hansa")
SIZES = {"desk": (1280, 800), "wide": (1920, 1080), "phone": (390, 844)}
LONG: Any = pytest.mark.long


def play(browser: Browser, node: NodeProcess, game: str, size: str, clicks: int) -> Counts:
    """A person plays so many clicks against bots; when a match is over, the next one."""
    address = sign_in(browser, node)
    browser.resize(*SIZES[size])
    person = Person(browser, NAMES, f"{game} {size}", finger=size == "phone")
    while person.counts.clicks < clicks:
        match = new_match(node, game, NAMES, seed=f"{game} {size} {clicks} {person.counts.clicks}")
        browser.open("about:blank")
        browser.open(f"{address}#/match/{match}")
        browser.wait_for(CAN)
        person.play(clicks)
    return person.counts


PLACES = [(game, size) for game in GAMES for size in SIZES]
# Every game and every size, the phone with the simplest and with the most crowded board; all other places are long.
SAMPLE = combined(GAMES, sorted(SIZES, key=["phone", "desk", "wide"].index))


def lengths() -> list[Any]:
    """Thirty clicks in a sample of the places; two hundred in each."""
    short = [pytest.param(*each.values, 30) for each in SAMPLE if not each.marks]
    return [*short, *(pytest.param(game, size, 200, marks=LONG) for game, size in PLACES)]


@pytest.mark.parametrize(("game", "size", "clicks"), lengths())
def test_nothing_moves_hides_or_speaks_code_while_a_person_plays(
    browser: Browser, node: NodeProcess, game: str, size: str, clicks: int
) -> None:
    counts = play(browser, node, game, size, clicks)
    print(f"{game} at {size}: {counts}")
    assert counts.clicks == clicks
    assert counts.scrolls == [], "nothing scrolls by itself"
    assert counts.line_hidden == 0, "the line that says what to do is always in view"
    assert counts.board_hidden == 0
    assert size == "phone" or counts.line_high <= 37, (
        "what is to be done is as high as ever, and the board keeps its place"
    )
    assert size == "phone" or (counts.desk_hidden == 0 and counts.desk_cut <= 2), "one's own desk is in view, whole"
    assert counts.desk_lost == 0, "what can be chosen in one's own hand is announced"
    least = 44 if size == "phone" else 24
    assert counts.smallest >= least, f"{counts.smallest_is} is too small to hit"
    assert counts.control >= least - 0.5, f"{counts.control_is} is too small to hit"
    assert counts.lone == [], "no click has a single possible choice"
    assert counts.code == set(), "no code is shown to a person"
    assert counts.unreachable == set(), "whatever is highlighted can be hit"
    assert not browser.complaints()


# What a usual turn consists of, by kind of action, and the clicks that it may take.
USUAL = {
    "hansa": (["place_trader", "place_trader"], 4),
    "yokohama": (["place", "move"], 5),
    "osaka": (["buy"], 3),
    "joban": (["points", "take"], 4),  # the other way round, what is taken is revealed first: one more to confirm it
}


@pytest.mark.parametrize(("game", "size"), SAMPLE)
def test_a_usual_turn_takes_few_clicks(browser: Browser, node: NodeProcess, game: str, size: str) -> None:
    kinds, most = USUAL[game]
    address = sign_in(browser, node)
    browser.resize(*SIZES[size])
    match = new_match(node, game, NAMES, seed=f"usual {game} {size}")
    until(node, match, kinds)
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    turn = UsualTurn(browser, node, match, finger=size == "phone")
    clicks = turn.play(kinds)
    print(f"{game} at {size}: {clicks} clicks: {turn.did}")
    assert clicks <= most, turn.did


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_serious_while_a_match_is_played(
    browser: Browser, node: NodeProcess, game: str, size: str
) -> None:
    address = sign_in(browser, node)
    browser.resize(*SIZES[size])
    browser.open(f"{address}#/match/{new_match(node, game, NAMES, seed=f'axe {game} {size}')}")
    browser.wait_for(CAN)
    load(browser, axe_text())
    person = Person(browser, NAMES, f"axe {game}", finger=size == "phone")
    found: list[str] = []
    for clicks in range(4, 29, 4):
        person.play(clicks)
        browser.wait(READY, seconds=90)
        found += faults(browser)
    assert found == []


# Decisions before the board of a game offers something small.
BEFORE = {"osaka": 0, "joban": 1, "yokohama": 1, "hansa": 0}


@pytest.mark.parametrize("game", GAMES)
def test_a_finger_that_misses_the_smallest_target_by_little_still_means_it(
    browser: Browser, node: NodeProcess, game: str
) -> None:
    address = sign_in(browser, node)
    browser.resize(*SIZES["phone"])
    match = new_match(node, game, NAMES, seed=f"finger {game}")
    reach(node, match, BEFORE[game])
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(".frame .can")
    browser.wait("return document.querySelector('.play[aria-busy=true]') === null")
    found = browser.run(SMALLEST)
    for dx, dy in ((18, 0), (0, -18), (-14, 14)):
        browser.point(found["x"] + dx, found["y"] + dy, touch=True)
        browser.wait("return document.querySelector('.popover, .draft-steps li, .frame.zoomed') !== null", seconds=20)
        if browser.has(".frame.zoomed"):  # so many things are here that the board is shown from closer by
            browser.wait("return document.querySelector('.ground').getAnimations().length === 0")
            assert browser.run(IN_FRAME, found["target"]), f"{found} is not in sight"
            browser.click("[data-frame=fit]")
        elif browser.has(".popover"):
            labels = [re.sub(r"\d", "", label) for label in browser.run(CHOICES)]  # posts of one route are alike
            assert any(re.sub(r"\d", "", found["phrase"]).startswith(label) for label in labels), (found, labels)
            browser.press("Escape")
        else:
            assert browser.run("return document.querySelectorAll('.draft-steps li').length") == 1
            browser.click("[data-draft=undo]")
        browser.wait("return document.querySelector('.popover, .draft-steps li, .frame.zoomed') === null", seconds=20)
        browser.wait("return document.querySelector('.play[aria-busy=true]') === null")


@pytest.mark.parametrize("game", GAMES)
def test_one_s_own_desk_is_a_tap_away_on_a_phone_and_the_board_stays(
    browser: Browser, node: NodeProcess, game: str
) -> None:
    address = sign_in(browser, node)
    browser.resize(*SIZES["phone"])
    browser.open(f"{address}#/match/{new_match(node, game, NAMES, seed=f'sheet {game}')}")
    browser.wait_for(".kinds button")
    for height in range(1, 4):
        browser.wait("return document.querySelector('.play[aria-busy=true]') === null")
        while browser.run("return document.querySelector('.play').dataset.sheet") != str(height):
            browser.point(*browser.run(HANDLE), touch=True)
            browser.run("return new Promise(requestAnimationFrame)")
        seen = browser.run(
            "return ['.whose', '.kinds', '.desk', '.frame'].map((css) => {"
            " const box = document.querySelector(css).getBoundingClientRect();"
            " return box.top >= 0 && box.bottom <= innerHeight + 1 ? box.height : -1; })"
        )
        assert seen[0] > 20 and seen[3] > 150, "what to do and the board are always in sight"
        assert (seen[1] > 0) == (height > 1) and (seen[2] > 40) == (height > 2), (height, seen)
    box = browser.run(
        "const box = document.querySelector('.whose').getBoundingClientRect(); return [box.left, box.top]"
    )
    browser.devtools(
        "Input.synthesizeScrollGesture",
        {"x": box[0] + 40, "y": box[1] + 10, "yDistance": 60, "gestureSourceType": "touch"},
    )
    browser.wait("return document.querySelector('.play').dataset.sheet === '2'", seconds=5)


CHOICES = "return [...document.querySelectorAll('.popover [data-choice] > span')].map((e) => e.firstChild.nodeValue)"
IN_FRAME = """
const inner = document.querySelector(`.frame [data-target='${arguments[0]}']`).getBoundingClientRect();
const outer = document.querySelector('.frame').getBoundingClientRect();
return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
  && Math.min(inner.width, inner.height) >= 44;
"""
# The smallest thing on the board that can be chosen: its middle, and what a screen reader calls it.
SMALLEST = """
const all = [...document.querySelectorAll('.frame .can[data-entries]')].map((element) => {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2, size: Math.min(box.width, box.height),
           target: element.dataset.target, phrase: element.getAttribute('aria-label') };
});
return all.sort((a, b) => a.size - b.size)[0] ?? null;
"""
