"""The chain of a match as far as it has grown: its items, and every tip that it has had."""

from __future__ import annotations

from kontor_games.net.wire.chain import Frame
from kontor_games.net.wire.match_talk import Item, Signed

from .facts import Fault, Grown, two_frames


class ItemChain:
    """Items in order; a tip can also move without an item, when nobody is left who owes anything for an entry."""

    def __init__(self, match: bytes) -> None:
        self.items: list[Item] = []
        self._tips: dict[bytes, int] = {match: 0}

    @property
    def tips(self) -> dict[bytes, int]:
        """Every tip in order, with the number of items that the chain had there."""
        return self._tips

    def grow(self, item: Item, tip: bytes) -> Grown:
        """Take one more item, which leads to this tip."""
        self.items.append(item)
        self._tips[tip] = len(self.items)
        return Grown(len(self.items) - 1, item)

    def move(self, tip: bytes) -> None:
        """The tip moves and nothing is there to record."""
        self._tips[tip] = len(self.items)

    def position_of(self, tip: bytes) -> int | None:
        """How many items the chain had at this tip, None if it never was our tip."""
        return self._tips.get(tip)

    def tip_at(self, position: int) -> bytes:
        """The last tip that the chain had with so many items."""
        return next(tip for tip, length in reversed(self._tips.items()) if length == position)

    def tips_after(self, position: int) -> set[bytes]:
        """The tips that the chain has had behind the item at this position."""
        return {tip for tip, length in self._tips.items() if length > position}

    def is_before(self, tip: bytes, other: bytes) -> bool:
        """Whether our chain had this tip before the other one."""
        here, there = self._tips.get(tip), self._tips.get(other)
        return here is not None and there is not None and here < there

    def find(self, raw: bytes) -> Signed | None:
        """The message with these bytes, if it is part of the chain."""
        return next((part for item in reversed(self.items) for part in item.parts if part.raw == raw), None)

    def has_lately(self, signed: Signed) -> bool:
        """Whether this very message is part of the last items."""
        return any(signed in item.parts for item in self.items[-4:])

    def fork(self, signed: Signed, frame: Frame) -> Fault | None:
        """The fault that a late frame proves together with the one that the chain has in its place, if it does."""
        position = self._tips.get(frame.h)
        if position is None or position >= len(self.items):
            return None
        item = self.items[position]
        return two_frames(item.parts[0], signed) if item.kind == "frame" else None
