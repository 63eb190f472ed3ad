"""How fast the web client is in a real browser: `python -m tests.browser.bench [GAME …]` prints one JSON object.

Everything is measured in the page that people use, from a click of theirs to the last pixel of its layout, in a
position in the middle of a match on each game's largest board.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, READY, STEP, new_match, set_pace, sign_in
from .screenshots import reach

# The largest board of each game.
LARGEST: dict[str, tuple[int, dict[str, Any]]] = {
    "osaka": (4, {}),
    "joban": (4, {}),
    "yokohama": (4, {"mini_1": True, "mini_2": True}),
    "hansa": (5, {"map": "britannia"}),
}
NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve")
DECISIONS = 12  # of one's own before the measuring begins
CLICKS = 20
ASKED = 9  # times that the state is asked for and not drawn
LOADS = 5
TURNS = 3  # whose staging is watched

# Notes when the first thing to click was there, before any script of the page runs.
ARRIVAL = """
window.arrived = 0;
new MutationObserver((_, watch) => {
  if (!document.querySelector('.play .can, .kinds [data-loose], [data-play]')) return;
  watch.disconnect();
  document.body.getBoundingClientRect();
  window.arrived = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] });
"""

# One click and what follows, until it is laid out.
CLICK = """
const [number] = arguments, done = arguments[arguments.length - 1];
const frame = document.querySelector('.frame');
let began = 0;
new MutationObserver((_, watch) => {
  watch.disconnect();
  document.body.getBoundingClientRect();
  const end = performance.now();
  setTimeout(() => {
    done({ all: end - began });
  });
}).observe(frame, { attributes: true, attributeFilter: ['data-drawn'] });
const undo = document.querySelector('[data-draft=undo]:not(:disabled)');
const lone = [...document.querySelectorAll('.frame .can[data-entries], .desk .can[data-entries]')]
  .filter((each) => !each.dataset.entries.includes(','));
const loose = [...document.querySelectorAll('.kinds [data-loose]')];
const can = lone.length ? lone : loose;
const chosen = number % 2 && undo ? undo : can[number % can.length];
began = performance.now();
chosen.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
"""
# What a click costs without its drawing: the same state is asked for and read. Whoever measures costs something, too.
ASKING = """
const [number, match] = arguments, done = arguments[arguments.length - 1];
fetch(`/api/1/matches/${match}`, { headers: { "X-Kontor": "1" }, credentials: "same-origin" })
  .then((answer) => answer.json())
  .then(() => setTimeout(() => done({ all: 0 })));
"""
MAY = """
return document.querySelector('.frame .can[data-entries], .desk .can[data-entries], .kinds [data-loose]') !== null
"""

WATCH = """
window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries().map((each) => each.duration)))
  .observe({ type: 'longtask' });
"""
DUE = "return document.querySelector('[data-turn=you], .result') !== null && !document.querySelector('.caption.staged')"


def measure(games: Sequence[str] = tuple(LARGEST)) -> dict[str, Any]:
    """First sight of home and of a match from a warm node, clicks, and tasks while moves are staged."""
    with _at_node() as (browser, node, base):
        out: dict[str, Any] = {"home_ms": _arrival(browser, base), "boards": {}}
        for game in games:
            seats, options = LARGEST[game]
            set_pace(node, "off")
            match = new_match(node, game, NAMES[:seats], options, seed="bench")
            reach(node, match, DECISIONS)
            first = _arrival(browser, f"{base}#/match/{match}")
            browser.wait_for(CAN)
            elements = browser.run("return document.querySelectorAll('.play *').length")
            browser.devtools("Performance.enable", {})
            clicks = list(_clicks(browser, match))
            browser.devtools("Performance.disable", {})
            told = {name: median(each[name] for each in clicks) for name in ("draw", "thread", "all")}
            least = {f"least_{name}": min(each[name] for each in clicks) for name in ("draw", "all")}
            staged = _staging(browser, node)
            out["boards"][game] = {"elements": elements, "first_ms": first, **told, **least, "long": staged}
        return out


@contextmanager
def _at_node() -> Iterator[tuple[Browser, NodeProcess, str]]:
    with tempfile.TemporaryDirectory() as home, Browser(1280, 800) as browser:
        node = NodeProcess(Path(home)).start()
        try:
            base = sign_in(browser, node)
            browser.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": ARRIVAL})
            yield browser, node, base
        finally:
            node.end()


def _arrival(browser: Browser, address: str) -> float:
    """Milliseconds from the request of the page until something to click is drawn; the median of some."""
    found = []
    for _ in range(LOADS):
        browser.open("about:blank")
        browser.open(address)
        found.append(float(browser.wait("return window.arrived")))
    return median(found)


def _clicks(browser: Browser, match: str) -> Iterator[dict[str, float]]:
    """Drafted choices, each taken back again; `draw` leaves out what asking and measuring cost, `thread` nothing."""
    asking = median(_measured(browser, ASKING, 0, match)["thread"] for _ in range(ASKED))
    for number in range(CLICKS):
        if not browser.run(MAY) and not browser.has("[data-draft=undo]:not(:disabled)"):
            return
        clicked = _measured(browser, CLICK, number)
        yield {**clicked, "draw": clicked["thread"] - asking}


def _measured(browser: Browser, script: str, *arguments: Any) -> dict[str, float]:
    before = _worked(browser)
    clicked: dict[str, float] = browser.run_async(script, *arguments)
    browser.wait("return document.querySelector('.play[aria-busy=true]') === null")
    return {**clicked, "thread": _worked(browser) - before}


def _worked(browser: Browser) -> float:
    """Milliseconds of a processor that the page's main thread has used, for whatever; waiting does not count."""
    told = {each["name"]: each["value"] for each in browser.devtools("Performance.getMetrics", {})["metrics"]}
    return 1000 * float(told["ThreadTime"])


def _staging(browser: Browser, node: NodeProcess) -> float:
    """The longest task while the moves of others are staged; 0 if none took 50 ms."""
    set_pace(node, "fast")
    browser.reload()
    browser.wait_for(CAN)
    browser.run(WATCH)
    turns = clicks = 0
    while turns < TURNS and clicks < 60:
        clicks += 1
        browser.wait(READY, "")
        if browser.run(STEP, clicks * 7919 + 3) == "over":
            break
        browser.wait("return document.querySelector('.play[aria-busy=true]') === null")
        turns += browser.has("[data-turn=other]")
        browser.wait(DUE, seconds=120)
    return max(browser.run("return window.long"), default=0.0)


if __name__ == "__main__":
    json.dump(measure(sys.argv[1:] or tuple(LARGEST)), sys.stdout, indent=1)
    print()
