"""Who sits at a sealed table: keys belong to peers, cards to seats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .algebra.group import Point, total


@dataclass
class Peers:
    """The peers of one table, their keys, and who has left."""

    ctx: bytes
    seat_peer: tuple[int, ...]
    active: tuple[int, ...]
    keys: dict[int, tuple[Point, Point]] = field(default_factory=dict)  # deck key Y, transport key T
    opened: dict[int, int] = field(default_factory=dict)  # deck keys of those who left

    def joint(self, holders: Iterable[int]) -> Point:
        """The sum of the holders' keys."""
        return total(self.keys[p][0] for p in holders)

    def has_left(self, seat: int) -> bool:
        """Whether the peer of this seat is gone."""
        return self.seat_peer[seat] not in self.active
