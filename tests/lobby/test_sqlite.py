"""The SQLite store: its file, its writer thread, and what happens when the disk fails."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.store.base import HALL, Batch, News, Put, Store, TopicLine
from kontor_games.lobby.store.sqlite import SqliteStore


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never has to wait."""
    with pytest.raises(StopIteration) as stopped:
        work.send(None)
    return stopped.value.value


def done_or_raise(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        work.send(None)
    except StopIteration as stopped:
        return stopped.value
    raise AssertionError("the store had to wait")


def put(store: Store, kind: str, id: str, data: bytes, group: str = "", expires: int | None = None) -> None:
    old = done(store.get(kind, id))
    done(store.commit(Batch({(kind, id): old.version if old else 0}, [Put(kind, id, data, group, expires)])))


def test_a_closed_file_opens_again_with_everything_in_it(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path / "lobby.db")
    put(first, "table", "a", b"one", "public", 7)
    done(first.commit(Batch(lines=[TopicLine("hall", b"hello", 5)])))
    version = done(first.get("table", "a")).version
    done(first.close())
    second = SqliteStore(tmp_path / "lobby.db")
    assert done(second.get("table", "a")) == (b"one", version, "public", 7)
    assert done(second.tail("hall", 5)) == [(1, b"hello")]
    assert done(second.count("table", "public")) == 1
    put(second, "table", "b", b"")
    assert done(second.get("table", "b")).version > version
    done(second.close())


def test_a_second_lobby_on_the_same_file_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "lobby.db")
    with pytest.raises(StoreError, match="another lobby"):
        SqliteStore(tmp_path / "lobby.db")
    done(store.close())


def test_a_file_that_is_no_database_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "lobby.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match=r"lobby\.db"):
        SqliteStore(tmp_path / "lobby.db")


class Threaded:
    """A store with its writer thread; reports wait here until the test lets them in."""

    def __init__(self, path: Path) -> None:
        self.reports: list[Any] = []
        self.failures: list[StoreError] = []
        self.store = SqliteStore(path, self.reports.append, self.failures.append)

    def begin(self, batch: Batch) -> Deferred[None]:
        return Deferred.fromCoroutine(self.store.commit(batch))

    def let_in(self, number: int) -> None:
        import time

        deadline = time.monotonic() + 10
        settled = 0
        while settled < number:
            assert time.monotonic() < deadline, "the writer thread reports nothing"
            if not self.reports:
                time.sleep(0.001)  # the writer runs in a thread of its own; there is no reactor here to wake us
                continue
            before = self.store._waiting
            self.reports.pop(0)()
            settled += before - self.store._waiting


def test_nothing_is_acknowledged_or_told_before_it_is_on_disk_but_the_next_reader_sees_it(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    it = Threaded(path)
    heard: list[News] = []
    it.store.subscribe(heard.extend)
    first = it.begin(Batch({("table", "a"): 0}, [Put("table", "a", b"one", "public", 5)], news=[News(HALL, b"1")]))
    version = done(it.store.get("table", "a")).version
    second = it.begin(
        Batch({("table", "a"): version}, [Put("table", "a", b"two", "", 6)], lines=[TopicLine("t", b"x", 5)])
    )
    reader = it.begin(Batch({("table", "a"): done(it.store.get("table", "a")).version}))
    assert not first.called and not second.called and not reader.called and heard == []
    assert done(it.store.scan("table", "")) and not done(it.store.scan("table", "public"))
    assert done(it.store.due(6)) == [("table", "a")]
    assert done(it.store.tail("t", 5)) == [(1, b"x")]
    it.let_in(2)
    assert first.called and second.called and reader.called and heard == [News(HALL, b"1")]
    assert done(it.store.get("table", "a")).data == b"two"
    assert done(it.store.tail("t", 5)) == [(1, b"x")]
    assert not it.store._pending and not it.store._pending_lines
    done(it.store.close())


def test_a_failing_disk_fails_what_waits_and_everything_after_and_says_so_once(tmp_path: Path) -> None:
    it = Threaded(tmp_path / "lobby.db")
    it.store._writer._connection.execute("PRAGMA query_only = 1")
    first = it.begin(Batch(lines=[TopicLine("t", b"x", 5)]))
    second = it.begin(Batch(lines=[TopicLine("t", b"y", 5)]))
    it.let_in(2)
    for failed in (first, second):
        failed.addCallbacks(lambda _: pytest.fail("acknowledged"), lambda failure: failure.trap(StoreError) and None)
    assert len(it.failures) == 1
    with pytest.raises(StoreError):
        done_or_raise(it.store.commit(Batch(lines=[TopicLine("t", b"z", 5)])))
    done(it.store.close())
