"""What was found in files before, by their content: a repeated or interrupted run does only what is new.

The key is the digest of the whole content, what judged it (`judge_identity.py`) and the duty; neither name nor date of
a file counts, so a file that was changed and dated back is judged again. Only answers of judges are kept: a file that
could not be opened, or that no process could judge, is tried again next time.

The cache saves time and decides nothing: a damaged one is put aside and begun anew, a damaged entry does not count, and
without a disk to write to the run goes on. Whoever can write into its owner's files could write false entries; against
them `--no-cache` helps, and another account.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from .order_pipe import Duty

_FORMAT = 1
_KEEP_DAYS = 400  # an entry that was not used for so long goes
_COMMIT_SECONDS = 1.0  # so much work a killed run does again
_TABLE = """create table if not exists answers (
    content blob, judge blob, duty text, answer blob, mark blob, used integer,
    primary key (content, judge, duty)) without rowid"""
_NEW = "create temp table new (content blob, duty text, primary key (content, duty)) without rowid"


class VerdictCache:
    """Answers by content, for one kind of judge; without a path it remembers nothing."""

    def __init__(self, path: Path | None, judge: bytes) -> None:
        self._judge = judge
        self._today = int(time.time() // 86400)
        self._committed = time.monotonic()
        self._store = None if path is None else _opened(path, self._today)
        self.hits = 0  # answers from runs before this one

    def get(self, content: bytes, duty: Duty) -> bytes | None:
        """What was answered about this content; None if it is not known."""
        if self._store is None:
            return None
        key = (content, self._judge, duty)
        try:
            row = self._store.execute(
                "select answer, mark, used, not exists (select 1 from new where content = ?1 and duty = ?3) "
                "from answers where content = ?1 and judge = ?2 and duty = ?3",
                key,
            ).fetchone()
            if row is None or row[1] != _mark(key, row[0]):
                return None
            if row[2] != self._today:
                self._store.execute(
                    "update answers set used = ? where content = ? and judge = ? and duty = ?", (self._today, *key)
                )
        except sqlite3.Error:
            self._give_up()
            return None
        self.hits += row[3]
        return bytes(row[0])

    def put(self, content: bytes, duty: Duty, answer: bytes) -> None:
        """Remember an answer; it is on the disk within a second or so."""
        if self._store is None:
            return
        key = (content, self._judge, duty)
        try:
            self._store.execute(
                "insert or replace into answers values (?, ?, ?, ?, ?, ?)",
                (*key, answer, _mark(key, answer), self._today),
            )
            self._store.execute("insert or ignore into new values (?, ?)", (content, duty))
            if time.monotonic() - self._committed > _COMMIT_SECONDS:
                self._store.commit()
                self._committed = time.monotonic()
        except sqlite3.Error:
            self._give_up()

    def close(self) -> None:
        """Keep what is there."""
        if self._store is not None:
            with suppress(sqlite3.Error):
                self._store.commit()
            self._store.close()
            self._store = None

    def _give_up(self) -> None:
        """A full disk, or damage: the run does not need us."""
        if self._store is not None:
            with suppress(sqlite3.Error):
                self._store.close()
            self._store = None


def _mark(key: tuple[bytes, bytes, str], answer: bytes) -> bytes:
    content, judge, duty = key
    return blake2b(content + judge + duty.encode() + answer, digest_size=8).digest()


def _opened(path: Path, today: int) -> sqlite3.Connection | None:
    for attempt in range(2):
        store = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            store = sqlite3.connect(path, timeout=10)
            if store.execute("pragma user_version").fetchone()[0] not in (0, _FORMAT):
                store.close()
                return None  # of a later Kontor: left alone
            store.execute("pragma journal_mode = wal")
            store.execute("pragma synchronous = normal")
            store.execute(_TABLE)
            store.execute(_NEW)
            store.execute(f"pragma user_version = {_FORMAT}")
            store.execute("delete from answers where used < ?", (today - _KEEP_DAYS,))
            store.commit()
            return store
        except sqlite3.DatabaseError as error:
            if store is not None:
                store.close()
            if isinstance(error, sqlite3.OperationalError) or attempt:  # no room, no right, or busy: not damage
                return None
            with suppress(OSError):
                path.replace(path.with_name(path.name + ".damaged"))
        except OSError:
            return None
    return None
