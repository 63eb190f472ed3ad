"""The numbered stream of events: what happened last is kept, so that a client that comes back misses nothing.

Events say that something changed; what it is now, a client asks. So an event may come twice or late, but none may be
lost without the client knowing: numbers have no gaps for the owner, and who asks for events after a number that is no
longer kept, or that was given before the node was restarted, is told to ask for everything again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .tokens import Scope

KEPT: Final = 2000


@dataclass(frozen=True)
class FeedEntry:
    """One event; `match` names the match whose seats may hear it, None is for the owner alone."""

    n: int
    match: str | None
    data: dict[str, Any]


class Feed:
    """All events since the node started."""

    def __init__(self, first: int) -> None:
        # The first number comes from the clock, so a number from before the restart is seen to be old.
        self._first = first
        self._entries: deque[FeedEntry] = deque(maxlen=KEPT)
        self._last = first
        self._listeners: list[Callable[[], None]] = []

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._last

    def add(self, kind: str, seats_of: str | None = None, **data: Any) -> None:
        """Something happened; `seats_of` lets the tokens of that match's seats hear it too."""
        self._last += 1
        self._entries.append(FeedEntry(self._last, seats_of, {"n": self._last, "kind": kind, **data}))
        for listener in list(self._listeners):
            listener()

    def after(self, number: int, scope: Scope) -> list[dict[str, Any]] | None:
        """What this client has missed since `number`; None if that is no longer known."""
        oldest = self._entries[0].n if self._entries else self._last + 1
        if not oldest - 1 <= number <= self._last:
            return None
        new = (entry for entry in self._entries if entry.n > number)
        return [entry.data for entry in new if scope.is_owner or entry.match == scope.match]

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """ApiCall `listener` after every event; the answer ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
