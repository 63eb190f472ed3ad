"""The thread that writes to the SQLite file: each group of jobs goes into one transaction, with one fsync."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final

from kontor_games.engine.errors import StoreError

from .base import Batch

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

CHUNKS: Final = (64, 8, 1)  # rows per statement; few sizes, so that the prepared statements stay cached

_MIGRATIONS: Final = (
    """
    CREATE TABLE records (
        kind TEXT NOT NULL, id TEXT NOT NULL, grp TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
        data BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE INDEX records_by_group ON records (kind, grp, id);
    CREATE INDEX records_by_time ON records (expires) WHERE expires IS NOT NULL;
    CREATE TABLE lines (
        topic TEXT NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (topic, number)) WITHOUT ROWID;
    """,
)
SCHEMA: Final = len(_MIGRATIONS)  # of the files that this Kontor writes


@dataclass(slots=True)
class WriteJob:
    """One batch on its way to the disk."""

    sequence: int
    done: Deferred[None]
    batch: Batch
    rows: dict[tuple[str, str], tuple[object, ...] | None] = field(default_factory=dict)  # None: deleted
    lines: list[tuple[str, int, bytes]] = field(default_factory=list)
    trims: list[tuple[str, int]] = field(default_factory=list)


def connect(path: Path) -> sqlite3.Connection:
    """A connection that commits when told to and never loses a commit, even when the power goes."""
    connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    _be_durable(connection)
    return connection


def _be_durable(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def prepare(path: Path) -> sqlite3.Connection:
    """Open the file, make or upgrade its tables, and return a connection to read from."""
    connection: sqlite3.Connection | None = None
    try:
        if not path.exists():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        _set_up(connection)
    except (OSError, sqlite3.Error, StoreError) as error:
        if connection is not None:
            connection.close()
        raise StoreError(f"{path} cannot be opened as the lobby's database: {error}") from error
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    _be_durable(connection)
    have = connection.execute("PRAGMA user_version").fetchall()[0][0]
    if have > len(_MIGRATIONS):
        raise StoreError(f"a newer Kontor wrote it (schema {have}); upgrade Kontor or restore a copy")
    for number, script in enumerate(_MIGRATIONS[have:], start=have + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


class StoreWriter:
    """Takes groups of jobs; reports each written, or the failure that ends all writing."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        report: Callable[[list[WriteJob], StoreError | None], None],
        threaded: bool,
    ) -> None:
        self._connection = connection
        self._report = report
        self._queue: SimpleQueue[list[WriteJob] | None] = SimpleQueue()
        self._failure: StoreError | None = None
        self._thread = Thread(target=self._run, name="lobby-writer", daemon=True) if threaded else None
        if self._thread:
            self._thread.start()

    def put(self, group: list[WriteJob]) -> None:
        """Store the group soon, or at once where there is no thread."""
        if self._thread:
            self._queue.put(group)
        else:
            self._write_group(group)

    def stop(self) -> None:
        """Write what is queued, then close the file."""
        if self._thread:
            self._queue.put(None)
            self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while (group := self._queue.get()) is not None:
            self._write_group(group)

    def _write_group(self, group: list[WriteJob]) -> None:
        if self._failure is None:
            try:
                self._transaction(group)
            except sqlite3.Error as error:
                self._failure = StoreError(f"the lobby's database cannot be written: {error}")
        self._report(group, self._failure)

    def _transaction(self, group: list[WriteJob]) -> None:
        rows: dict[tuple[str, str], tuple[object, ...] | None] = {}
        for job in group:
            rows.update(job.rows)  # of several versions of one record only the last reaches the disk
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._many("INSERT OR REPLACE INTO records VALUES ", [row for row in rows.values() if row])
            self._many(
                "DELETE FROM records WHERE (kind, id) IN (VALUES ", [key for key, row in rows.items() if not row], ")"
            )
            self._many("INSERT INTO lines VALUES ", [line for job in group for line in job.lines])
            for topic, number in dict(trim for job in group for trim in job.trims).items():
                self._connection.execute("DELETE FROM lines WHERE topic = ? AND number <= ?", (topic, number))
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _many(self, head: str, rows: Sequence[Iterable[object]], foot: str = "") -> None:
        """One statement for many rows: each statement gives the interpreter's lock away, dearer than a row."""
        start = 0
        for size in CHUNKS:
            while len(rows) - start >= size:
                chunk = [tuple(row) for row in rows[start : start + size]]
                marks = "(" + ",".join("?" * len(chunk[0])) + ")"
                sql = head + ",".join([marks] * size) + foot
                self._connection.execute(sql, [value for row in chunk for value in row])
                start += size
