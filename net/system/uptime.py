"""Time that only passes: for timers, rates and silences. What people read or what is stored is wall time."""

from __future__ import annotations

import time
from typing import Any


def uptime() -> float:
    """Seconds that have passed on this machine, sleep included; nobody can set it back."""
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux; elsewhere a machine that slept may need a moment more
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def run_by_uptime(reactor: Any) -> None:
    """Let a reactor of Twisted measure by `uptime`: by wall time all its calls stop when the clock is set back.

    Before anything is scheduled, for what is scheduled already was reckoned in wall time.
    """
    reactor.seconds = uptime
