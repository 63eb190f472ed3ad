"""`kontor lobby move`: everything arrives as it was, from SQLite to Redis and back, and never into a store in use."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.admin.moving import move
from kontor_games.lobby.model.records import PROCESS, ProcessRecord
from kontor_games.lobby.model.work import _encode
from kontor_games.lobby.store.base import Batch, Put, Store, TopicLine
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.lobby.store.sqlite import SqliteStore
from tests.test_documents import hosting_commands
from tests.worlds.quick_start import run
from tests.worlds.redis_server import needs_redis, open_redis, redis_server

from .child import KONTOR, ROOT


async def fill(store: Store) -> None:
    for number in range(250):
        id = f"T{number:04}"
        group, expires = ("public" if number % 3 else "", None if number % 2 else 10**12 + number)
        await store.commit(Batch({("table", id): 0}, [Put("table", id, bytes([number % 256]) * 40, group, expires)]))
    await store.commit(Batch(lines=[TopicLine("hall", b"one", 50), TopicLine("audit", b"deed", 50)]))
    await store.commit(Batch(lines=[TopicLine("hall", b"two", 50)]))


async def look(store: Store) -> tuple[object, ...]:
    return (
        [(id, record._replace(version=0)) for id, record in await store.scan("table", limit=1000)],
        await store.groups("table"),
        await store.due(10**13, 1000),
        [data for _, data in await store.tail("hall", 50)],
        [data for _, data in await store.tail("audit", 50)],
    )


@needs_redis
@ensureDeferred
async def test_everything_arrives_in_redis_as_it_was_and_comes_back(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as server:
        old, shared, back = SqliteStore(tmp_path / "lobby.db"), await open_redis(server.url), MemoryStore()
        await fill(old)
        moved = await move(old, shared, 1)
        assert (moved.records, moved.lines) == (250, 3)
        await move(shared, back, 1)
        assert await look(old) == await look(shared) == await look(back)
        with pytest.raises(ConfigError, match="not empty"):
            await move(old, shared, 1)
        await old.close()
        await shared.close()


@ensureDeferred
async def test_a_store_that_a_process_uses_is_not_moved() -> None:
    source, target = MemoryStore(), MemoryStore()
    record = ProcessRecord("p1", "run", "", b"k" * 32, 0, 5000)
    for store in (source, target):
        await store.commit(Batch({("process", "p1"): 0}, [Put("process", "p1", _encode(record))]))
    with pytest.raises(ConfigError, match="in use by p1"):
        await move(source, target, 4000)
    await fill(source)
    assert (await move(source, target, 6000)).records == 250  # it died long ago, and its record is not taken along
    assert PROCESS.name in await source.kinds()


@needs_redis
def test_the_command_moves_a_lobby_and_says_what_is_wrong(tmp_path: Path) -> None:
    def kontor(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*KONTOR, "lobby", "--data", str(tmp_path / "data"), "move", *words]
        return run(command, cwd=ROOT, text=True, timeout=60, check=False)

    with redis_server(tmp_path / "redis") as server:
        assert "is --data right" in kontor("sqlite", server.url).stderr
        store = SqliteStore(tmp_path / "data" / "lobby.db")
        for step in (fill(store), store.close()):
            with pytest.raises(StopIteration):
                step.send(None)
        (line,) = [line for line, _ in hosting_commands() if " move " in line]  # as the document has it
        here = {"/var/lib/kontor-lobby": str(tmp_path / "data"), "redis://db.example.org:6379/0": server.url}
        words = [here.get(word, word) for word in shlex.split(line)[1:]]
        done = run([*KONTOR, *words], cwd=ROOT, text=True, timeout=60, check=False)
        assert done.returncode == 0 and "250 records and 3 lines" in done.stdout, done.stderr
        again = kontor("sqlite", server.url)
        assert again.returncode == 2 and "not empty" in again.stderr
        wrong = kontor("sqlite", "postgres")
        assert wrong.returncode == 2 and "is not a store" in wrong.stderr
