"""How the peers of one match reach each other, as they tell it. A machine without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from kontor_games.net.links.mesh import LinkInfo
from kontor_games.net.wire.messages import Way, WayTo

TELL_EVERY: Final = 5.0  # seconds
FORGET_AFTER: Final = 20.0  # seconds without a word: then nothing is known

State = Literal["linked", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class WayPair:
    """Two other peers, by index, and the way between them."""

    peers: tuple[int, int]
    state: State
    way: Way | None = None
    round_trip: int | None = None  # milliseconds


class WayBook:
    """What the other peers of a match said last; they may say what they like, so it is shown and nothing more."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[float, Mapping[int, WayTo]]] = {}

    def heard(self, peer: int, ways: Iterable[WayTo], now: float) -> None:
        """A peer said whom it is linked to."""
        self._said[peer] = (now, {way.peer: way for way in ways})

    def pairs(self, peers: Sequence[int], now: float) -> list[WayPair]:
        """Every pair of these peers; either of the two may tell of their link, both have to miss it."""
        return [self._pair(one, other, now) for one in peers for other in peers if one < other]

    def _pair(self, one: int, other: int, now: float) -> WayPair:
        told = [(self._fresh(one, now), other), (self._fresh(other, now), one)]
        for ways, far in told:
            if ways is not None and far in ways:
                return WayPair((one, other), "linked", ways[far].way, ways[far].round_trip)
        return WayPair((one, other), "unknown" if any(ways is None for ways, _ in told) else "missing")

    def _fresh(self, peer: int, now: float) -> Mapping[int, WayTo] | None:
        at, ways = self._said.get(peer, (0.0, None))
        return ways if ways is not None and now - at <= FORGET_AFTER else None


def way_of(link: LinkInfo) -> Way:
    """The kind of way as messages and clients name it."""
    names: tuple[Way, ...] = ("lan", "direct", "punched", "relay")
    return names[link.path]


def ways_of(links: Iterable[LinkInfo], indexes: Mapping[bytes, int]) -> tuple[WayTo, ...]:
    """What we tell the peers of a match about our own links to them."""
    return tuple(
        WayTo(indexes[link.peer], way_of(link), round((link.round_trip or 0.0) * 1000))
        for link in links
        if link.peer in indexes
    )


def without_holes(ways: Iterable[WayTo]) -> tuple[WayTo, ...]:
    """The same for a node that does not know holes: they are direct."""
    return tuple(WayTo(way.peer, "direct", way.round_trip) if way.way == "punched" else way for way in ways)
