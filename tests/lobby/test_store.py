"""The contract of every store; each test runs against all of them."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from kontor_games.engine.errors import LocalError, StoreError
from kontor_games.lobby.store.base import HALL, Batch, Conflict, News, Put, Store, TopicLine
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.lobby.store.sqlite import SqliteStore


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never has to wait."""
    with pytest.raises(StopIteration) as stopped:
        work.send(None)
    return stopped.value.value


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "lobby.db")
    yield store
    done(store.close())


def put(store: Store, kind: str, id: str, data: bytes, group: str = "", expires: int | None = None) -> None:
    old = done(store.get(kind, id))
    done(store.commit(Batch({(kind, id): old.version if old else 0}, [Put(kind, id, data, group, expires)])))


def test_a_record_is_read_back_as_it_was_put(store: Store) -> None:
    put(store, "table", "a", b"one", "public", 50)
    record = done(store.get("table", "a"))
    assert (record.data, record.group, record.expires) == (b"one", "public", 50)
    assert record.version > 0
    assert done(store.get("table", "b")) is None
    assert done(store.get("code", "a")) is None


def test_a_change_computed_from_an_old_version_conflicts_and_changes_nothing(store: Store) -> None:
    put(store, "table", "a", b"one")
    old = done(store.get("table", "a")).version
    put(store, "table", "a", b"two")
    stale = Batch({("table", "a"): old, ("code", "c"): 0}, [Put("table", "a", b"lost"), Put("code", "c", b"x")])
    with pytest.raises(Conflict):
        done_or_raise(store.commit(stale))
    assert done(store.get("table", "a")).data == b"two"
    assert done(store.get("code", "c")) is None


def done_or_raise(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        work.send(None)
    except StopIteration as stopped:
        return stopped.value
    raise AssertionError("the store had to wait")


def test_a_record_made_by_somebody_else_meanwhile_conflicts(store: Store) -> None:
    put(store, "code", "c", b"one")
    with pytest.raises(Conflict):
        done_or_raise(store.commit(Batch({("code", "c"): 0}, [Put("code", "c", b"two")])))


def test_a_deleted_and_remade_record_has_another_version(store: Store) -> None:
    put(store, "table", "a", b"one")
    first = done(store.get("table", "a")).version
    done(store.commit(Batch({("table", "a"): first}, deletes=[("table", "a")])))
    assert done(store.get("table", "a")) is None
    put(store, "table", "a", b"one")
    assert done(store.get("table", "a")).version != first


def test_changing_what_was_not_read_is_a_defect(store: Store) -> None:
    with pytest.raises(LocalError):
        done_or_raise(store.commit(Batch(puts=[Put("table", "a", b"")])))


def test_scans_go_in_order_of_id_by_group_and_page_by_page(store: Store) -> None:
    for id in "dbeac":
        put(store, "table", id, id.encode(), "public" if id in "abd" else "")
    assert [id for id, _ in done(store.scan("table"))] == ["a", "b", "c", "d", "e"]
    assert [id for id, _ in done(store.scan("table", "public"))] == ["a", "b", "d"]
    assert [id for id, _ in done(store.scan("table", "public", after="a", limit=1))] == ["b"]
    put(store, "table", "a", b"", "")
    assert [id for id, _ in done(store.scan("table", "public"))] == ["b", "d"]


def test_counts_follow_puts_moves_and_deletes(store: Store) -> None:
    put(store, "table", "a", b"", "public")
    put(store, "table", "b", b"", "")
    put(store, "table", "a", b"", "")
    assert (done(store.count("table")), done(store.count("table", "public")), done(store.count("table", ""))) == (
        2,
        0,
        2,
    )
    assert done(store.groups("table")) == {"": 2}  # a group without records is forgotten
    version = done(store.get("table", "a")).version
    done(store.commit(Batch({("table", "a"): version}, deletes=[("table", "a")])))
    assert (done(store.count("table")), done(store.count("table", ""))) == (1, 1)
    assert (done(store.groups("table")), done(store.groups("nothing"))) == ({"": 1}, {})


def test_due_names_what_is_over_the_oldest_first(store: Store) -> None:
    put(store, "table", "late", b"", expires=30)
    put(store, "offer", "early", b"", expires=10)
    put(store, "table", "never", b"")
    put(store, "table", "future", b"", expires=31)
    assert done(store.due(30)) == [("offer", "early"), ("table", "late")]
    assert done(store.due(30, limit=1)) == [("offer", "early")]
    put(store, "offer", "early", b"", expires=None)
    assert done(store.due(30)) == [("table", "late")]


def test_lines_are_numbered_kept_up_to_a_bound_and_dropped_with_their_topic(store: Store) -> None:
    for number in range(40):
        done(store.commit(Batch(lines=[TopicLine("hall", f"{number}".encode(), 5), TopicLine("other", b"x", 5)])))
    tail = done(store.tail("hall", 5))
    assert [data for _, data in tail] == [b"35", b"36", b"37", b"38", b"39"]
    assert [number for number, _ in tail] == sorted({number for number, _ in tail})
    assert [data for _, data in done(store.tail("hall", 2))] == [b"38", b"39"]
    done(store.commit(Batch(dropped=["hall"])))
    assert done(store.tail("hall", 5)) == []
    assert len(done(store.tail("other", 5))) == 5


def test_news_leaves_once_per_commit_in_order_and_never_from_a_conflict(store: Store) -> None:
    heard: list[News] = []
    store.subscribe(heard.extend)
    done(
        store.commit(
            Batch(lines=[TopicLine("hall", b"x", 5)], news=[News(HALL, b"1"), News((b"k",), b"2", b"a", "close")])
        )
    )
    with pytest.raises(Conflict):
        done_or_raise(store.commit(Batch({("table", "a"): 9}, news=[News(HALL, b"never")])))
    done(store.commit(Batch(news=[News(HALL, b"3")])))
    assert heard == [News(HALL, b"1"), News((b"k",), b"2", b"a", "close"), News(HALL, b"3")]


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
