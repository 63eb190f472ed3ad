"""How long each peer has kept a match waiting, and when the others may go on without it. A machine without I/O.

The terms may have a `grace`: so many seconds nobody is put out. Three things start its clock for a peer, and it runs as
long as one of them lasts:

* nobody reaches the peer;
* the match waits for its part of a deal or a shuffle, or for its acknowledgement;
* it is to decide. Somebody who sits there and never plays would otherwise hold the match for ever. People who think
  for long are not put out by this: it takes a majority that votes for it.

A peer whose fault is proven, or whose computer shows another state, has no grace. The clock is that of this node, and
only this node's own vote waits for it: clocks differ, so nobody is blamed for a vote that seems early to others.
"""

from __future__ import annotations

from collections.abc import Iterable


class Patience:
    """Since when this node waits for each peer."""

    def __init__(self, grace: int | None) -> None:
        self.grace = grace or 0
        self.lost: dict[int, float] = {}  # who is not reached, and since when
        self._owing: dict[int, float] = {}
        self._tip = b""

    def look(self, now: float, tip: bytes, lost: Iterable[int], owing: Iterable[int]) -> None:
        """What this node sees now: who is not reached, and for whom the match waits at this tip."""
        if tip != self._tip:
            self._tip, self._owing = tip, {}  # it has moved on: whoever owed something has given it
        self.lost = {peer: self.lost.get(peer, now) for peer in lost}
        self._owing = {peer: self._owing.get(peer, now) for peer in owing}

    def left(self, peers: Iterable[int], now: float) -> int:
        """Whole seconds until all of these may be put out; 0 means now."""
        waits = []
        for peer in peers:
            since = [clock[peer] for clock in (self.lost, self._owing) if peer in clock]
            waits.append(self.grace - (now - min(since) if since else 0))
        return max(0, -int(-max(waits, default=0) // 1))
