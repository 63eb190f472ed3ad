"""The store's interface: versioned records, lists of lines, and news that every lobby process hears.

Nothing here assumes that one process owns the data. A change is a `Batch` that names the versions it was computed
from; if another process was faster, `commit` raises `Conflict` and the caller computes again. News leaves the store
only after the batch that carries it can no longer be lost.

A store that several processes share (`is_shared`) lies behind a connection that can end at any moment. What a caller
has to know about that:

1. A commit is done once or not at all, however often the store has to send it: each has a name of its own until it is
   answered. If it was sent and no answer can be had for long, `OutcomeUnknown` says so; nobody may be told either way.
   If it was never sent, `Unreachable` says that nothing was changed.
2. News is heard once, in the order of commits, also after a loss of connection. If a store cannot keep that promise
   (it keeps a bounded number of them), `on_gap` is called before the next news: whatever was told meanwhile is lost,
   and the process brings its people up to date from the records.
3. Processes tell each other that they live, and who does what only one should do, by records like any others
   (lobby/commands/processes.py). For that their clocks must agree: `skew` is what to add to this machine's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.buckets import MAX_BUCKETS, Bucket, Rate

HALL: Final[tuple[bytes, ...]] = ()  # the audience of news for everybody who watches the hall


class Conflict(StoreError):
    """A record changed between reading it and committing; compute again."""


class Busy(StoreError):
    """More changes wait for the disk than the store may keep in memory; try again later."""


class Unreachable(Busy):
    """The store is not there, or does not take changes now; nothing was changed."""


class Full(Unreachable):
    """The store has no room for changes; what it holds can be read."""


class OutcomeUnknown(StoreError):
    """The connection to the store ended before it said whether a commit is stored."""


class Record(NamedTuple):
    """One stored value; `version` 0 never exists, so it stands for «absent»."""

    data: bytes
    version: int
    group: str = ""
    expires: int | None = None  # milliseconds since 1970; the sweeper asks for what is due


Page = list[tuple[str, Record]]


class Put(NamedTuple):
    """A record's new value."""

    kind: str
    id: str
    data: bytes
    group: str = ""
    expires: int | None = None


class TopicLine(NamedTuple):
    """One more entry of a list such as a table's chat; the store keeps the last `keep`."""

    topic: str
    data: bytes
    keep: int


class News(NamedTuple):
    """Something to pass on to connected people, wherever their connection ends."""

    audience: tuple[bytes, ...]  # public keys, or HALL
    payload: bytes  # the encoded message for them
    author: bytes = b""  # whose words these are: recipients who muted that key do not get them
    order: str = ""  # what the process that holds the connection does besides passing it on


@dataclass(slots=True)
class Batch:
    """One change: wholly stored or not at all."""

    checks: dict[tuple[str, str], int] = field(default_factory=dict)  # every record read, with its version
    puts: list[Put] = field(default_factory=list)
    deletes: list[tuple[str, str]] = field(default_factory=list)
    lines: list[TopicLine] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)  # topics whose lines go
    news: list[News] = field(default_factory=list)

    @property
    def changes(self) -> bool:
        """Whether anything has to reach the disk."""
        return bool(self.puts or self.deletes or self.lines or self.dropped)


class Allowance(NamedTuple):
    """A token bucket that all processes share: one token of it is wanted."""

    name: str
    rate: Rate


class Level(NamedTuple):
    """What became of an `Allowance`: 0 if a token was taken, else the seconds until there is one."""

    wait: float
    before: float  # tokens that were there


Listener = Callable[[list[News]], None]
OnGap = Callable[[], None]


class Store(Protocol):
    """What every store can do; `tests/lobby/test_store.py` is its contract."""

    is_shared: bool  # whether other processes may use it at the same time

    @property
    def skew(self) -> float:
        """Seconds that the store's clock is ahead of this machine's; 0 where there is no other clock."""

    async def get(self, kind: str, id: str) -> Record | None:
        """The record, with every change that was committed before."""

    async def scan(self, kind: str, group: str | None = None, after: str = "", limit: int = 100) -> Page:
        """Records of a kind (and group) in order of id, beginning behind `after`."""

    async def due(self, now: int, limit: int = 100) -> list[tuple[str, str]]:
        """Kind and id of records whose time is over, the oldest first."""

    async def count(self, kind: str, group: str | None = None) -> int:
        """How many records of a kind (and group) there are."""

    async def groups(self, kind: str) -> dict[str, int]:
        """How many records there are in each group of a kind."""

    async def tail(self, topic: str, limit: int) -> list[tuple[int, bytes]]:
        """The last lines of a list with their numbers, the oldest first."""

    async def commit(self, batch: Batch) -> None:
        """Store the batch and return once no crash can lose it; Conflict if a checked version changed.

        A batch without changes returns once everything it read is safe too, so that nobody is told what a crash
        could still undo.
        """

    async def take(self, asks: Sequence[Allowance], now: int) -> list[Level]:
        """A token of each bucket, independently of the others; `now` in milliseconds."""

    async def give_back(self, asks: Sequence[Allowance]) -> None:
        """Undo a `take` that turned out not to count."""

    async def kinds(self) -> list[str]:
        """All kinds of records there are; for moving to another store."""

    async def topics(self) -> list[str]:
        """All lists of lines there are."""

    def subscribe(self, listener: Listener, on_gap: OnGap | None = None) -> None:
        """Call `listener` with the news of every batch, in the order of commits, also those of other processes.

        `on_gap` is called when some were lost, before the next.
        """

    async def close(self) -> None:
        """Finish what was begun and let go of files."""


def why_not_batch(batch: Batch) -> str | None:
    """Why a batch is wrong whatever the store holds: a change of something that was not read first."""
    touched: Iterable[tuple[str, str]] = [*((put.kind, put.id) for put in batch.puts), *batch.deletes]
    for kind, id in touched:
        if (kind, id) not in batch.checks:
            return f"{kind} {id} is changed but its version is not checked"
    return None


class Counts:
    """How many records there are, by kind and group; groups may be as many as there are networks."""

    def __init__(self) -> None:
        self._groups: dict[str, Counter[str]] = {}

    def change(self, kind: str, group: str, by: int) -> None:
        """So many more, or less, in a group; an empty one is forgotten."""
        groups = self._groups.setdefault(kind, Counter())
        groups[group] += by
        if not groups[group]:
            del groups[group]

    def kinds(self) -> list[str]:
        """The kinds of which there are any."""
        return [kind for kind, groups in self._groups.items() if groups]

    def groups(self, kind: str) -> dict[str, int]:
        """The numbers of all groups of a kind."""
        return dict(self._groups.get(kind, {}))

    def count(self, kind: str, group: str | None) -> int:
        """The number of a group, or of all of them."""
        groups = self._groups.get(kind, Counter())
        return groups.total() if group is None else groups[group]


class LocalBuckets:
    """The buckets of a store that one process has to itself; a crash forgets them. The one used longest ago goes."""

    def __init__(self) -> None:
        self._buckets: dict[str, Bucket] = {}

    def take(self, asks: Sequence[Allowance], now: int) -> list[Level]:
        """A token of each."""
        return [self._take(ask, now / 1000) for ask in asks]

    def _take(self, ask: Allowance, now: float) -> Level:
        bucket = self._buckets.pop(ask.name, None)
        if bucket is None:
            bucket = Bucket(ask.rate)
            if len(self._buckets) >= MAX_BUCKETS:
                del self._buckets[next(iter(self._buckets))]
        self._buckets[ask.name] = bucket
        before = bucket.level(now)
        return Level(bucket.take(now), before)

    def give_back(self, asks: Sequence[Allowance]) -> None:
        """Undo it, for buckets that are not forgotten."""
        for ask in asks:
            bucket = self._buckets.get(ask.name)
            if bucket is not None:
                bucket.give_back()
