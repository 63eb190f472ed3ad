"""The contract of every store; each test runs against all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred

from kontor_games.engine.errors import LocalError
from kontor_games.lobby.store.base import HALL, Allowance, Batch, Conflict, News, Put, Store, TopicLine
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.lobby.store.sqlite import SqliteStore
from kontor_games.net.system.buckets import Rate
from tests.worlds.lobby_hall import until
from tests.worlds.redis_server import needs_redis, open_redis, redis_server


@pytest_twisted.async_yield_fixture(params=["memory", "sqlite", pytest.param("redis", marks=needs_redis)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "redis":
        with redis_server(tmp_path / "redis") as server:
            shared = await open_redis(server.url)
            yield shared
            await shared.close()
        return
    store: Store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "lobby.db")
    yield store
    await store.close()


async def put(store: Store, kind: str, id: str, data: bytes, group: str = "", expires: int | None = None) -> None:
    old = await store.get(kind, id)
    await store.commit(Batch({(kind, id): old.version if old else 0}, [Put(kind, id, data, group, expires)]))


@ensureDeferred
async def test_a_record_is_read_back_as_it_was_put(store: Store) -> None:
    await put(store, "table", "a", b"one", "public", 50)
    record = await store.get("table", "a")
    assert (record.data, record.group, record.expires) == (b"one", "public", 50)
    assert record.version > 0
    assert (await store.get("table", "b")) is None
    assert (await store.get("code", "a")) is None


@ensureDeferred
async def test_a_change_computed_from_an_old_version_conflicts_and_changes_nothing(store: Store) -> None:
    await put(store, "table", "a", b"one")
    old = (await store.get("table", "a")).version
    await put(store, "table", "a", b"two")
    stale = Batch({("table", "a"): old, ("code", "c"): 0}, [Put("table", "a", b"lost"), Put("code", "c", b"x")])
    with pytest.raises(Conflict):
        await store.commit(stale)
    assert (await store.get("table", "a")).data == b"two"
    assert (await store.get("code", "c")) is None


@ensureDeferred
async def test_a_record_made_by_somebody_else_meanwhile_conflicts(store: Store) -> None:
    await put(store, "code", "c", b"one")
    with pytest.raises(Conflict):
        await store.commit(Batch({("code", "c"): 0}, [Put("code", "c", b"two")]))


@ensureDeferred
async def test_a_deleted_and_remade_record_has_another_version(store: Store) -> None:
    await put(store, "table", "a", b"one")
    first = (await store.get("table", "a")).version
    await store.commit(Batch({("table", "a"): first}, deletes=[("table", "a")]))
    assert (await store.get("table", "a")) is None
    await put(store, "table", "a", b"one")
    assert (await store.get("table", "a")).version != first


@ensureDeferred
async def test_changing_what_was_not_read_is_a_defect(store: Store) -> None:
    with pytest.raises(LocalError):
        await store.commit(Batch(puts=[Put("table", "a", b"")]))


@ensureDeferred
async def test_scans_go_in_order_of_id_by_group_and_page_by_page(store: Store) -> None:
    for id in "dbeac":
        await put(store, "table", id, id.encode(), "public" if id in "abd" else "")
    assert [id for id, _ in (await store.scan("table"))] == ["a", "b", "c", "d", "e"]
    assert [id for id, _ in (await store.scan("table", "public"))] == ["a", "b", "d"]
    assert [id for id, _ in (await store.scan("table", "public", after="a", limit=1))] == ["b"]
    await put(store, "table", "a", b"", "")
    assert [id for id, _ in (await store.scan("table", "public"))] == ["b", "d"]


@ensureDeferred
async def test_counts_follow_puts_moves_and_deletes(store: Store) -> None:
    await put(store, "table", "a", b"", "public")
    await put(store, "table", "b", b"", "")
    await put(store, "table", "a", b"", "")
    assert ((await store.count("table")), (await store.count("table", "public")), (await store.count("table", ""))) == (
        2,
        0,
        2,
    )
    assert (await store.groups("table")) == {"": 2}  # a group without records is forgotten
    version = (await store.get("table", "a")).version
    await store.commit(Batch({("table", "a"): version}, deletes=[("table", "a")]))
    assert ((await store.count("table")), (await store.count("table", ""))) == (1, 1)
    assert ((await store.groups("table")), (await store.groups("nothing"))) == ({"": 1}, {})


@ensureDeferred
async def test_due_names_what_is_over_the_oldest_first(store: Store) -> None:
    await put(store, "table", "late", b"", expires=30)
    await put(store, "offer", "early", b"", expires=10)
    await put(store, "table", "never", b"")
    await put(store, "table", "future", b"", expires=31)
    assert (await store.due(30)) == [("offer", "early"), ("table", "late")]
    assert (await store.due(30, limit=1)) == [("offer", "early")]
    await put(store, "offer", "early", b"", expires=None)
    assert (await store.due(30)) == [("table", "late")]


@ensureDeferred
async def test_lines_are_numbered_kept_up_to_a_bound_and_dropped_with_their_topic(store: Store) -> None:
    for number in range(40):
        await store.commit(Batch(lines=[TopicLine("hall", f"{number}".encode(), 5), TopicLine("other", b"x", 5)]))
    tail = await store.tail("hall", 5)
    assert [data for _, data in tail] == [b"35", b"36", b"37", b"38", b"39"]
    assert [number for number, _ in tail] == sorted({number for number, _ in tail})
    assert [data for _, data in (await store.tail("hall", 2))] == [b"38", b"39"]
    await store.commit(Batch(dropped=["hall"]))
    assert (await store.tail("hall", 5)) == []
    assert len(await store.tail("other", 5)) == 5


@ensureDeferred
async def test_news_leaves_once_per_commit_in_order_and_never_from_a_conflict(store: Store) -> None:
    heard: list[News] = []
    store.subscribe(heard.extend)
    (
        await store.commit(
            Batch(lines=[TopicLine("hall", b"x", 5)], news=[News(HALL, b"1"), News((b"k",), b"2", b"a", "close")])
        )
    )
    with pytest.raises(Conflict):
        await store.commit(Batch({("table", "a"): 9}, news=[News(HALL, b"never")]))
    await store.commit(Batch(news=[News(HALL, b"3")]))
    await until(lambda: len(heard) >= 3)
    assert heard == [News(HALL, b"1"), News((b"k",), b"2", b"a", "close"), News(HALL, b"3")]


@ensureDeferred
async def test_news_without_a_change_is_checked_too(store: Store) -> None:
    heard: list[News] = []
    store.subscribe(heard.extend)
    await put(store, "table", "a", b"")
    version = (await store.get("table", "a")).version
    with pytest.raises(Conflict):
        await store.commit(Batch({("table", "a"): version + 1}, news=[News(HALL, b"never")]))
    await store.commit(Batch({("table", "a"): version}, news=[News(HALL, b"1")]))
    await until(lambda: len(heard) >= 1)
    assert heard == [News(HALL, b"1")]


@ensureDeferred
async def test_reading_several_records_together_conflicts_if_one_of_them_changed(store: Store) -> None:
    await put(store, "table", "a", b"")
    await put(store, "table", "b", b"")
    checks = {("table", id): (await store.get("table", id)).version for id in "ab"}
    await store.commit(Batch(dict(checks)))
    await put(store, "table", "a", b"new")
    with pytest.raises(Conflict):
        await store.commit(Batch(dict(checks)))


@ensureDeferred
async def test_any_bytes_and_any_id_come_back_as_they_were(store: Store) -> None:
    data = bytes(range(256)) * 3 + b"\n\n0\n"
    for id in ("\u00e9 \u4e2d\u6587 \U0001f3b2", "a:b", "(x", "[y", "-", "+"):
        await put(store, "name", id, data, "g:1/24 \u00fc", 2**45)
        assert (await store.get("name", id))[0] == data
    found = await store.scan("name", "g:1/24 \u00fc")
    assert [id for id, _ in found] == sorted(id for id, _ in found) and len(found) == 6
    assert len(await store.due(2**45)) == 6
    await store.commit(Batch(lines=[TopicLine("hall", data, 5)]))
    assert (await store.tail("hall", 1))[0][1] == data


@ensureDeferred
async def test_kinds_and_topics_name_all_there_is(store: Store) -> None:
    await put(store, "table", "a", b"")
    await put(store, "code", "c", b"")
    await store.commit(Batch(lines=[TopicLine("hall", b"x", 5), TopicLine("audit", b"x", 5)]))
    version = (await store.get("code", "c")).version
    await store.commit(Batch({("code", "c"): version}, deletes=[("code", "c")]))
    assert (await store.kinds(), await store.topics()) == (["table"], ["audit", "hall"])


@ensureDeferred
async def test_buckets_empty_refill_with_time_and_take_back_what_did_not_count(store: Store) -> None:
    one, other = Allowance("codes:one", Rate(0.5, 2)), Allowance("codes:other", Rate(0.5, 2))
    assert [level.wait for level in await store.take([one, one, other], 1_000_000)] == [0, 0, 0]
    (empty, left) = await store.take([one, other], 1_000_000)
    assert (empty.wait, empty.before, left.wait, left.before) == (2, 0, 0, 1)
    assert [level.wait for level in await store.take([one], 1_002_000)] == [0]
    assert [level.wait for level in await store.take([one], 1_002_000)] == [2]
    await store.give_back([one])
    assert [level.wait for level in await store.take([one], 1_002_000)] == [0]
    assert [level.wait for level in await store.take([one], 999_000)] == [2]  # a clock set back earns nothing
    assert [level.before for level in await store.take([other], 9_000_000)] == [2]
