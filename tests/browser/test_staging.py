"""Moves of others are shown one after the other, in words and on their way; whoever hurries sees the result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, ask, new_match, set_pace, sign_in

pytestmark = pytest.mark.browser

NAMES = ["Annabel", "Bertram", "Cosima"]
# Notes every caption, every piece on its way, every line for screen readers and every long task.
WATCH = """
window.seen = { captions: [], ghosts: 0, rings: 0, told: [], long: [] };
new MutationObserver((changes) => {
  const caption = document.querySelector('.caption.staged')?.textContent;
  if (caption && window.seen.captions.at(-1) !== caption) window.seen.captions.push(caption);
  for (const node of changes.flatMap((change) => [...change.addedNodes])) {
    if (node.className === 'ghost') window.seen.ghosts++;
    if (node.className === 'ring') window.seen.rings++;
    if (node.parentElement?.id === 'live') window.seen.told.push(node.textContent);
  }
}).observe(document.body, { subtree: true, childList: true, characterData: true });
new PerformanceObserver((list) => window.seen.long.push(...list.getEntries().map((each) => each.duration)))
  .observe({ type: 'longtask' });
"""
DUE = "return document.querySelector('[data-turn=you]') !== null && !document.querySelector('.caption.staged')"


@pytest.fixture
def paced(node: NodeProcess) -> Iterator[NodeProcess]:
    yield node
    set_pace(node, "off")


def turn(browser: Browser, node: NodeProcess, pace: str, seed: str) -> str:
    """Take a card in a match of Joban, twice, and confirm: then the others play."""
    set_pace(node, pace)
    address = sign_in(browser, node)
    match = new_match(node, "joban", NAMES, seed=seed)
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    browser.run(WATCH)
    for _ in range(2):
        steps = browser.run("return document.querySelectorAll('.draft-steps li').length")
        browser.wait_for("[data-target='pile:0'].can")
        browser.click("[data-target='pile:0'].can")
        browser.wait(
            "return document.querySelectorAll('.draft-steps li').length > arguments[0]"
            " || document.querySelector('[data-turn=other]')",
            steps,
        )
        if browser.has("[data-draft=commit]:not(:disabled)"):
            browser.click("[data-draft=commit]")
            browser.wait("return document.querySelector('.draft-steps') === null")
    return match


def seen(browser: Browser) -> dict[str, Any]:
    found: dict[str, Any] = browser.run("return window.seen")
    return found


def test_what_others_do_is_told_and_travels_ply_by_ply(browser: Browser, paced: NodeProcess) -> None:
    match = turn(browser, paced, "fast", "staged")
    browser.wait_for(".caption.staged", seconds=30)
    assert browser.has("[data-skip]") and not browser.has(CAN), "nothing is to be chosen in a position that is past"
    browser.wait(DUE)
    found = seen(browser)
    lines = ask(paced, f"matches/{match}")["log"]
    own = max(number for number, line in enumerate(lines) if line["seat"] == 0)
    others = [line["say"] for line in lines[own + 1 :] if line["seat"] is not None and line["say"]]
    assert others and [each for each in found["captions"] if each in others] == [say for say, _ in groupby(others)]
    assert "Cards are dealt." not in found["captions"]
    assert found["ghosts"] >= len(others) / 2 and found["rings"] > 0
    assert [told for told in found["told"] if told in others] == others, "each is told once"


def test_on_a_phone_the_words_stay_in_sight_while_the_sheet_is_low(browser: Browser, paced: NodeProcess) -> None:
    browser.resize(390, 844)
    turn(browser, paced, "slow", "low")
    box = browser.wait(
        "const words = document.querySelector(\".play[data-sheet='1'] .caption.staged\");"
        "return words && words.getBoundingClientRect().toJSON()"
    )
    assert box["height"] > 20 and box["bottom"] <= 844


def test_a_click_or_a_key_jumps_to_now_and_the_turn_can_be_shown_again(browser: Browser, paced: NodeProcess) -> None:
    turn(browser, paced, "slow", "skipped")
    browser.wait_for(".caption.staged", seconds=30)
    browser.click(".frame")
    browser.wait(DUE, seconds=5)
    browser.press("a")
    browser.wait_for(".caption.staged", seconds=10)
    browser.press("Escape")
    browser.wait(DUE, seconds=5)
    browser.click("[data-more]")
    browser.wait_for("[data-tool=since]")
    browser.click("[data-tool=since]")
    browser.wait_for(".caption.staged", seconds=10)
    browser.click("[data-skip]")
    browser.wait(DUE, seconds=5)
    assert not browser.complaints()


# Notes what the board looks like whenever it is drawn, and whenever something flies over it.
FILM = """
window.film = { drawn: [], under: [] };
const look = () => document.querySelector('.ground').innerHTML;
new MutationObserver(() => window.film.drawn.push(look()))
  .observe(document.querySelector('.frame'), { attributes: true, attributeFilter: ['data-drawn'] });
new MutationObserver((changes) => {
  const ghosts = changes.flatMap((change) => [...change.addedNodes]).filter((node) => node.className === 'ghost');
  if (ghosts.length) window.film.under.push(look());
}).observe(document.querySelector('body > .overlay'), { childList: true });
"""
CUT = "const { film } = window; return { drawn: film.drawn.splice(0), under: film.under.splice(0) }"


def test_what_is_shown_again_flies_over_the_table_as_it_was_and_ends_with_now(
    browser: Browser, paced: NodeProcess
) -> None:
    turn(browser, paced, "slow", "film")
    browser.run(FILM)
    browser.wait(DUE)
    first = browser.run(CUT)
    browser.press("a")
    browser.wait_for(".caption.staged", seconds=10)
    browser.wait(DUE)
    again = browser.run(CUT)
    assert again["under"] and again["under"] == first["under"][-len(again["under"]) :], "it flies where it flew then"
    pictures = [picture for picture, _ in groupby(first["drawn"])]
    assert [picture for picture, _ in groupby(again["drawn"])] == pictures[pictures.index(again["drawn"][0]) :]


def test_whoever_wants_no_motion_sees_what_changed_lit(browser: Browser, paced: NodeProcess) -> None:
    calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.devtools("Emulation.setEmulatedMedia", {"features": calm})
    turn(browser, paced, "fast", "calm")
    browser.wait_for(".caption.staged", seconds=30)
    browser.wait(DUE)
    assert seen(browser)["ghosts"] == 0 and seen(browser)["rings"] > 0


def test_at_once_means_at_once(browser: Browser, paced: NodeProcess) -> None:
    turn(browser, paced, "off", "at once")
    browser.wait(DUE)
    assert seen(browser)["captions"] == [] and seen(browser)["ghosts"] == 0
