"""How fast the web client is in a real browser: `python -m tests.browser.bench` prints one JSON object."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, new_match, sign_in

# The largest board of each game.
LARGEST = {"osaka": (4, {}), "joban": (4, {}), "yokohama": (4, {}), "hansa": (5, {"map": "britannia"})}
NAMES = ("Ann", "Bo", "Cleo", "Dan", "Eve")
REDRAWS = 30

# Draws the position that is on the screen again and again, laid out each time, without the network; and each time
# once from nothing, to compare.
REDRAW = """
const done = arguments[arguments.length - 1], [game, state, times] = arguments;
import(`/boards/${game}.js`).then(async (board) => {
  const { enliven } = await import('/ui/match/doing/actions.js'), { Drawn, paint } = await import('/draw.js');
  const root = document.querySelector('.board'), names = state.seats.map((seat) => seat.name);
  const script = [], layout = [], whole = [];
  for (let n = 0; n < times; n++) {
    const menu = n % 2 ? state.menu : state.menu.slice(0, 1);  // every drawing differs from the one before
    const started = performance.now();
    const drawn = board.draw(state.view, { names, menu, seat: state.seat }).filter((part) => part instanceof Drawn);
    enliven(drawn, { ...state, menu }, board);
    paint(root, drawn);
    const ready = performance.now();
    root.getBoundingClientRect();
    script.push(ready - started);
    layout.push(performance.now() - ready);
    const again = performance.now();
    paint(document.createElement('div'), board.draw(state.view, { names, menu, seat: state.seat }));
    whole.push(performance.now() - again);
  }
  const middle = (list) => Math.round(list.sort((a, b) => a - b)[times >> 1] * 10) / 10;
  const elements = root.querySelectorAll('*').length;
  done({ script_ms: middle(script), layout_ms: middle(layout), whole_ms: middle(whole), elements });
});
"""


def measure() -> dict[str, object]:
    """First paint of home and of a match from a warm node, and the time of a redraw of each game's largest board."""
    out: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as home, Browser() as browser:
        node = NodeProcess(Path(home)).start()
        try:
            base = sign_in(browser, node)
            out["home_ms"] = _first_paint(browser, base, "[data-play]")
            redraw: dict[str, object] = {}
            for game, (seats, options) in LARGEST.items():
                match = new_match(node, game, NAMES[:seats], options)
                out[f"{game}_first_ms"] = _first_paint(browser, f"{base}#/match/{match}", CAN)
                state = node.link().get(f"matches/{match}")
                redraw[game] = browser.run_async(REDRAW, game, state, REDRAWS)
            out["redraw"] = redraw
        finally:
            node.end()
    return out


def _first_paint(browser: Browser, address: str, css: str) -> int:
    """Milliseconds from the request of the page until the first thing to click is there."""
    browser.open("about:blank")
    browser.open(address)
    browser.wait_for(css, seconds=60)
    browser.run("return new Promise((done) => requestAnimationFrame(() => done()))")
    return int(
        browser.run("return Math.max(...performance.getEntriesByType('resource').map((each) => each.responseEnd))")
    )


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=1)
    print()
