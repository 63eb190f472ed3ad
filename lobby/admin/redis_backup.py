"""Back-ups of a lobby that keeps its data in Redis: the same file as of one with SQLite, and the way back into Redis.

A script in Redis reads everything while nobody else is served, so the copy is the state of one moment, also while all
processes run. It becomes a database of SQLite: the back-up can be put back into either store. What running processes
say of themselves is left out.

Nothing is put back into a Redis that holds something or that a process uses: there is no way to move a database aside
there, so emptying it is left to the operator.
"""

from __future__ import annotations

import time
from collections.abc import Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.model.records import LEASE, PROCESS
from kontor_games.lobby.store.base import Batch, Put, TopicLine
from kontor_games.lobby.store.sqlite import DATABASE, SqliteStore
from kontor_games.net.wire.identity import FILE_NAME

from .backup import pack_up, put_key, unpacked
from .moving import MOST_LINES, move
from .opening import read_redis, with_reactor

AT_ONCE: Final = 1000  # records in one commit to the copy


def back_up(config: Any, target: Path, with_key: bool) -> dict[str, Any]:
    """Write the back-up of the lobby of these settings; what is in it."""
    found = with_reactor(lambda reactor: _snapshot(reactor, config))
    if not found.records and not found.lines:
        raise StoreError(f"there is nothing of a lobby in {read_redis(config.store)}")
    return pack_up(config.directory, target, with_key, lambda path: _write(path, found))


async def _snapshot(reactor: Any, config: Any) -> Any:
    from kontor_games.lobby.store.redis.redis_store import RedisStore

    store = RedisStore(reactor, read_redis(config.store))
    await store.open()
    try:
        return await store.snapshot()
    finally:
        await store.close()


def _write(path: Path, found: Any) -> None:
    """Lay what was found into a database."""
    store = SqliteStore(path)
    records = [each for each in found.records if each[0] not in (PROCESS.name, LEASE.name)]
    for start in range(0, len(records), AT_ONCE):
        part = records[start : start + AT_ONCE]
        checks = {(kind, id): 0 for kind, id, _ in part}
        puts = [Put(kind, id, record.data, record.group, record.expires) for kind, id, record in part]
        _at_once(store.commit(Batch(checks, puts)))
    for topic, lines in found.lines:
        _at_once(store.commit(Batch(lines=[TopicLine(topic, data, MOST_LINES) for data in lines])))
    _at_once(store.close())


def restore(config: Any, source: Path, replace: bool) -> dict[str, Any]:
    """Put a back-up into an empty Redis, and its key into the data directory; what was in it."""
    directory: Path = config.directory
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".kontor-restore-", dir=directory) as work:
            manifest = unpacked(source, Path(work))
            with_reactor(lambda reactor: _move_in(reactor, config, Path(work) / DATABASE))
            key = Path(work) / FILE_NAME
            manifest["moved"] = put_key(directory, key, replace) if FILE_NAME in manifest["files"] else []
    except OSError as error:
        raise StoreError(f"{directory} cannot be restored: {error.strerror or error}") from error
    return manifest


async def _move_in(reactor: Any, config: Any, database: Path) -> None:
    from kontor_games.lobby.store.redis.redis_store import RedisStore

    target = RedisStore(reactor, read_redis(config.store))
    await target.open()
    source = SqliteStore(database)
    try:
        await move(source, target, int((time.time() + target.skew) * 1000))
    finally:
        await source.close()
        await target.close()


def _at_once(job: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine of a store that has no thread, and so never waits."""
    try:
        job.send(None)
    except StopIteration:
        return
    raise AssertionError("a store without a thread does not wait")
