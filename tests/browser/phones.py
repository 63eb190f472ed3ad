"""Phones in a real Chromium: small, touched with a finger, and guests at a node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import ask


@contextmanager
def phone(dark: bool = False, is_trusting: bool = False) -> Iterator[Browser]:
    """A window that is a phone."""
    with Browser(390, 844, dark, is_trusting) as window:
        yield as_phone(window)


def as_phone(window: Browser) -> Browser:
    """The same window: small, and touched with a finger."""
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    window.devtools("Emulation.setDeviceMetricsOverride", metrics)
    window.devtools("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    return window


def tap(window: Browser, css: str) -> None:
    """A finger on the first element that fits."""
    x, y = window.wait(
        "const e = document.querySelector(arguments[0]); if (!e) return null; e.scrollIntoView({block: 'center'});"
        "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]",
        css,
    )
    window.point(x, y, touch=True)


def link_for(node: NodeProcess, kind: str, seat: int | None = None) -> str:
    """An open link of the party."""
    links = ask(node, "party")["links"]
    return str(next(each["url"] for each in links if (each["kind"], each["seat"]) == (kind, seat)))


def knock(window: Browser, link: str, name: str) -> None:
    """Scan a link, type a name, join."""
    window.open(link)
    window.wait_for("#guest-name")
    window.run("document.querySelector('#guest-name').value = arguments[0]", name)
    tap(window, "[data-join]")


def guest_called(node: NodeProcess, name: str) -> dict[str, Any]:
    """A guest of the party."""
    return next(guest for guest in ask(node, "party")["guests"] if guest["name"] == name)
