"""What came of looking for ways to each peer: for people who wonder why a way is slow, and for counts. A machine."""

from __future__ import annotations

from collections import Counter
from typing import Final

from .paths import Path

MAX_NOTED: Final = 256  # peers; the oldest are forgotten


class WayNotes:
    """By peer and kind of way the last trouble, and how often which kind was reached or not."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[Path, str]] = Counter()
        self._troubles: dict[bytes, dict[Path, str]] = {}

    def reached(self, peer: bytes, path: Path) -> None:
        """The peer is linked by a way of this kind."""
        self.counts[path, "reached"] += 1
        self._troubles.get(peer, {}).pop(path, None)

    def failed(self, peer: bytes, path: Path, reason: str) -> None:
        """A way of this kind came to nothing."""
        self.counts[path, "failed"] += 1
        troubles = self._troubles.pop(peer, {})
        troubles[path] = reason
        self._troubles[peer] = troubles  # the latest last
        if len(self._troubles) > MAX_NOTED:
            del self._troubles[next(iter(self._troubles))]

    def trouble(self, peer: bytes, path: Path) -> str | None:
        """Why no way of this kind was found the last time; None if none was tried, or one was found since."""
        return self._troubles.get(peer, {}).get(path)


class SixFirst:
    """For which peers the lobby is called by IPv4, though it was reached by IPv6: where only one of the two has IPv6.

    A node shows the lobby its port the way on which it reached the lobby, and whoever has IPv6 mostly reached it by
    that. If the other has none, the lobby sees two addresses of different kinds, brings nothing together, and says
    so. Only who came by IPv6 has something else to offer. So that node comes by IPv4 the next time, and goes on doing
    so for that peer: if both went back and forth, they would miss each other for ever.
    """

    def __init__(self) -> None:
        self._by_four: dict[bytes, None] = {}

    def is_by_four(self, peer: bytes) -> bool:
        """Whether the next call for this peer goes by IPv4, if there is a way."""
        return peer in self._by_four

    def mixed(self, peer: bytes, at: str) -> None:
        """The lobby, which was called at `at`, saw the two of us by different kinds."""
        if ":" in at:
            self._by_four.pop(peer, None)
            self._by_four[peer] = None
            if len(self._by_four) > MAX_NOTED:
                del self._by_four[next(iter(self._by_four))]

    def no_four(self, peer: bytes) -> None:
        """The lobby was not reached by IPv4."""
        self._by_four.pop(peer, None)
