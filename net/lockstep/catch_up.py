"""Catching up: which pieces of the chain to ask for, and in which order to take what comes. A machine without I/O."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from kontor_games.net.wire.match_talk import CHUNK_BYTES, MAX_ITEMS, Chunk, Item

from .standing import BEHIND_SECONDS

MAX_BACKLOG = 512  # items of the chain that wait to be judged, of one peer
MAX_BACKLOG_BYTES = 4 * 1024 * 1024


def chunk_from(items: Sequence[Item], position: int) -> Chunk | None:
    """As much of the chain from this position on as one answer carries, if there is any."""
    chosen: list[Item] = []
    size = 0
    for item in items[position : position + MAX_ITEMS]:
        size += _size(item)
        if chosen and size > CHUNK_BYTES:
            break
        chosen.append(item)
    return Chunk(position, tuple(chosen), int(position + len(chosen) < len(items))) if chosen else None


class Backlog:
    """What one peer sent of the chain."""

    def __init__(self) -> None:
        self.items: dict[int, Item] = {}
        self.size = 0
        self.has_more = False

    def keep(self, number: int, item: Item) -> None:
        """Keep an item, unless there are too many or one is there."""
        size = _size(item)
        if number not in self.items and len(self.items) < MAX_BACKLOG and self.size + size <= MAX_BACKLOG_BYTES:
            self.items[number] = item
            self.size += size

    def take(self, number: int) -> Item | None:
        """The item with this number; what lies before it is of no use any more."""
        for old in [n for n in self.items if n < number]:
            self._drop(old)
        return self._drop(number) if number in self.items else None

    def _drop(self, number: int) -> Item:
        item = self.items.pop(number)
        self.size -= _size(item)
        return item


class CatchUp:
    """Items of the chain that others sent, each waiting until the one before it has been judged.

    Every peer has a backlog of its own: what one sends can neither take the place of what another sends nor be charged
    to that other one. Items are not compared with the tips we know, because an honest chain may move its tip
    without an item; whether one follows shows when it is taken. The first that does not empties its sender's backlog.
    """

    def __init__(self) -> None:
        self._backlogs: dict[int, Backlog] = {}
        self._asked: dict[tuple[int, int], float] = {}  # peer and position -> when
        self._judging: tuple[int, int] | None = None  # whose item, and for which position
        self._agreed: dict[int, tuple[int, bytes]] = {}  # how far a peer's chain is known to be ours, with our tip

    def may_ask(self, source: int, position: int, now: float) -> bool:
        """Whether to ask this peer for the chain from here on: the same question not too often."""
        self._asked = {key: when for key, when in self._asked.items() if now - when < BEHIND_SECONDS}
        if (source, position) in self._asked:
            return False
        self._asked[source, position] = now
        return True

    def agreed(self, source: int, position: int, tip: bytes) -> None:
        """What this peer sent was our chain up to this position, where our tip is this."""
        self._agreed[source] = position, tip

    def agrees(self, source: int, position: int, tip: bytes) -> bool:
        """Whether this peer's chain is known to be ours up to this position: if it differs there, it does so first."""
        return self._agreed.get(source) == (position, tip)

    def take(self, source: int, chunk: Chunk, position: int) -> None:
        """Keep what stands at this position and after it."""
        backlog = self._backlogs.setdefault(source, Backlog())
        new = [(n, item) for n, item in enumerate(chunk.items, chunk.position) if n >= position]
        for number, item in new:
            backlog.keep(number, item)
        backlog.has_more = bool(chunk.more and new)  # whoever has more sends something of it

    def next(self, position: int) -> tuple[int, Item] | None:
        """The item that stands at this position, with the peer that sent it."""
        for source, backlog in self._backlogs.items():
            item = backlog.take(position)
            if item is not None:
                self._judging = (source, position)
                return source, item
        return None

    def items(self, source: int, position: int, most: int) -> list[Item]:
        """What this peer sent from a position on without a gap, left where it is."""
        kept = self._backlogs[source].items if source in self._backlogs else {}
        return [kept[n] for n in takewhile(kept.__contains__, range(position, position + most))]

    def refuse(self, source: int) -> None:
        """What this peer sent is not the chain: nothing further of it counts until it sends anew."""
        self._backlogs.pop(source, None)

    def judged(self, position: int) -> int | None:
        """Everything has been judged and the chain has this length: whose item did not make it grow, if one's."""
        judging, self._judging = self._judging, None
        if judging is None or judging[1] < position:
            return None
        self.refuse(judging[0])
        return judging[0]

    def whom_to_ask(self) -> int | None:
        """Who has more, once everything that it sent has been taken; said once."""
        for source, backlog in self._backlogs.items():
            if backlog.has_more and not backlog.items:
                backlog.has_more = False
                return source
        return None


def _size(item: Item) -> int:
    return sum(len(part.raw) + 80 for part in item.parts)
