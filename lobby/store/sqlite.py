"""The default store: one SQLite file, one writer thread, many batches per commit.

The reactor's thread reads (a point read of a small file takes microseconds) and lays every accepted batch over
what is on disk; the writer thread stores all batches that came while it wrote the last ones with one fsync. Waking it
once for all of them is cheaper than once for each: every time the two threads argue about the interpreter's lock.
A batch is acknowledged, and its news leaves, only after it is written. If the disk fails, nothing more is accepted
and `on_failure` is told: memory would be ahead of the file, so the process has to start again from the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from twisted.internet.defer import Deferred

from kontor_games.engine.errors import LocalError, StoreError
from kontor_games.net.system.filelock import try_lock

from .base import (
    Allowance,
    Batch,
    Busy,
    Conflict,
    Counts,
    Level,
    Listener,
    LocalBuckets,
    OnGap,
    Page,
    Put,
    Record,
    why_not_batch,
)
from .writer import StoreWriter, WriteJob, connect, prepare

DATABASE: Final = "lobby.db"  # in the lobby's data directory
MAX_PENDING: Final = 20_000
MAX_GROUP: Final = 1024  # batches per commit
MAX_NUMBERS: Final = 20_000
MAX_CACHED: Final = 4096  # records; a table is about 1 kB
TRIM_EVERY: Final = 16  # lines are trimmed now and then, not at every append

CallLater = Callable[[Callable[[], None]], Any]

_GET = "SELECT data, version, grp, expires FROM records WHERE kind = ? AND id = ?"
_SCAN = "SELECT id, data, version, grp, expires FROM records WHERE kind = ? AND id > ? ORDER BY id LIMIT ?"
_SCAN_GROUP = _SCAN.replace("id > ?", "grp = ? AND id > ?")
_DUE = "SELECT expires, kind, id FROM records WHERE expires <= ? ORDER BY expires, kind, id LIMIT ?"
_TAIL = "SELECT number, data FROM lines WHERE topic = ? AND number > ? ORDER BY number DESC LIMIT ?"


class InUse(StoreError):
    """Another lobby has the file open."""


class SqliteStore:
    """Records in a file; `call_in_reactor` brings the writer thread's report back, without it commits block."""

    is_shared = False
    skew = 0.0

    def __init__(
        self,
        path: Path,
        call_in_reactor: CallLater | None = None,
        on_failure: Callable[[StoreError], None] | None = None,
    ) -> None:
        self._lock = _lock_file(path)
        try:
            self._reader = prepare(path)
        except StoreError:
            self._lock.close()
            raise
        self._reader.execute("PRAGMA query_only = 1")
        self._call = call_in_reactor
        self._on_failure = on_failure
        self._listeners: list[Listener] = []
        self._pending: dict[tuple[str, str], tuple[int, Record | None]] = {}
        self._cache: dict[tuple[str, str], Record | None] = {}  # what is on disk, as far as it was asked for lately
        self._pending_lines: dict[str, list[tuple[int, int, bytes]]] = {}  # topic -> sequence, number, data
        self._floors: dict[str, tuple[int, int]] = {}  # topic -> sequence, number up to which lines were dropped
        self._numbers: dict[str, int] = {}
        self._sequence = 0
        self._waiting = 0
        self._gathered: list[WriteJob] = []  # accepted, not given to the writer yet
        self._is_writing = False  # the writer has a group, or will be given one in this turn of the reactor
        self._barriers: list[tuple[int, Deferred[None]]] = []
        self._failure: StoreError | None = None
        self._version: int = self._all("SELECT coalesce(max(version), 0) FROM records")[0][0]
        self._buckets = LocalBuckets()
        self._counts = Counts()
        for kind, group, number in self._all("SELECT kind, grp, count(*) FROM records GROUP BY kind, grp"):
            self._counts.change(kind, group, number)
        self._writer = StoreWriter(connect(path), self._written, threaded=call_in_reactor is not None)

    # Reading: what is on disk, with the pending batches laid over it.

    async def get(self, kind: str, id: str) -> Record | None:
        return self._get(kind, id)

    def _get(self, kind: str, id: str) -> Record | None:
        pending = self._pending.get((kind, id))
        if pending is not None:
            return pending[1]
        key = (kind, id)
        if key not in self._cache:
            rows = self._all(_GET, kind, id)
            self._remember(key, Record(*rows[0]) if rows else None)
        return self._cache[key]

    def _remember(self, key: tuple[str, str], record: Record | None) -> None:
        """Keep what is on disk at hand; nobody else writes the file while its lock is ours."""
        self._cache.pop(key, None)
        if len(self._cache) >= MAX_CACHED:
            del self._cache[next(iter(self._cache))]
        self._cache[key] = record

    async def scan(self, kind: str, group: str | None = None, after: str = "", limit: int = 100) -> Page:
        overlaid = {id: record for (of, id), (_, record) in self._pending.items() if of == kind}
        most = limit + len(overlaid)
        if group is None:
            rows = self._all(_SCAN, kind, after, most)
        else:
            rows = self._all(_SCAN_GROUP, kind, group, after, most)
        found = [(row[0], Record(*row[1:])) for row in rows if row[0] not in overlaid]
        found += [
            (id, record)
            for id, record in overlaid.items()
            if record and id > after and (group is None or record.group == group)
        ]
        return sorted(found)[:limit]

    async def due(self, now: int, limit: int = 100) -> list[tuple[str, str]]:
        rows = [
            row for row in self._all(_DUE, now, limit + len(self._pending)) if (row[1], row[2]) not in self._pending
        ]
        rows += [
            (record.expires, kind, id)
            for (kind, id), (_, record) in self._pending.items()
            if record and record.expires is not None and record.expires <= now
        ]
        return [(kind, id) for _, kind, id in sorted(rows)[:limit]]

    async def count(self, kind: str, group: str | None = None) -> int:
        return self._counts.count(kind, group)

    async def groups(self, kind: str) -> dict[str, int]:
        return self._counts.groups(kind)

    async def tail(self, topic: str, limit: int) -> list[tuple[int, bytes]]:
        floor = self._floors.get(topic, (0, 0))[1]
        fresh = [(number, data) for _, number, data in self._pending_lines.get(topic, ()) if number > floor]
        first = fresh[0][0] if fresh else None
        rows = [row for row in self._all(_TAIL, topic, floor, limit) if first is None or row[0] < first]
        return [*reversed(rows), *fresh][-limit:]

    def _all(self, sql: str, *parameters: object) -> list[Any]:
        try:
            # fetchall: a half-read cursor would hold an old snapshot and keep the log from being folded in
            return self._reader.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the lobby's database cannot be read: {error}") from error

    # Writing.

    async def commit(self, batch: Batch) -> None:
        reason = why_not_batch(batch)
        if reason:
            raise LocalError(reason)
        if self._failure:
            raise self._failure
        for (kind, id), version in batch.checks.items():
            record = self._get(kind, id)
            if (record.version if record else 0) != version:
                raise Conflict(f"{kind} {id} changed meanwhile")
        if not batch.changes:
            await self._safe(batch)
            self._publish(batch)
            return
        if self._waiting >= MAX_PENDING:
            raise Busy("the lobby's disk cannot keep up; try again in a moment")
        done: Deferred[None] = Deferred()
        job = self._lay_over(batch, done)
        self._waiting += 1
        self._gathered.append(job)
        if self._call is None:
            self._hand_over()
        elif not self._is_writing:
            self._is_writing = True
            self._call(self._hand_over)  # after everything else that has arrived by now
        await done

    async def _safe(self, batch: Batch) -> None:
        """Return once nothing that the batch read, and no batch whose news comes first, is still on its way."""
        newest = max((self._pending[key][0] for key in batch.checks if key in self._pending), default=0)
        if batch.news and self._waiting:
            newest = self._sequence
        if newest:
            barrier: Deferred[None] = Deferred()
            self._barriers.append((newest, barrier))
            await barrier

    def _lay_over(self, batch: Batch, done: Deferred[None]) -> WriteJob:
        self._sequence += 1
        job = WriteJob(self._sequence, done, batch)
        for kind, id in batch.deletes:
            self._replace(kind, id, None)
            job.rows[kind, id] = None
        for put in batch.puts:
            self._version += 1
            self._replace(put.kind, put.id, Record(put.data, self._version, put.group, put.expires))
            job.rows[put.kind, put.id] = _row(put, self._version)
        for topic in batch.dropped:
            self._floors[topic] = (self._sequence, self._number(topic))
            job.trims.append((topic, self._number(topic)))
        for line in batch.lines:
            number = self._number(line.topic) + 1
            self._numbers[line.topic] = number
            self._pending_lines.setdefault(line.topic, []).append((self._sequence, number, line.data))
            job.lines.append((line.topic, number, line.data))
            if number % TRIM_EVERY == 0 and number > line.keep:
                job.trims.append((line.topic, number - line.keep))
        return job

    def _replace(self, kind: str, id: str, record: Record | None) -> None:
        old = self._get(kind, id)
        if old:
            self._counts.change(kind, old.group, -1)
        if record:
            self._counts.change(kind, record.group, 1)
        self._pending[kind, id] = (self._sequence, record)

    def _number(self, topic: str) -> int:
        if topic not in self._numbers:
            if len(self._numbers) >= MAX_NUMBERS:
                self._numbers = {known: self._numbers[known] for known in self._pending_lines}
            self._numbers[topic] = self._all("SELECT coalesce(max(number), 0) FROM lines WHERE topic = ?", topic)[0][0]
        return self._numbers[topic]

    def _hand_over(self) -> None:
        """Give the writer what has gathered."""
        group, self._gathered = self._gathered[:MAX_GROUP], self._gathered[MAX_GROUP:]
        self._is_writing = bool(group)
        if group:
            self._writer.put(group)

    # The writer's report.

    def _written(self, jobs: list[WriteJob], failure: StoreError | None) -> None:
        if self._call is None:
            self._settle(jobs, failure)
        else:
            self._call(lambda: self._settle(jobs, failure))

    def _settle(self, jobs: list[WriteJob], failure: StoreError | None) -> None:
        self._waiting -= len(jobs)
        if failure:
            self._fail(jobs, failure)
            return
        if self._call is not None:
            self._hand_over()  # before anybody is told, so that the disk works meanwhile
        for job in jobs:
            self._lift(job)
            self._publish(job.batch)
            job.done.callback(None)
        newest = jobs[-1].sequence
        ripe = [barrier for sequence, barrier in self._barriers if sequence <= newest]
        self._barriers = [(sequence, barrier) for sequence, barrier in self._barriers if sequence > newest]
        for barrier in ripe:
            barrier.callback(None)

    def _lift(self, job: WriteJob) -> None:
        """Forget what is on disk now, unless a later batch lies over it."""
        for key in job.rows:
            sequence, record = self._pending.get(key, (0, None))
            if sequence == job.sequence:
                del self._pending[key]
                self._remember(key, record)
        for topic, number, _ in job.lines:
            lines = self._pending_lines[topic]
            while lines and lines[0][1] <= number:
                del lines[0]
            if not lines:
                del self._pending_lines[topic]
        for topic in job.batch.dropped:
            if self._floors.get(topic, (0, 0))[0] == job.sequence:
                del self._floors[topic]
                if topic not in self._pending_lines:
                    self._numbers.pop(topic, None)

    def _publish(self, batch: Batch) -> None:
        if batch.news:
            for listener in self._listeners:
                listener(batch.news)

    def _fail(self, jobs: list[WriteJob], failure: StoreError) -> None:
        first = self._failure is None
        self._failure = failure
        left, self._gathered = self._gathered, []
        self._waiting -= len(left)
        for job in (*jobs, *left):
            job.done.errback(failure)
        for _, barrier in self._barriers:
            barrier.errback(failure)
        self._barriers.clear()
        if first and self._on_failure:
            self._on_failure(failure)

    async def take(self, asks: Sequence[Allowance], now: int) -> list[Level]:
        return self._buckets.take(asks, now)

    async def give_back(self, asks: Sequence[Allowance]) -> None:
        self._buckets.give_back(asks)

    async def kinds(self) -> list[str]:
        return sorted(self._counts.kinds())

    async def topics(self) -> list[str]:
        return sorted({*self._pending_lines, *(row[0] for row in self._all("SELECT DISTINCT topic FROM lines"))})

    def subscribe(self, listener: Listener, on_gap: OnGap | None = None) -> None:
        """`on_gap` is never called: nobody else writes here, and nothing is told twice or not at all."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Write what waits, fold the log into the file, let go of it."""
        if self._waiting and not self._failure:
            barrier: Deferred[None] = Deferred()
            self._barriers.append((self._sequence, barrier))
            await barrier
        self._writer.stop()
        self._listeners.clear()
        self._reader.close()
        self._lock.close()


def _row(put: Put, version: int) -> tuple[object, ...]:
    return (put.kind, put.id, put.group, version, put.expires, put.data)


def lock_of(path: Path) -> Path:
    """The file whose lock says that a process uses the database."""
    return path.with_name(path.name + ".lock")


def _lock_file(path: Path) -> BinaryIO:
    """Hold the file against a second lobby; the lock goes with the process, however that ends."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"cannot keep data in {path.parent}: {error.strerror}") from error
    file = os.fdopen(handle, "r+b")
    if not try_lock(file):
        file.close()
        raise InUse(f"{path} is in use by another lobby; stop it or choose another --data")
    return file
