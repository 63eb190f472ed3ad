"""Catching up: which pieces of the chain to ask for, and in which order to take what comes. A machine without I/O."""

from __future__ import annotations

from collections.abc import Sequence

from .standing import BEHIND_SECONDS
from .talk import CHUNK_BYTES, MAX_ITEMS, Chunk, Item

MAX_BACKLOG = 512  # items of the chain that wait to be judged


def chunk_from(items: Sequence[Item], position: int) -> Chunk | None:
    """As much of the chain from this position on as one answer carries, if there is any."""
    chosen: list[Item] = []
    size = 0
    for item in items[position : position + MAX_ITEMS]:
        size += sum(len(part.raw) + 80 for part in item.parts)
        if chosen and size > CHUNK_BYTES:
            break
        chosen.append(item)
    return Chunk(position, tuple(chosen), int(position + len(chosen) < len(items))) if chosen else None


class CatchUp:
    """Items that others sent of the chain, each waiting until the one before it has been judged."""

    def __init__(self) -> None:
        self._backlog: dict[int, tuple[int, Item]] = {}
        self._more_from: int | None = None
        self._asked: tuple[int, float] = (-1, 0.0)

    def may_ask(self, position: int, now: float) -> bool:
        """Whether to ask for the chain from here on: one question at a time."""
        if self._asked[0] == position and now - self._asked[1] < BEHIND_SECONDS:
            return False
        self._asked = (position, now)
        return True

    def take(self, source: int, chunk: Chunk, position: int) -> None:
        """Keep what stands at this position and after it."""
        for number, item in enumerate(chunk.items, chunk.position):
            if number >= position and len(self._backlog) < MAX_BACKLOG:
                self._backlog.setdefault(number, (source, item))
        if chunk.more:
            self._more_from = source

    def next(self, position: int) -> tuple[int, Item] | None:
        """The item that stands at this position, with the peer that sent it."""
        if not self._backlog:
            return None
        if position in self._backlog:
            return self._backlog.pop(position)
        for number in [number for number in self._backlog if number < position]:
            del self._backlog[number]
        return None

    def whom_to_ask(self) -> int | None:
        """Who has more, once everything that came has been taken; said once."""
        if self._more_from is None or self._backlog:
            return None
        source, self._more_from = self._more_from, None
        return source
