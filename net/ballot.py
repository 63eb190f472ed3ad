"""This node's vote about peers that are gone: what its player wants, and when it has to be said again."""

from __future__ import annotations

from collections.abc import Iterable


class Ballot:
    """A vote counts for one tip, so it is repeated when the chain has moved under it."""

    def __init__(self) -> None:
        self._against: frozenset[int] = frozenset()
        self._cast: tuple[bytes, frozenset[int]] | None = None  # the tip and the set of our last vote

    @property
    def is_open(self) -> bool:
        """Whether there is anything to say, or to take back."""
        return bool(self._against) or self._cast is not None

    def choose(self, against: Iterable[int]) -> None:
        """Our player declares exactly these gone; none takes the vote back."""
        self._against = frozenset(against)
        if self._against:
            self._cast = None  # said again, even if it was said before; taking back needs to know what was said

    def add(self, peer: int) -> None:
        """This one too."""
        self._against |= {peer}

    def due(self, tip: bytes, active: Iterable[int]) -> frozenset[int] | None:
        """Whom to vote against now, None if our vote for this tip is out; asked once, it counts as cast."""
        self._against &= frozenset(active)
        stand = (tip, self._against)
        if self._cast == stand:
            return None
        was, self._cast = self._cast, stand if self._against else None
        if not self._against and (was is None or was[0] != tip):
            return None
        return self._against
