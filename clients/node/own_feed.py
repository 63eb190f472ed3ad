"""When the state of a match has to be asked for again: only for events that the state at hand does not contain.

A request that changes something is answered with the whole state, and the same change comes back as an event. `feed` in
a state is the number of the newest event that it contains, so events up to that number are nothing new. The event may
arrive before the answer: whether it is new is decided when one is about to ask, not when it is heard.
"""

from __future__ import annotations

import math
from typing import Any


class OwnFeed:
    """What was heard, and what the state at hand contains."""

    def __init__(self) -> None:
        self._shown = -math.inf  # the newest event that the state contains
        self._heard = -math.inf  # the newest event since the state was last asked for

    def wants(self, number: float = math.inf) -> None:
        """An event of this number was heard; without one the state is wanted in any case."""
        self._heard = max(self._heard, number)

    def asked(self) -> None:
        """The state is being asked for."""
        self._heard = -math.inf

    def shows(self, state: dict[str, Any]) -> None:
        """This is the state at hand now."""
        self._shown = state.get("feed", -math.inf)

    @property
    def is_behind(self) -> bool:
        """Whether something was heard that the state at hand does not contain."""
        return self._heard > self._shown
