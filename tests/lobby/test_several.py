"""Several processes on one Redis are one lobby, wherever people are and whichever of them dies."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.testing import MemoryReactorClock

from kontor_games.net.lobbies.lobby_book import LobbyBook
from kontor_games.net.lobbies.lobby_client import CLOSING_TIME, LobbyClient
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    EnterByCode,
    MakeTable,
    MarkKey,
    Notice,
    Proposal,
    Queue,
    Recall,
    Said,
    Say,
    TableCard,
)
from kontor_games.net.wire.messages import Sit, TableView
from kontor_games.net.wire.way_messages import AskRelay, RelayPass
from tests.worlds.lobby_hall import Node, pause, the_reactor, until
from tests.worlds.quick_start import Popen, run
from tests.worlds.redis_server import RedisServer, needs_redis, redis_server

from .child import KONTOR, ROOT
from .several import Resident, SharedLobby, shared_lobby
from .test_relay import ACCEPTED, Pipe

pytestmark = needs_redis


@pytest_twisted.async_yield_fixture
async def redis(tmp_path: Path) -> AsyncIterator[RedisServer]:
    with redis_server(tmp_path / "redis") as it:
        yield it


@pytest_twisted.async_yield_fixture
async def lobby(tmp_path: Path, redis: RedisServer) -> AsyncIterator[SharedLobby]:
    it = SharedLobby(tmp_path, redis, 2)
    yield it
    it.stop()


def operate(lobby: SharedLobby, *words: str) -> str:
    command = [*KONTOR, "lobby", "--data", str(lobby.folder / "data"), "admin", *words]
    return run(command, cwd=ROOT, text=True, timeout=60, check=True).stdout


async def dial(address: str, token: bytes) -> Pipe:
    host, _, port = address.rpartition(":")
    pipe = await connectProtocol(TCP4ClientEndpoint(the_reactor(), host, int(port)), Pipe())
    pipe.transport.write(b"KRL1" + token)
    return pipe


@ensureDeferred
async def test_people_at_different_processes_meet_talk_queue_and_use_one_relay(lobby: SharedLobby) -> None:
    anna, ben = Node("Anna"), Node("Ben")
    try:
        first = await anna.come(lobby.ports[0], lobby.key)
        second = await ben.come(lobby.ports[1], lobby.key)
        assert second.elsewhere == (f"127.0.0.1:{lobby.ports[0]}",) and len(first.elsewhere) <= 1
        table = (await anna.ask(MakeTable("osaka", {}, 2, "invite"))).table
        code = (await anna.hears(TableCard)).code
        assert (await ben.ask(EnterByCode(code))).table == table
        await anna.hears(TableCard, lambda card: len(card.people) == 2)
        await ben.ask(Say(table, "hello from the other side"))
        assert (await anna.hears(Said)).text == "hello from the other side"
        # The relay: both passes lead to the process that holds the pair.
        mine = await anna.ask(AskRelay(table, ben.identity.key))
        theirs = await ben.hears(RelayPass)
        assert mine.address == theirs.address == f"127.0.0.1:{lobby.ports[0]}"
        one, other = await dial(mine.address, mine.token), await dial(theirs.address, theirs.token)
        assert (await one.read(1), await other.read(1)) == (ACCEPTED, ACCEPTED)
        one.transport.write(b"through")
        assert await other.read(7) == b"through"
        one.transport.loseConnection()
        await other.read(1)
        # The queue is one queue, and whoever leads it tells both.
        await anna.ask(Queue(("osaka",), (2,)))
        await ben.ask(Queue(("osaka",), (2,)))
        offers = [await node.hears(Proposal) for node in (anna, ben)]
        assert offers[0].offer == offers[1].offer
        # A mark holds wherever the other one is.
        await anna.ask(MarkKey(ben.identity.key, "mute"))
        await ben.ask(Say(table, "not heard"))
        await ben.hears(Said, lambda said: said.text == "not heard")
        assert not [said for said in anna.events if isinstance(said, Said) and said.text == "not heard"]
        # A ban is carried out by the process that has the person, whichever was told.
        operate(lobby, "ban", ben.identity.key.hex(), "--reason", "a test")
        assert (await ben.hears(Notice)).text == "a test"
        await ben.is_cut()
        for port in lobby.ports:
            again = Node("Ben", ben.identity)
            with pytest.raises(Exception, match="a test"):
                await again.come(port, lobby.key)
    finally:
        await anna.leave()
        await ben.leave()


@ensureDeferred
async def test_wrong_codes_are_counted_over_all_processes(tmp_path: Path, redis: RedisServer) -> None:
    settings = "[limits]\ncodes = {per_second = 0.001, burst = 4}\nhandshakes = {per_second = 1000, burst = 1000}\n"
    lobby = SharedLobby(tmp_path, redis, 2, settings)
    mallory = Node("Mallory")
    outcomes = []
    try:
        for which in (0, 1, 0, 1):
            await mallory.come(lobby.ports[which], lobby.key)
            for _ in range(2):
                with pytest.raises(LobbyRefused) as refused:
                    await mallory.ask(EnterByCode("AAAA-AAAA"))
                outcomes.append(refused.value.code)
            await mallory.leave()
            mallory.lost.clear()
    finally:
        lobby.stop()
    assert outcomes[:4] == ["no-code"] * 4 and set(outcomes[4:]) == {"too-fast"}


@ensureDeferred
async def test_a_process_killed_loses_nobody_and_its_people_move_by_themselves(
    lobby: SharedLobby, tmp_path: Path, redis: RedisServer
) -> None:
    moving = Resident(tmp_path / "nodes", "Mover", lobby.address(0))
    old, staying = Node("Old client"), Node("Stayer")
    try:
        await moving.come()
        await old.come(lobby.ports[0], lobby.key)
        await staying.come(lobby.ports[1], lobby.key)
        table = (await moving.ask(MakeTable("osaka", {}, 3, "invite"))).table
        code = (await moving.hears(TableCard)).code
        await moving.ask(Sit(table, 0, "Mover"))
        for node in (old, staying):
            await node.ask(EnterByCode(code))
        await old.ask(Queue(("hansa",), (5,)))
        await moving.ask(Say(table, "before"))
        await until(lambda: len(moving.client._elsewhere) == 2)  # told when the other came, if not at sign-in
        # p0 came first, so it leads: queue and expiry are taken over too.
        lobby.kill(0)
        begun = the_reactor().seconds()
        await until(lambda: len(moving.ups) == 2)
        assert moving.ups[1][0] - begun < 5 and moving.client.at == f"127.0.0.1:{lobby.ports[1]}"
        assert table in moving.ups[1][1].tables
        lines = (await moving.ask(Recall(table))).lines
        assert [line.text for line in lines] == ["before"]
        # Whoever does not come back is seen to be away, because the other process adopts them.
        key = old.identity.key
        await staying.hears(
            TableCard, lambda card: any(person.key == key and not person.here for person in card.people)
        )
        assert the_reactor().seconds() - begun < 12
        await old.is_cut()
        old.lost.clear()
        assert (await old.come(lobby.ports[1], lobby.key)).is_queued
        view = await staying.hears(TableView, lambda view: view.seats[0] is not None)
        assert view.seats[0].peer == moving.identity.key
        # The same name again, at once: it waits until its own record has run out, and is one of them.
        lobby.start(0)
        late = Node("Late")
        answer = await late.come(lobby.ports[0], lobby.key)
        assert answer.elsewhere == (f"127.0.0.1:{lobby.ports[1]}",)
        await late.leave()
    finally:
        await moving.leave()
        for node in (old, staying):
            await node.leave()


@pytest.mark.long
@ensureDeferred
async def test_processes_that_are_reached_by_ipv6_are_one_lobby_too(tmp_path: Path, redis: RedisServer) -> None:
    with shared_lobby(tmp_path, redis, 2, host="[::1]") as lobby:
        people = [Resident(tmp_path / "nodes", f"Person {which}", lobby.address(which)) for which in range(2)]
        one, two = people
        try:
            for person in people:
                await person.come()
            table = (await one.ask(MakeTable("osaka", {}, 2, "invite"))).table
            await two.ask(EnterByCode((await one.hears(TableCard)).code))
            mine = await one.ask(AskRelay(table, two.identity.key))
            assert mine.address == (await two.hears(RelayPass)).address == lobby.address(0)
            await until(lambda: len(one.client._elsewhere) == 2)
            lobby.kill(0)
            await until(lambda: len(one.ups) == 2)
            assert one.client.at == lobby.address(1)
        finally:
            for person in people:
                await person.leave()


@ensureDeferred
async def test_redis_killed_or_stopped_is_waited_for_and_nobody_loses_their_place(
    lobby: SharedLobby, redis: RedisServer
) -> None:
    anna, ben = Node("Anna"), Node("Ben")
    try:
        await anna.come(lobby.ports[0], lobby.key)
        await ben.come(lobby.ports[1], lobby.key)
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        said = 0
        for is_killed in (True, False):
            for _ in range(10):
                await anna.ask(Say(table, f"line {said}"))
                said += 1
            if is_killed:
                redis.kill()
                asked = anna.link.ask(Say(table, f"line {said}"))  # type: ignore[union-attr]
                await pause(0.5)
                redis.start()
            else:
                redis.pause()
                asked = anna.link.ask(Say(table, f"line {said}"))  # type: ignore[union-attr]
                await pause(1.0)
                redis.resume()
            said += 1
            begun = the_reactor().seconds()
            await asked
            assert the_reactor().seconds() - begun < 10
        lines = [line.text for line in (await anna.ask(Recall(table))).lines]
        assert lines == [f"line {number}" for number in range(said)]
        assert not anna.lost and not ben.lost
        assert [process.health()[0] for process in lobby.processes if process] == [200, 200]
    finally:
        await anna.leave()
        await ben.leave()


@ensureDeferred
async def test_a_process_with_another_key_or_a_name_in_use_is_refused_in_words(
    lobby: SharedLobby, tmp_path: Path, redis: RedisServer
) -> None:
    common = ["lobby", "--listen", "127.0.0.1:0", "--metrics", "", "--store", redis.url]
    other_key = [*KONTOR, *common, "--data", str(tmp_path / "other"), "--process", "p7"]
    same_name = [*KONTOR, *common, "--data", str(lobby.folder / "data"), "--process", "p1"]
    running = [
        Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in (other_key, same_name)
    ]
    ends = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [2, 2]
    assert "identity.pem" in ends[0][1] and "--process" in ends[1][1]


@ensureDeferred
async def test_an_address_that_is_not_one_and_a_server_that_is_not_there_are_told_before_the_start(
    tmp_path: Path,
) -> None:
    for store, words, code in (
        ("redis://:sesame@127.0.0.1:1/0", "cannot be reached", 3),  # it may be soon: whoever runs us starts us again
        ("redis://:sesame@127.0.0.1/x", "number of a Redis database", 2),
    ):
        command = [*KONTOR, "lobby", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"), "--store", store]
        done = run(command, cwd=ROOT, text=True, timeout=60)
        assert done.returncode == code and words in done.stderr
        assert "sesame" not in done.stderr + done.stdout and "Traceback" not in done.stderr


def test_a_node_that_stops_while_it_calls_its_lobby_ends_in_order(tmp_path: Path) -> None:
    reactor = MemoryReactorClock()
    book = LobbyBook(tmp_path)
    client = LobbyClient(reactor, Identity.generate(), book, "127.0.0.1:9", "Caller", 4000, None)  # type: ignore[arg-type]
    client.start()
    assert reactor.tcpClients
    assert client.stop().called


def test_a_node_that_stops_while_its_lobby_hangs_ends_all_the_same(tmp_path: Path) -> None:
    reactor, cut = MemoryReactorClock(), []
    book = LobbyBook(tmp_path)
    client: Any = LobbyClient(reactor, Identity.generate(), book, "127.0.0.1:9", "Caller", 4000, None)  # type: ignore[arg-type]

    def abort() -> None:
        cut.append(True)
        client._lost("aborted", False)

    client._link = SimpleNamespace(close=lambda: None, abort=abort)
    stopped = client.stop()
    reactor.advance(CLOSING_TIME)
    assert cut == [True] and stopped.called


def test_a_stopped_lobby_on_redis_can_still_be_managed(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as server:
        lobby = SharedLobby(tmp_path, server, 1)
        lobby.stop()
        command = [*KONTOR, "lobby", "--data", str(tmp_path / "data"), "--store", server.url, "admin"]
        key = "ab" * 32
        for words in (["ban", key, "--reason", "a test"], ["sanctions"]):
            done = run([*command, *words], cwd=ROOT, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
        assert "a test" in done.stdout


def test_operators_reach_every_process_on_a_machine_and_read_which_live(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as server, shared_lobby(tmp_path, server, 2):
        command = [*KONTOR, "lobby", "--data", str(tmp_path / "data"), "--store", server.url, "admin"]

        def told(*words: str) -> str:
            done = run([*command, *words], cwd=ROOT, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
            return str(done.stdout)

        assert told("status").splitlines()[-1].split() == ["2", "processes:", "p0,", "p1"]
        settings = tmp_path / "lobby.toml"
        settings.write_text(f'title = "New"\n{settings.read_text()}')
        assert told("reload").splitlines() == ["p0: taken over: title", "p1: taken over: title"]
        settings.write_text(f"titel = 3\n{settings.read_text()}")
        refused = run([*command, "reload"], cwd=ROOT, text=True, timeout=60)
        assert refused.returncode == 2 and refused.stderr.count("did you mean title?") == 2
