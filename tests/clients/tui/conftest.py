"""The screen runs on asyncio, most other tests of the same process on Twisted: they share the signals."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def reactor_hears_of_its_children() -> Iterator[None]:
    """asyncio takes the descriptor that wakes a loop at a signal and leaves none behind.

    Twisted would then miss the end of a child process in a later test, and wait for it for ever.
    """
    before = signal.set_wakeup_fd(-1)
    yield
    signal.set_wakeup_fd(before, warn_on_full_buffer=False)
