"""The store of several lobby processes: records in Redis, one Lua script per commit, news in a stream.

Reads and commits go through one connection, news comes by another that waits for it. Nothing is cached here: another
process may have changed it. commit.lua says how a batch is laid out and why it is done once; link.py how a loss of the
connection is survived; news.py how news is heard once, and a gap noticed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from twisted.logger import Logger

from kontor_games.engine.errors import KontorError, LocalError
from kontor_games.lobby.store.base import (
    Allowance,
    Batch,
    Conflict,
    Full,
    Level,
    Listener,
    OnGap,
    OutcomeUnknown,
    Page,
    Record,
    Unreachable,
    why_not_batch,
)

from .greeting import COMMIT_NAME, PREFIX, TAKE_NAME
from .news import NewsReader
from .place import RedisPlace
from .redis_link import RedisLink, TooSlow
from .redis_wire import Argument, WireLost

KEPT_NEWS: Final = 10_000  # commits with news that a process may miss and still catch up with
SCAN_COUNT: Final = 1000
_SNAPSHOT: Final = Path(__file__).with_name("snapshot.lua").read_text(encoding="utf-8")
_encode: Final = msgspec.msgpack.Encoder().encode
_log = Logger(namespace="kontor.lobby")


class Snapshot(NamedTuple):
    """All that a store holds."""

    records: list[tuple[str, str, Record]]  # kind, id
    lines: list[tuple[str, list[bytes]]]  # topic, oldest first


class RedisStore:
    """Records in a database of a Redis server."""

    is_shared = True

    def __init__(
        self,
        reactor: Any,
        place: RedisPlace,
        clock: Callable[[], float] = time.time,
        kept_news: int = KEPT_NEWS,
        prefix: str = PREFIX,
    ) -> None:
        self.place = place
        self._link = RedisLink(reactor, place, "commits", clock)
        self._news = NewsReader(reactor, RedisLink(reactor, place, "news", clock), prefix)
        self._process = secrets.token_hex(8)  # a restart is another process: what it sent before is not its own
        self._sequence = 0
        self._open: dict[int, None] = {}  # commits without an answer, in order
        self._prefix = prefix
        self._kept_news = kept_news

    async def open(self) -> None:
        """Connect; KontorError says why this server cannot be used, Unreachable that it may be later."""
        try:
            await self._link.open()
            await self._news.open()
        except TooSlow as error:
            await self.close()
            raise Unreachable(str(error)) from error
        except WireLost as error:
            await self.close()
            raise Unreachable(f"{self.place} is not ready: {error}") from error
        except KontorError:
            await self.close()
            raise
        except Exception as error:  # Twisted has an error for every way not to be connected
            await self.close()
            raise Unreachable(f"{self.place} cannot be reached: {error}") from error
        greeting = self._link.greeting
        assert greeting is not None
        _log.info("store", store=str(self.place), version=greeting.version, fsync=greeting.fsync or "unknown")
        say = _log.info if greeting.fsync == "always" else _log.warn
        say("durability", promise=greeting.promise)

    @property
    def skew(self) -> float:
        return self._link.skew

    @property
    def promise(self) -> str:
        """What an acknowledgement is worth on this server."""
        return "" if self._link.greeting is None else self._link.greeting.promise

    # ---- reading

    async def _ask(self, *command: Argument) -> Any:
        """The reply to a question: one that never comes leaves nobody in doubt about what was changed."""
        try:
            return await self._link.call(*command)
        except OutcomeUnknown:
            raise Unreachable("the lobby's store does not answer; nothing was changed, try again in a moment") from None

    async def get(self, kind: str, id: str) -> Record | None:
        found = await self._ask("HGET", f"{self._prefix}r:{kind}", id)
        return None if found is None else _record(found)

    async def scan(self, kind: str, group: str | None = None, after: str = "", limit: int = 100) -> Page:
        page: Page = []
        while len(page) < limit:
            wanted = limit - len(page)
            ids, found = await self._look_up(kind, group, after, wanted)
            pairs = [(id, _record(data)) for id, data in zip(ids, found, strict=True) if data is not None]
            page += [(id, record) for id, record in pairs if group is None or record.group == group]
            if len(ids) < wanted:
                break  # the index ends here
            after = ids[-1]
        return page

    async def _look_up(
        self, kind: str, group: str | None, after: str, limit: int
    ) -> tuple[list[str], list[bytes | None]]:
        """The next ids of an index and their records; between the two questions some may have moved, or gone."""
        index = f"i:{kind}" if group is None else f"g:{kind}:{group}"
        begin = f"({after}" if after else "-"
        ids = await self._ask("ZRANGEBYLEX", self._prefix + index, begin, "+", "LIMIT", 0, limit)
        found = await self._ask("HMGET", f"{self._prefix}r:{kind}", *ids) if ids else []
        return [id.decode() for id in ids], found

    async def due(self, now: int, limit: int = 100) -> list[tuple[str, str]]:
        found = await self._ask("ZRANGEBYSCORE", f"{self._prefix}due", "-inf", now, "LIMIT", 0, limit)
        return [(kind, id) for kind, _, id in (name.decode().partition("\0") for name in found)]

    async def count(self, kind: str, group: str | None = None) -> int:
        if group is None:
            return int(await self._ask("HLEN", f"{self._prefix}r:{kind}"))
        return int(await self._ask("ZCARD", f"{self._prefix}g:{kind}:{group}"))

    async def groups(self, kind: str) -> dict[str, int]:
        found = await self._ask("HGETALL", f"{self._prefix}n:{kind}")
        return {found[at].decode(): int(found[at + 1]) for at in range(0, len(found), 2)}

    async def tail(self, topic: str, limit: int) -> list[tuple[int, bytes]]:
        found = await self._ask("LRANGE", f"{self._prefix}l:{topic}", -limit, -1)
        return [(int(number), data) for number, _, data in (line.partition(b"\n") for line in found)]

    async def kinds(self) -> list[str]:
        return await self._named("r:")

    async def topics(self) -> list[str]:
        return await self._named("l:")

    async def _named(self, part: str) -> list[str]:
        names: set[str] = set()
        begin = self._prefix + part
        cursor = b"0"
        while True:
            cursor, found = await self._ask("SCAN", cursor, "MATCH", f"{begin}*", "COUNT", SCAN_COUNT)
            names.update(name.decode().removeprefix(begin) for name in found)
            if cursor == b"0":
                return sorted(names)

    async def snapshot(self) -> Snapshot:
        """Everything, as it was at one moment."""
        records, lines = await self._ask("EVAL", _SNAPSHOT, 0, self._prefix)
        return Snapshot(
            [
                (kind.decode(), pairs[at].decode(), _record(pairs[at + 1]))
                for kind, pairs in _in_pairs(records)
                for at in range(0, len(pairs), 2)
            ],
            [(topic.decode(), [line.partition(b"\n")[2] for line in said]) for topic, said in _in_pairs(lines)],
        )

    # ---- writing

    async def commit(self, batch: Batch) -> None:
        reason = why_not_batch(batch)
        if reason:
            raise LocalError(reason)
        if not batch.changes and not batch.news:
            if len(batch.checks) > 1:  # one record alone is what it was when it was read
                await self._commit(batch, "")
            return
        self._sequence += 1
        number = self._sequence
        self._open[number] = None
        try:
            await self._commit(batch, str(number))
        finally:
            del self._open[number]

    async def _commit(self, batch: Batch, sequence: str) -> None:
        floor = next(iter(self._open), 1) - 1
        news = _encode(batch.news) if batch.news else b""
        head: tuple[Argument, ...] = (self._prefix, self._process, sequence, floor, news, self._kept_news)
        call = self._link.call if sequence else self._ask
        answer = await call("EVALSHA", COMMIT_NAME, 0, *head, *_arguments(batch))
        if answer[0] == b"conflict":
            raise Conflict(f"{answer[1].decode()} {answer[2].decode()} changed meanwhile")
        if answer[0] == b"late":
            raise Unreachable("this was given up long ago; nothing was changed")

    async def take(self, asks: Sequence[Allowance], now: int) -> list[Level]:
        try:
            found = await self._spend(asks, now, 1)
        except Full:  # it can still be read, and each process has limits of its own
            return [Level(0.0, ask.rate.burst) for ask in asks]
        return [Level(found[at], found[at + 1]) for at in range(0, len(found), 2)]

    async def give_back(self, asks: Sequence[Allowance]) -> None:
        with suppress(Full):
            await self._spend(asks, 0, -1)

    async def _spend(self, asks: Sequence[Allowance], now: int, by: int) -> list[float]:
        parts = [part for ask in asks for part in (ask.name, repr(ask.rate.per_second), repr(ask.rate.burst))]
        found = await self._ask("EVALSHA", TAKE_NAME, 0, self._prefix, now, by, *parts)
        return [float(number) for number in found]

    # ---- news

    def subscribe(self, listener: Listener, on_gap: OnGap | None = None) -> None:
        self._news.subscribe(listener, on_gap)

    async def close(self) -> None:
        await self._news.close()
        await self._link.close()


def _in_pairs(found: Sequence[Any]) -> Iterator[tuple[bytes, Any]]:
    return zip(found[::2], found[1::2], strict=True)


def _record(found: bytes) -> Record:
    version, expires, group, data = found.split(b"\n", 3)
    return Record(data, int(version), group.decode(), int(expires) if expires else None)


def _arguments(batch: Batch) -> Iterator[Argument]:
    yield len(batch.checks)
    for (kind, id), version in batch.checks.items():
        yield from (kind, id, version)
    yield len(batch.deletes)
    for kind, id in batch.deletes:
        yield from (kind, id)
    yield len(batch.puts)
    for put in batch.puts:
        yield from (put.kind, put.id, put.group, "" if put.expires is None else put.expires, put.data)
    yield len(batch.dropped)
    yield from batch.dropped
    yield len(batch.lines)
    for line in batch.lines:
        yield from (line.topic, line.keep, line.data)
