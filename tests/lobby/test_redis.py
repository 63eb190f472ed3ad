"""The Redis store on real servers that are killed, stopped, full, replicas or strangers."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.threads import deferToThread

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.store.base import (
    HALL,
    Allowance,
    Batch,
    Conflict,
    Level,
    News,
    OutcomeUnknown,
    Put,
    TopicLine,
    Unreachable,
)
from kontor_games.lobby.store.redis import redis_link as link_module
from kontor_games.lobby.store.redis.greeting import COMMIT_NAME, why_unfit
from kontor_games.lobby.store.redis.redis_store import RedisStore
from kontor_games.lobby.store.redis.redis_wire import PROMPT, RedisWire, WireLost
from kontor_games.lobby.store.redis.store_clock import StoreClock
from kontor_games.net.system.buckets import Rate
from tests.worlds.certificates import authority, certificate_for
from tests.worlds.lobby_hall import pause, the_reactor, until
from tests.worlds.redis_server import RedisServer, needs_redis, open_redis, redis_server

pytestmark = needs_redis


@pytest_twisted.async_yield_fixture
async def server(tmp_path: Path) -> AsyncIterator[RedisServer]:
    with redis_server(tmp_path / "redis") as it:
        yield it


class Writer:
    """Somebody who adds numbered lines and counts up a record, and remembers what was acknowledged."""

    def __init__(self, store: RedisStore, name: str) -> None:
        self.store, self.name = store, name
        self.acknowledged: list[bytes] = []
        self.conflicts = 0
        self.is_done = False

    async def run(self) -> None:
        while not self.is_done:
            number = f"{self.name} {len(self.acknowledged)}".encode()
            record = await self.store.get("count", "all")
            value = int(record.data) if record else 0
            batch = Batch(
                {("count", "all"): record.version if record else 0},
                [Put("count", "all", str(value + 1).encode())],
                lines=[TopicLine("log", number, 100_000)],
                news=[News(HALL, number)],
            )
            try:
                await self.store.commit(batch)
            except Conflict:
                self.conflicts += 1
                continue
            self.acknowledged.append(number)


async def go_on(writers: list[Writer]) -> None:
    """Wait until all of them have written more."""
    wanted = [len(writer.acknowledged) + 20 for writer in writers]
    await until(lambda: all(len(w.acknowledged) > number for w, number in zip(writers, wanted, strict=True)))


async def disturbed(server: RedisServer, trouble: list[float]) -> tuple[list[Writer], list[bytes]]:
    """Two processes that write all the time, while the server is killed or stopped for so many seconds, and back."""
    stores = [await open_redis(server.url) for _ in range(2)]
    heard: list[News] = []
    gaps: list[None] = []
    stores[1].subscribe(heard.extend, lambda: gaps.append(None))
    writers = [Writer(store, f"w{number}") for number, store in enumerate(stores)]
    running = [Deferred.fromCoroutine(writer.run()) for writer in writers]
    for seconds in trouble:
        await go_on(writers)
        if seconds:
            server.pause()
            await pause(seconds)
            server.resume()
        else:
            server.kill()
            server.start()
    await go_on(writers)
    for writer in writers:
        writer.is_done = True
    await gatherResults(running)
    wanted = sum(len(writer.acknowledged) for writer in writers)
    stored = [data for _, data in await stores[0].tail("log", 100_000)]
    record = await stores[0].get("count", "all")
    await until(lambda: len(heard) >= wanted)
    for store in stores:
        await store.close()
    assert record is not None and int(record.data) == wanted == len(stored) == len(set(stored))
    assert [news.payload for news in heard] == stored and gaps == []
    return writers, stored


@ensureDeferred
async def test_a_server_that_is_killed_loses_nothing_and_does_nothing_twice(server: RedisServer) -> None:
    writers, stored = await disturbed(server, [0, 0])
    assert set(stored) == {number for writer in writers for number in writer.acknowledged}


@ensureDeferred
async def test_a_server_that_stops_for_a_while_is_waited_for(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "REPLY_TIME", 1.2)  # longer than the question for news stays open
    await disturbed(server, [0.5, 2.0])


@ensureDeferred
async def test_a_commit_that_is_sent_again_is_done_once_and_one_given_up_never(server: RedisServer) -> None:
    store = await open_redis(server.url)
    send = store._link.call

    async def commit(sequence: int, floor: int) -> bytes:
        line = (0, 0, 0, 0, 1, "log", 100, b"said")
        answer = await send("EVALSHA", COMMIT_NAME, 0, "kontor:", "me", str(sequence), floor, b"", 100, *line)
        return bytes(answer[0])

    assert [await commit(5, 0), await commit(5, 0)] == [b"ok", b"done"]
    assert await commit(7, 6) == b"ok"  # 5 and 6 have been answered, or were given up
    assert [await commit(5, 6), await commit(6, 6)] == [b"late", b"late"]
    assert len(await store.tail("log", 100)) == 2
    await store.close()


@ensureDeferred
async def test_news_that_was_thrown_away_meanwhile_is_told_as_a_gap_before_the_next(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis", stream_node_max_entries="5") as server:
        store = await open_redis(server.url, kept_news=5)
        heard: list[str] = []
        store.subscribe(lambda news: heard.extend(n.payload.decode() for n in news), lambda: heard.append("gap"))
        await store.commit(Batch(news=[News(HALL, b"first")]))
        await until(lambda: heard)
        # In one go, so that the reader cannot be back in between: it is cut off, the stream goes on and is trimmed.
        script = (
            "for n = 1, 40 do local k = redis.call('INCR', 'kontor:newsno') "
            "redis.call('XADD', 'kontor:news', '*', 'n', k, 'd', ARGV[1]) end "
            "redis.call('XTRIM', 'kontor:news', 'MAXLEN', 1)"
        )
        packed = b"\x91\x94\x90\xa5\x6c\x61\x74\x65\x72\xa0\xa0"  # one piece of news: «later», for the hall
        packed = packed.replace(b"\xa5later", b"\xc4\x05later").replace(b"\xa0\xa0", b"\xc4\x00\xa0")
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            commands = [b"CLIENT KILL TYPE normal SKIPME yes\r\n"]
            parts = [b"EVAL", script.encode(), b"0", packed]
            commands.append(b"*4\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
            wire.sendall(b"".join(commands))
            await until(lambda: "later" in heard)
        assert heard == ["first", "gap", "later"]
        await store.close()


@ensureDeferred
async def test_a_server_that_is_away_for_long_is_told_in_words_and_what_was_sent_stays_in_doubt(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch, nothing_left_behind: list[str]
) -> None:
    monkeypatch.setattr(link_module, "GIVE_UP", 1.0)
    store = await open_redis(server.url)
    server.pause()
    sent = Deferred.fromCoroutine(store.commit(Batch(lines=[TopicLine("log", b"x", 5)])))
    asked = Deferred.fromCoroutine(store.get("table", "a"))
    with pytest.raises(OutcomeUnknown, match="nobody can say"):
        await sent
    with pytest.raises(Unreachable, match="nothing was changed"):
        await asked  # whoever only asked is not in doubt, and need not be sent away
    server.kill()
    await until(lambda: store._link._wire is None)
    with pytest.raises(Unreachable, match="nothing was changed"):
        await store.commit(Batch(lines=[TopicLine("log", b"y", 5)]))
    with pytest.raises(Unreachable):
        await store.get("table", "a")
    server.start()
    await until(lambda: store._link._wire is not None)
    await store.commit(Batch(lines=[TopicLine("log", b"z", 5)]))
    assert b"y" not in [data for _, data in await store.tail("log", 5)]
    await store.close()


@ensureDeferred
async def test_a_full_server_refuses_changes_whole_and_still_answers_questions(server: RedisServer) -> None:
    store = await open_redis(server.url)
    await store.commit(Batch({("table", "a"): 0}, [Put("table", "a", b"one")]))
    assert server.say("CONFIG SET maxmemory 1mb") == b"+OK"
    version = (await store.get("table", "a")).version  # type: ignore[union-attr]
    with pytest.raises(Unreachable, match="full"):
        await store.commit(Batch({("table", "a"): version, ("code", "c"): 0}, [Put("table", "a", b"x" * 9)]))
    assert (await store.get("table", "a")).data == b"one"  # type: ignore[union-attr]
    await store.commit(Batch({("table", "a"): version, ("code", "c"): 0}))  # what was read is still so
    share = Allowance("lists", Rate(1, 3))  # a list can be asked for, though nothing can be counted
    assert await store.take([share], 1) == [Level(0.0, 3)]
    await store.give_back([share])
    assert server.say("CONFIG SET maxmemory 0") == b"+OK"
    await store.commit(Batch({("table", "a"): version}, [Put("table", "a", b"two")]))
    await store.close()


@ensureDeferred
async def test_a_replica_is_not_written_to_and_is_used_once_it_is_the_master(
    server: RedisServer, tmp_path: Path
) -> None:
    store = await open_redis(server.url)
    assert server.say(f"REPLICAOF 127.0.0.1 {server.port + 1}") == b"+OK"
    waiting = Deferred.fromCoroutine(store.commit(Batch(lines=[TopicLine("log", b"x", 5)])))
    await pause(0.3)
    assert not waiting.called
    assert server.say("REPLICAOF NO ONE") == b"+OK"
    await waiting
    assert [data for _, data in await store.tail("log", 5)] == [b"x"]
    await store.close()


@ensureDeferred
async def test_a_server_that_may_throw_records_away_is_refused(tmp_path: Path) -> None:
    settings = {"maxmemory": "100mb", "maxmemory_policy": "allkeys-lru"}
    with redis_server(tmp_path / "redis", **settings) as server, pytest.raises(StoreError, match="noeviction"):
        await open_redis(server.url)


def test_old_clustered_and_busy_servers_are_told_apart() -> None:
    good = {"redis_version": "7.2.4", "role": "master", "maxmemory": "0", "maxmemory_policy": "allkeys-lru"}
    assert why_unfit(good) is None
    assert "7.0" in str(why_unfit({**good, "redis_version": "6.2.14"}))
    assert "cluster" in str(why_unfit({**good, "cluster_enabled": "1"}))
    for passing in ({"loading": "1"}, {"role": "slave"}):
        with pytest.raises(WireLost):
            why_unfit({**good, **passing})


@pytest.mark.parametrize("fsync", ["always", "everysec", "off"])
@ensureDeferred
async def test_what_an_acknowledgement_is_worth_is_said(tmp_path: Path, fsync: str) -> None:
    with redis_server(tmp_path / "redis", fsync) as server:
        store = await open_redis(server.url)
        words = {"always": "even when the power goes", "everysec": "up to a second", "off": "loses everything"}
        assert words[fsync] in store.promise
        assert abs(store.skew) < 1
        await store.close()


@ensureDeferred
async def test_a_wrong_password_is_refused_without_showing_it(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis", requirepass="right-secret") as server:
        place = f"127.0.0.1:{server.port}/0"
        for url in (f"redis://:wrong-secret@{place}", f"redis://{place}"):
            with pytest.raises(StoreError) as refused:
                await open_redis(url)
            assert "secret" not in str(refused.value)
        file = tmp_path / "password"
        file.write_text("right-secret\n")
        for url in (f"redis://:right-secret@{place}", f"redis://{place}?password-file={file}"):
            store = await open_redis(url)
            assert "secret" not in f"{store.place} {store.place!r}"
            await store.close()


@ensureDeferred
async def test_a_place_where_nobody_is_is_told() -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        await open_redis("redis://127.0.0.1:1/0")


@ensureDeferred
async def test_a_server_that_is_slow_when_a_process_starts_is_waited_for_and_one_that_says_nothing_is_told(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "REPLY_TIME", 0.3)
    monkeypatch.setattr(link_module, "MAX_BACK_OFF", 0.1)
    server.pause()
    opening = Deferred.fromCoroutine(open_redis(server.url))
    await pause(0.8)
    assert not opening.called
    server.resume()
    store = await opening
    assert await store.get("count", "all") is None
    await store.close()
    monkeypatch.setattr(link_module, "GIVE_UP", 0.5)
    server.pause()
    with pytest.raises(StoreError, match=r"did not answer within 0\.3 seconds"):
        await open_redis(server.url)
    server.resume()


@ensureDeferred
async def test_a_server_that_loads_its_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "MAX_BACK_OFF", 0.1)
    slowly = {"key_load_delay": "20000", "loading_process_events_interval_bytes": "1024", "rdbcompression": "no"}
    with redis_server(tmp_path / "redis", "off", **slowly) as server:
        store = await open_redis(server.url)
        records = [(f"T{number}", b"x" * 500) for number in range(60)]
        await store.commit(Batch({("table", id): 0 for id, _ in records}, [Put("table", id, d) for id, d in records]))
        for id, data in records:  # each is a key of its own in the file
            server.say(f"SET {id} {data.decode()}")
        await store.close()
        assert server.say("SAVE") == b"+OK"  # it answers while it reads a snapshot, hardly while it reads its log
        server.kill()
        starting = deferToThread(server.start)
        await until(lambda: server.say("PING").startswith(b"-LOADING"))
        store = await open_redis(server.url)
        assert await store.count("table") == 60
        await store.close()
        await starting


@ensureDeferred
async def test_tls_is_only_spoken_with_a_server_that_the_authority_knows(tmp_path: Path) -> None:
    ours, other = authority(tmp_path, "ours"), authority(tmp_path, "other")
    pair = certificate_for(tmp_path, "localhost", ours)
    from tests.worlds.redis_server import free_port

    port = free_port()
    tls = {"tls_port": str(port), "tls_cert_file": str(pair.certificate), "tls_key_file": str(pair.key)}
    with redis_server(tmp_path / "redis", tls_auth_clients="no", **tls):
        store = await open_redis(f"rediss://localhost:{port}/0?ca={ours.certificate}")
        await store.commit(Batch(lines=[TopicLine("log", b"x", 5)]))
        await store.close()
        for url in (
            f"rediss://localhost:{port}/0?ca={other.certificate}",
            f"rediss://localhost:{port}/0",
            f"rediss://127.0.0.1:{port}/0?ca={ours.certificate}",
        ):
            begun = the_reactor().seconds()
            with pytest.raises(StoreError, match="is its certificate good for the name"):
                await open_redis(url)
            assert the_reactor().seconds() < begun + 5, "nobody waits for a certificate to become another"


@ensureDeferred
async def test_a_page_is_only_short_at_the_end_also_if_records_move_or_go_while_it_is_read(server: RedisServer) -> None:
    store = await open_redis(server.url)
    ids = [f"t{number}" for number in range(9)]
    await store.commit(Batch({("table", id): 0 for id in ids}, [Put("table", id, b"", "public") for id in ids]))
    versions = {id: record.version for id, record in await store.scan("table", "public")}
    ask = store._link.call

    async def ask_slowly(*command: bytes | str | int) -> object:
        """Between the two questions of the first page somebody hides two tables and ends a third."""
        found = await ask(*command)
        if command[0] == "ZRANGEBYLEX" and command[2] == "-":
            checks = {("table", id): versions[id] for id in ids[:3]}
            hidden = [Put("table", id, b"", "hidden") for id in ids[:2]]
            await store.commit(Batch(checks, hidden, [("table", ids[2])]))
        return found

    store._link.call = ask_slowly  # type: ignore[method-assign]
    assert [id for id, _ in await store.scan("table", "public", "", 3)] == ids[3:6]
    store._link.call = ask  # type: ignore[method-assign]
    assert [id for id, _ in await store.scan("table", "public", ids[5], 5)] == ids[6:]
    assert await store.scan("table", "public", ids[8], 5) == []
    await store.close()


@ensureDeferred
async def test_news_of_a_server_that_came_back_with_less_and_a_slower_clock_is_heard_behind_a_gap(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await open_redis(server.url)
    heard: list[str] = []
    store.subscribe(lambda news: heard.extend(n.payload.decode() for n in news), lambda: heard.append("gap"))
    # The old master was an hour ahead: the ids of its entries are.
    store._news._at, store._news._number = b"99999999999999-0", 41
    await until(lambda: heard == ["gap"])
    await store.commit(Batch(news=[News(HALL, b"after")]))
    await until(lambda: heard == ["gap", "after"])
    await store.close()


@ensureDeferred
async def test_the_clock_of_this_machine_may_be_set_while_we_are_connected(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "TIME_EVERY", 0.1)
    wall = [0.0]
    store = await open_redis(server.url, clock=lambda: the_reactor().seconds() + wall[0])
    before = store.skew
    for wall[0] in (3600.0, -3600.0):
        assert abs(store.skew + wall[0] - before) < 0.5  # at once, not after the next connection
    await pause(0.8)
    assert abs(store.skew - 3600.0 - before) < 0.5
    await store.close()


def test_an_answer_moves_the_reckoned_clock_only_as_far_as_it_must() -> None:
    passed = [100.0]
    clock = StoreClock(lambda: passed[0], lambda: 0.0)
    assert clock.skew == 0.0
    passed[0] = 100.2
    clock.heard(1000.0, asked=100.0)  # somewhere between 1000.0 and 1000.2
    assert clock.skew == pytest.approx(1000.1)
    passed[0] = 105.0
    clock.heard(1002.0, asked=101.8)  # it took long: between 1002.0 and 1005.2, and we reckon 1004.9
    assert clock.skew == pytest.approx(1004.9)
    clock.heard(4600.0, asked=104.99)  # its clock was set an hour ahead
    assert clock.skew == pytest.approx(4600.0, abs=0.02)
    clock.heard(1005.0, asked=104.99)  # and back
    assert clock.skew == pytest.approx(1005.0, abs=0.02)


@ensureDeferred
async def test_a_connection_lost_while_the_server_is_full_is_made_again_for_reading(
    server: RedisServer,
) -> None:
    store = await open_redis(server.url)
    await store.commit(Batch({("table", "a"): 0}, [Put("table", "a", b"one")]))
    assert server.say("CONFIG SET maxmemory 1mb") == b"+OK"
    assert server.say("CLIENT KILL TYPE normal SKIPME yes").startswith(b":")
    assert (await store.get("table", "a")).data == b"one"  # type: ignore[union-attr]
    await store.close()


class Gathering:
    """A transport as the reactor has it: what is written waits until somebody writes it out."""

    connected, disconnecting = True, False

    def __init__(self) -> None:
        self._gathered = b""
        self.sent: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._gathered += data

    def doWrite(self) -> None:
        self.sent.append(self._gathered)
        self._gathered = b""


def test_a_command_leaves_at_once_and_is_gathered_only_when_many_are_under_way() -> None:
    wire, transport = RedisWire(lambda reason: None), Gathering()
    wire.makeConnection(transport)  # type: ignore[arg-type]
    answers = [wire.send(("GET", number)) for number in range(PROMPT + 2)]
    assert len(transport.sent) == PROMPT and b"GET" in transport.sent[0]
    wire.dataReceived(b"$-1\r\n" * len(answers))
    wire.send(("GET", "next"))
    assert len(transport.sent) == PROMPT + 1 and transport.sent[-1].count(b"GET") == 3, "in their order"
