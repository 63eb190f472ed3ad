"""Fair shares of the relay: each key has its own rate; when all together are too much, keys take turns. A machine."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final, Generic, TypeVar

from .limits import Buckets, Rate

QUANTUM: Final = 64 * 1024  # what one read may bring at most
_ALL: Final = "all"

S = TypeVar("S")


class Shares(Generic[S]):
    """Who may read on now; `S` is whatever stands for one stream."""

    def __init__(self, per_key: Rate, total: Rate) -> None:
        self._keys = Buckets(per_key)
        self._total = Buckets(total)
        self._turns: OrderedDict[bytes, deque[S]] = OrderedDict()
        self._resting: dict[S, tuple[float, bytes]] = {}  # over its own rate, until when

    def spent(self, stream: S, key: bytes, size: int, now: float) -> bool:
        """Count what a stream has read; False if it must stop until `turn` names it."""
        wait = self._keys.spend(key, now, size)
        over = self._total.spend(_ALL, now, size)
        if wait > 0:
            self._resting[stream] = (now + wait, key)
            return False
        if over > 0 or self._turns:
            self._turns.setdefault(key, deque()).append(stream)
            return False
        return True

    def turn(self, now: float) -> list[S]:
        """The streams that may read once more, one per key and round."""
        for stream, (until, key) in list(self._resting.items()):
            if until <= now:
                del self._resting[stream]
                self._turns.setdefault(key, deque()).append(stream)
        chosen: list[S] = []
        room = self._total.level(_ALL, now)
        while self._turns and room > 0:
            key, streams = next(iter(self._turns.items()))
            chosen.append(streams.popleft())
            room -= QUANTUM
            if streams:
                self._turns.move_to_end(key)
            else:
                del self._turns[key]
        return chosen

    def forget(self, stream: S) -> None:
        """A stream has ended."""
        self._resting.pop(stream, None)
        for key, streams in list(self._turns.items()):
            if stream in streams:
                streams.remove(stream)
                if not streams:
                    del self._turns[key]

    @property
    def is_waiting(self) -> bool:
        """Whether `turn` has somebody to name, now or later."""
        return bool(self._turns or self._resting)
