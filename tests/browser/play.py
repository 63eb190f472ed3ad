"""What several browser tests do: a node of their own, signing in, playing by clicking what is highlighted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from clients.node import ensure
from net import daemon

from .driver import Browser

# A player's click on one highlighted element: confirm when the turn is complete, otherwise the n-th thing that can be
# done, the first of its choices if it asks. Returns what was clicked, or what the page waits for.
STEP = """
const [number, done] = arguments;
const choices = document.querySelectorAll('dialog.choice [data-choice]');
if (choices.length) { choices[number % choices.length].click(); return 'choice'; }
if (document.querySelector('.result')) return 'over';
const commit = document.querySelector('[data-draft=commit]');
if (document.querySelector('.draft.must')) { commit.click(); return 'commit'; }
const can = [...document.querySelectorAll('.board .can, .act-buttons .can')];
if (!can.length && commit && !commit.disabled) { commit.click(); return 'commit'; }
if (!can.length) return '';
const chosen = can[number % can.length];
chosen.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
return chosen.dataset.target || 'button';
"""

# Changes with every redraw of the match, so that a click is made on the page that the last click brought.
DRAWN = "return [document.querySelector('.board')?.dataset.drawn, document.querySelector('dialog') !== null].join()"


def node(home: Path) -> Any:
    """A node of its own."""
    return ensure(home)


def ask(running: Any, method: str, path: str, body: Any = None) -> Any:
    """The node's API, as its owner."""
    return daemon.ask(running, method, path, body)


def sign_in(browser: Browser, running: Any) -> str:
    """Enter through a one-time link; returns the address of the node."""
    browser.open(ask(running, "POST", "links")["url"])
    browser.wait_for("[data-play]")
    return f"http://127.0.0.1:{running.port}/"


def play_on(browser: Browser, choose: Callable[[int], int], most: int) -> int:
    """Click until the match is over; returns the number of clicks."""
    clicks = 0
    drawn = ""
    while clicks < most:
        browser.wait(
            "const drawn = (() => {"
            + DRAWN
            + "})(); return drawn !== arguments[0] && (document.querySelector('.result')"
            " || document.querySelector('.board .can, .act-buttons .can, .draft.must, dialog.choice,"
            " [data-draft=commit]:not(:disabled)'))",
            drawn,
            seconds=90,
        )
        drawn = browser.run(DRAWN)
        did = browser.run(STEP, choose(clicks))
        if did == "over":
            return clicks
        if not did:
            drawn = ""
        clicks += 1
    raise AssertionError(f"the match was not over after {most} clicks")
