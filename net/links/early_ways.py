"""Calls over a lobby's relay, or through a hole, to which a lobby sends us: how many, and before we want the caller.

A machine without I/O.

Players of a match do not learn in the same moment that it begins. Whoever is first calls at once, and the lobby passes
that on at once. Thrown away, such a call is repeated only after many seconds, in which the two play through the relay
although they could do better, or do not play at all. So it is kept for a while, and taken up when the caller is wanted.

Who would misuse it: any member of a table of ours can have the lobby pass calls on. Nothing is opened for them unless
we come to want that very key; they are few, one for each kind of way, the oldest goes first, and they do not last.
A lobby that lies can make up such calls, and each of them has us call a place that it names. So those of one peer have
a ration: `why_not` says when it is used up. An honest peer calls again after seconds, not sooner.
"""

from __future__ import annotations

from typing import Final, Generic, TypeVar

from kontor_games.net.system.buckets import Buckets, Rate

from .paths import Path

EARLY_TIME: Final = 6.0  # seconds; shorter than the caller waits for us
MAX_EARLY: Final = 16
HOLES_ASKED: Final = Rate(0.1, 6)  # calls of one peer through a hole that we take part in
RELAYS_ASKED: Final = Rate(0.5, 20)  # the same through a relay; each is one connection
MAX_PEERS: Final = 256

Way = TypeVar("Way")


class EarlyWays(Generic[Way]):
    """Ways by caller and kind, the oldest first."""

    def __init__(self) -> None:
        self._ways: dict[tuple[bytes, Path], tuple[float, Way]] = {}
        self._holes = Buckets(HOLES_ASKED, MAX_PEERS)
        self._relays = Buckets(RELAYS_ASKED, MAX_PEERS)

    def why_not(self, peer: bytes, path: Path, now: float) -> str | None:
        """Why we do not answer one more call of this peer now, or None; counts it if not."""
        asked = self._holes if path is Path.PUNCHED else self._relays
        if asked.take(peer, now) > 0:
            return "the lobby passes on more calls of this peer than one makes"
        return None

    def keep(self, peer: bytes, path: Path, way: Way, now: float) -> None:
        """A peer calls that is not wanted yet; its newest call of a kind counts."""
        self._ways.pop((peer, path), None)
        self._ways[peer, path] = (now, way)
        if len(self._ways) > MAX_EARLY:
            del self._ways[next(iter(self._ways))]

    def take(self, peer: bytes, now: float) -> list[tuple[Path, Way]]:
        """The peer is wanted: its calls that are not too old, the best way first; they are forgotten here."""
        taken = [(path, *self._ways.pop((peer, path))) for path in Path if (peer, path) in self._ways]
        return [(path, way) for path, since, way in taken if now - since <= EARLY_TIME]
