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
