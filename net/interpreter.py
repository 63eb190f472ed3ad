"""The interpreter made fit for a process that answers others all day."""

from __future__ import annotations

import gc
import sys


def tune() -> None:
    """Call it once everything is imported."""
    sys.setswitchinterval(0.001)  # threads that write or check, and the reactor, must not wait long for each other
    gc.collect()
    keep()


def keep() -> None:
    """What is there now never becomes garbage: looking at modules and games took a tenth of a second each time."""
    gc.freeze()
