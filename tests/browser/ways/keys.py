"""A person without a mouse: keys only, and the focus must never be lost."""

from __future__ import annotations

import random
import time
from typing import Any

from ..driver import Browser
from ..person import READY, STATE

MOST_TABS = 80  # from one end of the page to the other, and more

FOCUS = """
const now = document.activeElement;
return {
  lost: now === null || now === document.body || !now.getClientRects().length,
  what: now.closest('.popover') ? 'popover' : now.matches('[data-entries]') ? 'target'
      : now.matches('[data-draft=commit]') ? 'commit' : now.matches('.kinds button') ? 'kind'
      : now.className || now.tagName,
  dead: now.disabled === true || now.getAttribute('aria-disabled') === 'true',
  name: (now.getAttribute('aria-label') ?? now.textContent).trim(),
};
"""
CONFIRM = "return document.querySelector('[data-draft=commit]:not(:disabled)') !== null"


class Keys:
    """Plays with Tab, arrows, Enter and the shortcuts that the page names."""

    def __init__(self, browser: Browser, seed: str) -> None:
        self.browser = browser
        self.presses = 0
        self.lost: list[str] = []  # where the focus went to nothing, though keys had been used
        self._luck = random.Random(seed)

    def play(self, steps: int) -> bool:
        """That many choices; whether the match is over."""
        self._wait()
        self._press("b")
        for _ in range(steps):
            self._wait()
            if self.browser.has(".result"):
                return True
            self._step()
        return False

    def focus(self) -> dict[str, Any]:
        """What has the focus now."""
        found: dict[str, Any] = self.browser.run(FOCUS)
        return found

    def _wait(self) -> None:
        self.browser.wait(READY, seconds=90)

    def _step(self) -> None:
        before = self.browser.run(STATE)
        focus = self.focus()
        if focus["lost"]:
            self.lost.append(self.browser.text(".whose"))
            self._press("b")
            focus = self.focus()
        if self.browser.has(".popover"):
            assert focus["what"] == "popover", f"a list is open, but the focus is on {focus}"
            self._press(*["Down"] * self._luck.randrange(4), "Enter")
        elif self.browser.run(CONFIRM) and (self._must_confirm() or self._luck.random() < 0.4):
            self._confirm()
        else:
            self._choose()
        self._await_change(before)

    def _must_confirm(self) -> bool:
        return not self.browser.has("[data-entries], [data-loose], .kinds .kind:not([aria-disabled])")

    def _confirm(self) -> None:
        if self._luck.random() < 0.7:
            return self._press("c")
        self._tab_to("commit")
        return self._press("Enter")

    def _choose(self) -> None:
        """Go to something that can be done, by arrows or by Tab, and do it."""
        if self._luck.random() < 0.2 and self.browser.has(".kinds button:not([aria-disabled])"):
            self._tab_to("kind")
        else:
            self._press("b")
            for _ in range(self._luck.randrange(5)):
                if self.focus()["what"] == "target":
                    self._press(self._luck.choice(("Left", "Right", "Up", "Down")))
                    assert self.focus()["what"] == "target", f"an arrow led to {self.focus()}"
        focus = self.focus()
        assert not focus["lost"] and not focus["dead"], f"nothing to press Enter on: {focus}"
        assert focus["name"], f"what has the focus has no name: {focus}"
        self._press("Enter")

    def _tab_to(self, what: str) -> None:
        for _ in range(MOST_TABS):
            focus = self.focus()
            if focus["what"] == what and not focus["dead"]:
                return
            self._press("Tab")
        raise AssertionError(f"{MOST_TABS} times Tab do not lead to a {what}")

    def _press(self, *keys: str) -> None:
        self.browser.press(*keys)
        self.presses += len(keys)

    def _await_change(self, before: Any) -> None:
        until = time.monotonic() + 20
        while self.browser.run(STATE) == before:
            assert time.monotonic() < until, f"a key changed nothing: {self.focus()}"
            time.sleep(0.02)
