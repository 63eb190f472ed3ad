"""The guided first match of every game, clicked through in a browser to the end of its guide."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess

from ..driver import Browser
from ..play import ask, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]

SECONDS = 240.0
# A click that follows the guide: on one of the entries that it waits for, or on the button of its step.
FOLLOW = """
const [numbers, phrases, wait, mustCommit, points] = arguments;
const press = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
const items = [...document.querySelectorAll('.popover [data-choice]')];
const item = items.find((each) => phrases.some((phrase) => each.textContent.startsWith(phrase)));
if (items.length) return item ? (press(item), 'item') : '';
const next = document.querySelector('[data-guide-do=next]');
if (wait === 'next') return next ? (press(next), 'next') : '';
const commit = document.querySelector('[data-draft=commit]:not(:disabled)');
const ends = wait === 'confirm' || wait === 'turn';
if (commit && (mustCommit || ends)) return press(commit), 'commit';  // else the turn is not finished yet
const means = (each) => each.dataset.entries.split(',').some((number) => numbers.includes(Number(number)));
const out = points ? '.waited' : '';  // whoever follows the guide clicks what it points at
const target = [...document.querySelectorAll(`.play ${out || '.can'}[data-entries]`)].find(means);
const loose = [...document.querySelectorAll(`.kinds [data-loose]${out}`)].find((each) =>
  numbers.includes(Number(each.dataset.loose)));
const kind = document.querySelector(`.kinds .kind${out}:not([aria-disabled]):not(.chosen)`);
const chosen = target ?? loose ?? kind ?? (numbers.length ? null : commit);
return chosen ? (press(chosen), 'chosen') : '';
"""

# What the guide waits for on the board and what lies over it there: on a phone the guide itself lies on the board.
COVERED = """
return [...document.querySelectorAll('.frame .waited[data-entries]')].filter((element) => {
  const box = element.getBoundingClientRect();
  return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest('.notes');
}).map((element) => element.dataset.target);
"""
SIZES = {"desk": (1280, 800), "phone": (390, 844)}
MISLEADING = ".play .can[data-entries]:not(.waited, .beside)"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ["osaka", "joban", "yokohama", "hansa"])
def test_a_guided_match_is_followed_to_its_end_by_clicks(
    browser: Browser, node: NodeProcess, game: str, size: str
) -> None:
    address = sign_in(browser, node)
    browser.resize(*SIZES[size])
    match = ask(node, "guides", {"game": game})["id"]
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(".guide")
    told: list[str] = []
    until = time.monotonic() + SECONDS
    while (guide := (state := ask(node, f"matches/{match}"))["guide"]) is not None:
        assert time.monotonic() < until, f"stuck at {guide['title']!r} ({guide['wait']}): {state['now']}"
        if guide["title"] not in told:
            browser.wait("return document.querySelector('.guide h2')?.textContent === arguments[0]", guide["title"])
            told.append(guide["title"])
        unsent = state["your_turn"] and bool(state["draft"]["steps"])
        if guide["wait"] == "next" or (state["your_turn"] and guide["wait"] != "turn") or unsent:
            _follow(browser, state, guide)
        time.sleep(0.1)
    browser.wait("return document.querySelector('.guide') === null")
    assert len(told) >= 10 and state["status"] != "over", "the match goes on without the guide"
    assert not browser.complaints()


def _follow(browser: Browser, state: dict[str, Any], guide: dict[str, Any]) -> None:
    numbers = guide["choices"]
    phrases = [state["menu"][number]["phrase"] for number in numbers]
    points = guide["wait"] == "choose" and len(numbers) < len(state["menu"])
    if points:  # among a hundred posts that can be clicked, the two that are meant are the only ones that glow
        browser.wait(f"return document.querySelector('{MISLEADING}') === null")
        browser.wait(f"return (() => {{ {COVERED} }})().length === 0", seconds=10)
    browser.run(FOLLOW, numbers, phrases, guide["wait"], state["draft"]["must_commit"], points)
