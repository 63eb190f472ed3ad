"""One unit of work: what a command reads, changes and tells, committed as a whole or computed again.

Commands are plain coroutines over a `Work`; they never see a socket, a clock or a database, and the only thing
they may wait for is the store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

import msgspec

from kontor_games.engine.errors import KontorError
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import HALL, Batch, Conflict, News, Put, Store, TopicLine
from kontor_games.net.table.catalogue import Catalogue
from kontor_games.net.wire.lobby_messages import Event, encode
from kontor_games.net.wire.messages import PROTOCOL

from .records import RecordKind, Stored

T = TypeVar("T", bound=Stored)
R = TypeVar("R")
ATTEMPTS: Final = 8
ATTEMPTS_WITH_PAUSES: Final = 30  # where other processes change the same records, for some two seconds
_encode: Final = msgspec.msgpack.Encoder().encode


class RequestRefused(KontorError):
    """A request that is not done, with the reason for the person who asked."""

    def __init__(self, code: str, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.code, self.reason, self.wait = code, reason, wait


class RelayDesk(Protocol):
    """Whoever hands out the tokens with which two nodes meet at this process's relay."""

    def expect(self, one: bytes, other: bytes, left: tuple[int, int], host: str) -> tuple[bytes, bytes]:
        """A token for each of two keys, whose quotas allow so many bytes more; ValueError says why there are none.

        The first asked, from `host`, and it is the one whose passes are counted.
        """

    def forget(self, token: bytes) -> None:
        """The pass was not handed out after all."""


class PunchDesk(Protocol):
    """Whoever hands out the tokens with which two nodes show this process their ports."""

    def expect(self, one: bytes, other: bytes, host: str) -> tuple[bytes, bytes, bytes]:
        """A token for each of two keys and one that they share; ValueError says why there are none."""

    def forget(self, token: bytes) -> None:
        """The pass was not handed out after all."""


@dataclass(frozen=True, slots=True)
class Who:
    """The person behind a connection, as every command sees them."""

    key: bytes
    id: str  # the key in hex, as records are named
    name: str
    mark: str
    session: str
    address: str
    port: int
    protocol: int = PROTOCOL  # what its node speaks


@dataclass(slots=True)
class Work:
    """Reads are remembered with their versions, changes and news gathered; `finish` commits them."""

    store: Store
    config: Config
    catalogue: Catalogue
    now: int  # milliseconds
    relay: RelayDesk | None = None
    punches: PunchDesk | None = None
    batch: Batch = field(default_factory=Batch)
    undo: list[Callable[[], None]] = field(default_factory=list)  # called if this work comes to nothing
    _read: dict[tuple[str, str], Stored | None] = field(default_factory=dict)
    _changed: dict[tuple[str, str], RecordKind[Stored]] = field(default_factory=dict)

    async def get(self, kind: RecordKind[T], id: str) -> T | None:
        """The record as this work sees it, its own changes included."""
        key = (kind.name, id)
        if key not in self._read:
            found = await self.store.get(kind.name, id)
            self.batch.checks[key] = found.version if found else 0
            self._read[key] = kind.decode(found.data) if found else None
        return self._read[key]  # type: ignore[return-value]

    async def put(self, kind: RecordKind[T], id: str, record: T) -> None:
        """Change or make a record."""
        await self.get(kind, id)
        self._read[kind.name, id] = record
        self._changed[kind.name, id] = kind  # type: ignore[assignment]

    async def delete(self, kind: RecordKind[T], id: str) -> None:
        """Delete a record if there is one."""
        if await self.get(kind, id) is not None:
            self._read[kind.name, id] = None
            self._changed[kind.name, id] = kind  # type: ignore[assignment]

    async def page(self, kind: RecordKind[T], group: str | None, after: str, limit: int) -> list[tuple[str, T]]:
        """Records in order of id, as they are in the store; not part of what is checked at the end."""
        return [(id, kind.decode(found.data)) for id, found in await self.store.scan(kind.name, group, after, limit)]

    def add_line(self, topic: str, data: bytes, keep: int) -> None:
        """Append to a list of lines."""
        self.batch.lines.append(TopicLine(topic, data, keep))

    def drop_lines(self, topic: str) -> None:
        """Forget a list of lines."""
        self.batch.dropped.append(topic)

    def tell(self, keys: Iterable[bytes], event: Event, author: bytes = b"", order: str = "") -> None:
        """Send an event to these people once the work is safe."""
        audience = tuple(keys)
        if audience:
            self.batch.news.append(News(audience, encode(event), author, order))

    def tell_packed(self, keys: Iterable[bytes], payload: bytes, author: bytes = b"") -> None:
        """The same for an event that is packed already."""
        audience = tuple(keys)
        if audience:
            self.batch.news.append(News(audience, payload, author, ""))

    def tell_hall(self, what: str, about: str, payload: bytes, author: bytes = b"") -> None:
        """Pass something on to all who watch the hall: `what` is a field of HallNews, the last about a thing counts."""
        self.batch.news.append(News(HALL, payload, author, f"{what}:{about}"))

    async def finish(self) -> None:
        """Commit; Conflict if somebody else changed what was read."""
        for (name, id), kind in self._changed.items():
            record = self._read[name, id]
            if record is not None:
                self.batch.puts.append(Put(name, id, _encode(record), kind.group(record), kind.expires(record)))
            elif self.batch.checks[name, id]:
                self.batch.deletes.append((name, id))
        await self.store.commit(self.batch)


Pause = Callable[[int], Awaitable[None]]


async def run(make: Callable[[], Work], job: Callable[[Work], Awaitable[R]], pause: Pause | None = None) -> R:
    """Do the job on a fresh Work and commit it; again from the start when another process was faster.

    `pause` waits before an attempt with this number: where several processes want one record, those who fail at the
    same time must not try at the same time again.
    """
    for attempt in range(ATTEMPTS if pause is None else ATTEMPTS_WITH_PAUSES):
        if attempt and pause is not None:
            await pause(attempt)
        work = make()
        try:
            result = await job(work)
            await work.finish()
        except Conflict:
            _undo(work)
        except BaseException:
            _undo(work)
            raise
        else:
            return result
    raise RequestRefused("busy", "too many people changed this at the same time; try again")


def _undo(work: Work) -> None:
    for undo in work.undo:
        undo()
