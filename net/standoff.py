"""A match that is stopped because two nodes differ about the state: what waits until they agree again."""

from __future__ import annotations

from collections import deque

from .talk import Signed

MAX_HELD_BACK = 256  # messages kept while the match is stopped


class Standoff:
    """Stopped from the first difference on, until a clean replay is done and nobody at our tip differs."""

    def __init__(self) -> None:
        self.is_on = False
        self.is_replaying = False
        self._held_back: deque[Signed] = deque(maxlen=MAX_HELD_BACK)

    def begin(self) -> None:
        """Stop; a clean process replays our chain."""
        self.is_on = self.is_replaying = True

    def hold(self, signed: Signed) -> None:
        """Keep a message for later."""
        self._held_back.append(signed)

    def end(self) -> list[Signed]:
        """Go on, with what has come meanwhile."""
        self.is_on = False
        waiting = list(self._held_back)
        self._held_back.clear()
        return waiting
