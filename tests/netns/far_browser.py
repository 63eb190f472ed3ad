"""A Chromium in a namespace: a phone or a television with a network of its own."""

from __future__ import annotations

from typing import Any

from tests.browser.driver import Browser
from tests.browser.phones import as_phone, tap
from tests.browser.play import DRAWN, STEP

from .namespaces import entered
from .wires import Wires

# Plays by itself, as a person who clicks something that is offered: the driver is not asked for every click.
PILOT = f"""
const step = function () {{ {STEP} }};
const drawn = () => {DRAWN};
let last = '', at = 0;
clearInterval(window.pilot);
window.clicks = 0;
window.pilot = setInterval(() => {{
  if (document.querySelector('.play[aria-busy=true]') || !document.querySelector('.play')) return;
  const now = drawn();
  if (now === last && performance.now() - at < 2000) return;
  const did = step(Math.floor(Math.random() * 50));
  if (!did || did === 'over') return;
  window.clicks++;
  [last, at] = [now, performance.now()];
}}, 40);
"""


class FarBrowser(Browser):
    """A window whose network is a namespace's; whoever asks its driver has to be there too."""

    def __init__(self, wires: Wires, short: str, width: int, height: int) -> None:
        self._namespace = wires.name(short)
        self.prefix = wires.inside(short)
        super().__init__(width, height)

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        with entered(self._namespace):
            return super()._ask(method, path, body)


def far_phone(wires: Wires, short: str) -> FarBrowser:
    """A phone in a namespace."""
    window = FarBrowser(wires, short, 390, 844)
    as_phone(window)
    return window


def knock(window: Browser, link: str, name: str) -> None:
    """Scan a link, type a name, join; moves of others are shown at once."""
    window.open("about:blank")
    window.open(link)
    window.wait_for("#guest-name")
    window.run(
        "localStorage.setItem('kontor-guest-settings', JSON.stringify({client: {sound: false, pace: 'off'}}));"
        "document.querySelector('#guest-name').value = arguments[0]",
        name,
    )
    tap(window, "[data-join]")


def secrets_of(window: Browser) -> list[str]:
    """What a phone keeps in its memory that nobody else may learn."""
    kept = window.run("return JSON.parse(localStorage.getItem('kontor-guest') ?? '{}')")
    return [kept[name] for name in ("device", "link") if name in kept]
