"""Fair turns: who is served next when there is more to do than time. Machines.

`Turns` is used at the door (handshakes), at the counter (requests) and at the relay (bandwidth): networks take turns,
inside a network its households, inside a household its keys. So a flood of keys or connections slows down its own
network, and everybody else waits for at most one round over the networks that ask.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Final, Generic, TypeVar

from kontor_games.net.system.buckets import Buckets, Rate

QUANTUM: Final = 64 * 1024  # what one read may bring at most
_ALL: Final = "all"

S = TypeVar("S")


class Turns(Generic[S]):
    """Whose turn it is: one after the other by the first part of a path, inside it by the second, and so on.

    A path says who somebody is, with what costs an attacker most first: network, household, key. With `newest_first` an
    attacker behind your own address cannot put a queue in front of you (the one who waited longest may have given up
    already); without it, everything that one key waits for is served in its order.
    """

    def __init__(self, newest_first: bool = False) -> None:
        self._newest_first = newest_first
        self._root: OrderedDict[Hashable, Any] = OrderedDict()  # of such, and at the end of a path of those who wait

    def __bool__(self) -> bool:
        return bool(self._root)

    def add(self, who: S, *path: Hashable) -> None:
        """`who` waits for a turn."""
        branch = self._root
        for part in path:
            branch = branch.setdefault(part, OrderedDict())
        branch[who] = None

    def drop(self, who: S, *path: Hashable) -> None:
        """`who` waits no longer."""
        branch = self._root
        trail = []
        for part in path:
            if part not in branch:
                return
            trail.append((branch, part))
            branch = branch[part]
        branch.pop(who, None)
        _prune(trail)

    def next(self) -> S:
        """The one whose turn it is; it waits no longer."""
        branch = self._root
        trail = []
        while True:
            first = next(iter(branch))
            if branch[first] is None:
                break
            branch.move_to_end(first)
            trail.append((branch, first))
            branch = branch[first]
        who: S = next(reversed(branch)) if self._newest_first else first
        del branch[who]
        _prune(trail)
        return who


def _prune(trail: list[tuple[OrderedDict[Hashable, Any], Hashable]]) -> None:
    """Forget the parts of a path where nobody waits any more."""
    for branch, part in reversed(trail):
        if branch[part]:
            return
        del branch[part]


class Shares(Generic[S]):
    """Who may read on now; `S` is whatever stands for one stream. Each key has its rate; all together are in turn."""

    def __init__(self, per_key: Rate, total: Rate) -> None:
        self._keys = Buckets(per_key)
        self._total = Buckets(total)
        self._turns: Turns[S] = Turns()
        self._owners: dict[S, tuple[str, bytes]] = {}  # of streams that wait for a turn or rest: network, key
        self._resting: dict[S, float] = {}  # over the rate of its key, until when

    def spent(self, stream: S, network: str, key: bytes, size: int, now: float) -> bool:
        """Count what a stream has read; False if it must stop until `turn` names it."""
        wait = self._keys.spend(key, now, size)
        over = self._total.spend(_ALL, now, size)
        if wait == over == 0 and not self._turns:
            return True
        self._owners[stream] = (network, key)
        if wait > 0:
            self._resting[stream] = now + wait
        else:
            self._turns.add(stream, network, key)
        return False

    def turn(self, now: float) -> list[S]:
        """The streams that may read once more: one per network and round, one per key and round of its network."""
        for stream, until in list(self._resting.items()):
            if until <= now:
                del self._resting[stream]
                self._turns.add(stream, *self._owners[stream])
        chosen: list[S] = []
        room = self._total.level(_ALL, now)
        while self._turns and room > 0:
            chosen.append(self._turns.next())
            del self._owners[chosen[-1]]
            room -= QUANTUM
        return chosen

    def forget(self, stream: S) -> None:
        """A stream has ended."""
        self._resting.pop(stream, None)
        owner = self._owners.pop(stream, None)
        if owner is not None:
            self._turns.drop(stream, *owner)

    @property
    def is_waiting(self) -> bool:
        """Whether `turn` has somebody to name, now or later."""
        return bool(self._turns or self._resting)

    @property
    def waiting(self) -> int:
        """How many streams wait for a turn, or for the rate of their key."""
        return len(self._owners)
