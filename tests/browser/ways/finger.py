"""A person with a phone: real touches, no mouse."""

from __future__ import annotations

from ..driver import Browser
from ..person import ASKED, Person

PHONE = (390, 844)


class Finger(Person):
    """Taps what is seen; `hold` must have made the window a phone before the page was opened."""

    def tap(self, x: float, y: float) -> None:
        """One touch at a point of the window; once more if a slow machine made a long press of it, which asks."""
        self._touch(x, y)
        if self.browser.has(ASKED):
            self.counts.held += 1
            self._touch(x, y)

    def _touch(self, x: float, y: float) -> None:
        at = [{"x": round(x), "y": round(y)}]
        self.browser.devtools("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at})
        self.browser.devtools("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def hold(browser: Browser) -> None:
    """Make the window a phone in the hand."""
    width, height = PHONE
    metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
    browser.devtools("Emulation.setDeviceMetricsOverride", metrics)
    browser.devtools("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})


def put_away(browser: Browser) -> None:
    """Make the window a desk again."""
    browser.devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.resize(1280, 900)
