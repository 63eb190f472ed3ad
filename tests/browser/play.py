"""What several browser tests do: sign in, begin a match, play by clicking what is highlighted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.net.api.kit import NodeProcess

from .driver import Browser, Page

CAN = ".play .can, .kinds [data-loose]"

# A player's click on one thing that the screen offers: confirm when the turn is complete, otherwise the n-th thing that
# can be done, or the n-th of its choices if it asks. Returns what was clicked, nothing if the page waits for others.
STEP = """
const [number] = arguments;
const choices = document.querySelectorAll('.popover [data-choice]');
if (choices.length) { choices[number % choices.length].click(); return 'choice'; }
if (document.querySelector('.result')) return 'over';
const commit = document.querySelector('[data-draft=commit]');
if (document.querySelector('.draft.must')) { commit.click(); return 'commit'; }
const can = [...document.querySelectorAll('.play .can, .kinds [data-loose]')];
if (!can.length) can.push(...document.querySelectorAll('.kinds .kind:not([aria-disabled])'));
if (!can.length && commit && !commit.disabled) { commit.click(); return 'commit'; }
if (!can.length) return '';
const chosen = can[number % can.length];
chosen.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
return chosen.dataset.target || 'button';
"""

# Differs after every redraw of the match, so that each click is made on what the last one brought.
DRAWN = "[document.querySelector('.frame')?.dataset.drawn, document.querySelector('.popover') !== null].join()"
READY = f"""
if ({DRAWN} === arguments[0] || document.querySelector('.play[aria-busy=true]')) return false;
return document.querySelector('.result, .play .can, .kinds button, .draft.must, .popover') !== null
  || document.querySelector('[data-draft=commit]:not(:disabled)') !== null;
"""


def ask(node: NodeProcess, path: str, body: Any = None) -> Any:
    """The node's API, as its owner; with a body it changes something."""
    link = node.link()
    return link.get(path) if body is None else link.post(path, body)


def sign_in(browser: Page, node: NodeProcess) -> str:
    """Enter through a one-time link; returns the address of the node."""
    browser.open(ask(node, "links", {})["url"])
    browser.wait_for("[data-play]")
    return f"http://127.0.0.1:{node.port}/"


def set_pace(node: NodeProcess, pace: str) -> None:
    """How fast the moves of others are shown; most tests want them at once."""
    settings = ask(node, "settings")
    node.link().put("settings", {**settings, "client": {**settings["client"], "pace": pace}})


def new_match(
    node: NodeProcess, game: str, names: Sequence[str], options: dict[str, Any] | None = None, seed: str = "browser"
) -> str:
    """A match of the first name against bots."""
    seats = [{"kind": "greedy" if number else "me", "name": name} for number, name in enumerate(names)]
    return str(ask(node, "matches", {"game": game, "seats": seats, "options": options or {}, "seed": seed})["id"])


def play_on(browser: Browser, choose: Callable[[int], int], most: int) -> int:
    """Click until the match is over or `most` clicks are made; returns the number of clicks."""
    drawn = ""
    for clicks in range(most):
        browser.wait(READY, drawn, seconds=90)
        drawn = str(browser.run(f"return {DRAWN}"))
        did = browser.run(STEP, choose(clicks))
        if did == "over":
            return clicks
        if not did:
            drawn = ""
    return most
