"""What adapters use of a reactor's time; Twisted's reactor and its test Clock both fulfil it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that will come."""

    def cancel(self) -> None:
        """Do not call."""

    def getTime(self) -> float:
        """When it comes."""


class Clock(Protocol):
    """Tells the time and calls later."""

    def seconds(self) -> float:
        """Now."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: object) -> Timer:
        """Call after `delay` seconds."""
