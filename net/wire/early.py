"""What came before its time, kept by the peer it is from: of each only the newest, so that nobody fills our memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Early(Generic[K, V]):
    """At most `most` values of each peer, in the order in which they came; one that is there already stays as it is."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[int, dict[K, V]] = {}

    def keep(self, peer: int, key: K, value: V) -> None:
        """Keep this; the oldest of the same peer goes if there are too many."""
        theirs = self._kept.setdefault(peer, {})
        if key in theirs:
            return
        theirs[key] = value
        if len(theirs) > self._most:
            del theirs[next(iter(theirs))]

    def take(self, is_due: Callable[[V], bool]) -> K | None:
        """The first whose time has come, which is not kept any longer; None if there is none."""
        for theirs in self._kept.values():
            for key, value in theirs.items():
                if is_due(value):
                    del theirs[key]
                    return key
        return None

    def release(self, is_due: Callable[[V], bool]) -> Iterator[tuple[K, V]]:
        """Hand out, peer by peer, those whose time has come; what comes due meanwhile waits for the next call."""
        for theirs in list(self._kept.values()):
            due = [(key, value) for key, value in theirs.items() if is_due(value)]
            for key, _ in due:
                del theirs[key]
            yield from due

    def all(self) -> Iterator[tuple[int, K, V]]:
        """Everything that is kept, with the peer it is from."""
        return ((peer, key, value) for peer, theirs in self._kept.items() for key, value in theirs.items())

    def of(self, peer: int) -> Iterator[tuple[K, V]]:
        """What is kept of one peer, oldest first."""
        return iter(self._kept.get(peer, {}).items())
