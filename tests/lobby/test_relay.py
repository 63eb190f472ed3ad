"""The blind relay over real sockets: tokens, pipes, back-pressure, quotas, and that only TLS runs through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.lobby.model.records import RELAY_USE
from kontor_games.lobby.server.relay import ACCEPTED, NOTE_SECONDS, REFUSED, Relay, RelayEnd
from kontor_games.lobby.settings.config import Config, RelaySettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.links.tls import ConnectionCreator
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.lobby_messages import (
    MakeTable,
)
from kontor_games.net.wire.messages import Enter
from kontor_games.net.wire.way_messages import (
    AskRelay,
    RelayPass,
    Signal,
)
from tests.worlds.lobby_hall import Node, Party, party, pause, the_reactor

UNBOUND = ("bytes_per_second", "bytes_burst", "bytes_per_day", "total_bytes_per_second")


class Pipe(Protocol):
    """One end of a relayed connection."""

    def __init__(self) -> None:
        self.got = bytearray()
        self.is_lost = False
        self._waiting: list[tuple[int, Deferred[bytes]]] = []

    def dataReceived(self, data: bytes) -> None:
        self.got += data
        self._look()

    def connectionLost(self, reason: Any = None) -> None:
        self.is_lost = True
        self._look()

    async def read(self, size: int) -> bytes:
        """So many bytes, or what came before the end."""
        waiting: Deferred[bytes] = Deferred()
        self._waiting.append((size, waiting))
        self._look()
        return await waiting.addTimeout(20, the_reactor())

    def _look(self) -> None:
        while self._waiting and (self.is_lost or len(self.got) >= self._waiting[0][0]):
            size, waiting = self._waiting.pop(0)
            data = bytes(self.got[:size])
            del self.got[:size]
            waiting.callback(data)


async def dial(it: Party, token: bytes, source: str = "127.0.0.1") -> Pipe:
    endpoint = TCP4ClientEndpoint(the_reactor(), "127.0.0.1", it.port, bindAddress=(source, 0))
    pipe = await connectProtocol(endpoint, Pipe())
    pipe.transport.write(b"KRL1" + token)
    return pipe


@asynccontextmanager
async def pair(**settings: Any) -> AsyncIterator[tuple[Party, Node, Node, str]]:
    """Two members of one table at a lobby with these relay settings."""
    config = Config(hall_every=0.05, relay=RelaySettings(**settings))
    async with party(config=config) as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        await ben.ask(Enter(table))
        yield it, anna, ben, table


async def passes(anna: Node, ben: Node, table: str) -> tuple[RelayPass, RelayPass]:
    before = len(ben.events)
    mine = await anna.ask(AskRelay(table, ben.identity.key))
    theirs = await ben.hears(RelayPass, lambda event: event in ben.events[before:])
    return mine, theirs


async def joined(it: Party, anna: Node, ben: Node, table: str, source: str = "127.0.0.1") -> tuple[Pipe, Pipe]:
    mine, theirs = await passes(anna, ben, table)
    one, other = await dial(it, mine.token, source), await dial(it, theirs.token, source)
    assert await one.read(1) == ACCEPTED and await other.read(1) == ACCEPTED
    return one, other


@ensureDeferred
async def test_both_sides_get_different_tokens_and_bytes_pass_unchanged_in_both_directions() -> None:
    async with pair() as (it, anna, ben, table):
        mine, theirs = await passes(anna, ben, table)
        assert mine.token != theirs.token and mine.is_server != theirs.is_server
        assert (mine.peer, theirs.peer) == (ben.identity.key, anna.identity.key)
        one, other = await dial(it, mine.token), await dial(it, theirs.token)
        assert await one.read(1) == ACCEPTED and await other.read(1) == ACCEPTED
        blob = bytes(range(256)) * 4096
        one.transport.write(blob)
        other.transport.write(blob[::-1])
        assert await other.read(len(blob)) == blob
        assert await one.read(len(blob)) == blob[::-1]
        one.transport.loseConnection()
        await other.read(1)
        assert other.is_lost
        await pause(0.05)
        assert it.count("relay_bytes_total") == 2 * len(blob)
        assert it.count("relay_pairs") == 0


class Inside(Protocol):
    """What a node speaks inside TLS."""

    def __init__(self) -> None:
        self.got: Deferred[bytes] = Deferred()

    def accepts_key(self, key: bytes | None) -> bool:
        return True

    def dataReceived(self, data: bytes) -> None:
        self.got.callback(data)


@ensureDeferred
async def test_the_relay_sees_tls_and_nothing_of_what_is_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = bytearray()
    pass_on = RelayEnd.dataReceived

    def listen_in(end: RelayEnd, data: bytes) -> None:
        seen.extend(data)
        pass_on(end, data)

    async with pair() as (it, anna, ben, table):
        mine, theirs = await passes(anna, ben, table)
        ends = [await dial(it, mine.token), await dial(it, theirs.token)]
        assert [await end.read(1) for end in ends] == [ACCEPTED, ACCEPTED]
        monkeypatch.setattr(RelayEnd, "dataReceived", listen_in)
        insides = []
        for end, node, ticket in zip(ends, (anna, ben), (mine, theirs), strict=True):
            creator = ConnectionCreator(node.identity)
            factory = TLSMemoryBIOFactory(creator, not ticket.is_server, Factory.forProtocol(Inside))
            tls = factory.buildProtocol(None)
            end.dataReceived = tls.dataReceived
            tls.makeConnection(end.transport)
            insides.append(tls.wrappedProtocol)
        secret = pack_frame(b"a frame of the match " * 20)
        insides[0].transport.write(secret)
        insides[1].transport.write(secret)
        assert await insides[1].got == secret and await insides[0].got == secret
        assert len(seen) > 2 * len(secret) and b"a frame of the match" not in seen
        assert {seen[0]} == {0x16}  # a TLS handshake record
        ends[0].transport.abortConnection()
        await pause(0.05)


@ensureDeferred
async def test_a_token_works_once_and_a_guessed_one_never() -> None:
    async with pair() as (it, anna, ben, table):
        guessed = await dial(it, b"\0" * 32)
        assert await guessed.read(1) == REFUSED
        mine, _ = await passes(anna, ben, table)
        first, second = await dial(it, mine.token), await dial(it, mine.token)
        assert await second.read(1) == REFUSED
        assert it.count("relay_refused_total", reason="token") == 2
        first.transport.loseConnection()
        await first.read(1)


@ensureDeferred
async def test_only_members_of_one_table_get_a_token_for_each_other() -> None:
    async with pair() as (it, anna, ben, table):
        cleo = await it.node("Cleo")
        for node, peer in ((cleo, anna), (anna, cleo), (anna, anna)):
            with pytest.raises(LobbyRefused):
                await node.ask(AskRelay(table, peer.identity.key))
            with pytest.raises(LobbyRefused):
                await node.ask(Signal(table, peer.identity.key, b"x"))
        await anna.ask(Signal(table, ben.identity.key, b"candidates"))
        heard = await ben.hears(Signal)
        assert (heard.peer, heard.data) == (anna.identity.key, b"candidates")


@ensureDeferred
async def test_a_reader_that_stops_holds_its_sender_back_instead_of_filling_the_memory() -> None:
    async with pair(**dict.fromkeys(UNBOUND, 10**9)) as (it, anna, ben, table):
        one, other = await joined(it, anna, ben, table)
        other.transport.pauseProducing()
        sent = 16 * 1024 * 1024
        one.transport.write(bytes(sent))
        for _ in range(40):
            await pause(0.02)
        kept = sum(
            sum(map(len, end.transport._tempDataBuffer)) + len(end.transport.dataBuffer)
            for pair_ in it.lobby.relay._pairs
            for end in pair_.ends
            if end is not None
        )
        assert kept < 1024 * 1024
        other.transport.resumeProducing()
        assert len(await other.read(sent)) == sent
        one.transport.loseConnection()
        await other.read(1)


@ensureDeferred
async def test_a_key_is_slowed_down_to_its_rate_and_cut_at_its_quota() -> None:
    settings = {"bytes_per_second": 500_000, "bytes_burst": 200_000, "bytes_per_day": 1_200_000}
    async with pair(**settings) as (it, anna, ben, table):
        one, other = await joined(it, anna, ben, table)
        begun = the_reactor().seconds()
        one.transport.write(bytes(1_000_000))
        await other.read(1_000_000)
        assert the_reactor().seconds() - begun > 1.0  # 800 kB over the burst at 500 kB/s, less what is counted late
        one.transport.write(bytes(800_000))
        await other.read(800_000)
        assert other.is_lost
        assert it.count("relay_refused_total", reason="quota") == 1
        await pause(0.05)
        with pytest.raises(LobbyRefused) as refused:
            await anna.ask(AskRelay(table, ben.identity.key))
        assert refused.value.code == "relay-quota"
        await one.read(1)


@ensureDeferred
async def test_pairs_that_wait_or_idle_too_long_and_strangers_without_a_token_are_ended() -> None:
    async with pair(wait_time=0.3, idle_time=0.5) as (it, anna, ben, table):
        mine, _ = await passes(anna, ben, table)
        alone = await dial(it, mine.token)
        stranger = await dial(it, b"")
        one, other = await joined(it, anna, ben, table)
        assert await alone.read(1) == b"" and alone.is_lost
        await stranger.read(2)
        assert stranger.is_lost
        await one.read(1)
        await other.read(1)
        assert one.is_lost and other.is_lost
        assert it.count("relay_refused_total", reason="idle") == 1
        assert it.count("relay_refused_total", reason="nobody-came") == 1
        assert it.count("relay_refused_total", reason="silent") >= 1
        assert not it.lobby.relay._pairs and not it.lobby.relay._tokens and not it.lobby.relay._per_key


@ensureDeferred
async def test_the_number_of_pairs_is_bounded_per_key() -> None:
    async with pair(max_pairs_per_key=2) as (_, anna, ben, table):
        for _ in range(2):
            await anna.ask(AskRelay(table, ben.identity.key))
        with pytest.raises(LobbyRefused) as refused:
            await anna.ask(AskRelay(table, ben.identity.key))
        assert refused.value.code == "relay-full"


@ensureDeferred
async def test_passes_count_against_whoever_asks_so_that_nobody_denies_another_the_relay() -> None:
    """B5: somebody who merely entered the table asked for passes to a victim until the victim got none."""
    async with pair(max_pairs_per_key=3) as (it, anna, ben, table):
        mallory = await it.node("Mallory")
        await mallory.ask(Enter(table))
        for _ in range(3):
            await mallory.ask(AskRelay(table, anna.identity.key))
        with pytest.raises(LobbyRefused):
            await mallory.ask(AskRelay(table, anna.identity.key))
        await joined(it, anna, ben, table)
        await joined(it, ben, anna, table)
        for node in (anna, ben):
            await node.leave()


def test_passes_that_nobody_came_for_make_room_by_network_and_those_at_work_stay() -> None:
    clock = Clock()
    noted: list[tuple[bytes, int]] = []
    relay = Relay(clock, RelaySettings(max_passes=20), Metrics(), lambda key, size: noted.append((key, size)))

    def ask(number: int, host: str) -> bytes:
        return relay.expect(number.to_bytes(32, "big"), b"victim" * 5 + b"xx", (10**9, 10**9), host)[0]

    for number in range(100):  # ten networks, a hundred keys
        ask(number, f"10.0.{number % 10}.{number}")
        clock.advance(0.4)
    honest = ask(1000, "203.0.113.1"), ask(1001, "10.0.3.250")  # the second shares a network with the flood
    for number in range(100, 112):  # within the grace of a pass
        ask(number, f"10.0.{number % 10}.{number}")
        clock.advance(0.4)
    assert len(relay._passes) == 20
    assert all(token in relay._tokens for token in honest)
    assert len(relay._tokens) == 2 * len(relay._pairs) == 40 and relay._asked.total() == 20
    clock.advance(60)
    relay.sweep(clock.seconds())
    assert not relay._tokens and not relay._pairs and not relay._asked and not relay._per_key and not noted


@ensureDeferred
async def test_when_all_pairs_are_taken_the_network_that_has_most_gives_one() -> None:
    async with pair(max_pairs=2) as (it, anna, ben, table):
        one, other = await joined(it, anna, ben, table)
        three, four = await joined(it, anna, ben, table)  # both of the network 127.0.0.0/24
        cleo = await it.node("Cleo", source="127.7.0.1")
        await cleo.ask(Enter(table))
        five, _ = await joined(it, cleo, anna, table)
        assert await three.read(1) == b"" and three.is_lost
        assert it.count("relay_refused_total", reason="crowded-out") == 1
        one.transport.write(b"still here")
        assert await other.read(10) == b"still here"
        one.transport.loseConnection()
        five.transport.loseConnection()
        await other.read(1)
        await four.read(1)
        await pause(0.05)
        assert it.count("relay_pairs") == 0 and not it.lobby.relay._joined


@ensureDeferred
async def test_a_network_that_hogs_the_relay_leaves_the_others_their_share() -> None:
    """Six pairs of six keys of one network send all they can; one honest pair gets half of what there is."""
    rate = 600_000
    async with pair(total_bytes_per_second=rate, max_pairs_per_key=20) as (it, anna, ben, table):
        hogs = [await it.node(f"Hog {number}", source="127.9.9.9") for number in range(6)]
        ends: list[Pipe] = []
        for hog in hogs:
            await hog.ask(Enter(table))
            ends += await joined(it, hog, anna, table, "127.9.9.9")
        for end in ends[::2]:
            end.transport.write(bytes(8_000_000))
        one, other = await joined(it, anna, ben, table)
        await pause(1.0)  # the burst is used up
        begun = the_reactor().seconds()
        one.transport.write(bytes(600_000))
        assert len(await other.read(600_000)) == 600_000
        took = the_reactor().seconds() - begun
        assert took < 600_000 / rate * 4, "an equal share by key would take seven times as long as alone"
        for end in (*ends, one, other):
            end.transport.abortConnection()
        await pause(0.1)


@ensureDeferred
async def test_bytes_are_counted_as_they_flow_and_not_at_the_end() -> None:
    async with pair() as (it, anna, ben, table):
        one, other = await joined(it, anna, ben, table)
        one.transport.write(b"x" * 5000)
        await other.read(5000)
        it.lobby.relay.sweep(the_reactor().seconds())
        assert it.count("relay_bytes_total") == 5000 and it.count("relay_pairs") == 1
        it.lobby.relay._noted_at -= NOTE_SECONDS  # a while later the day's quota knows it too
        it.lobby.relay.sweep(the_reactor().seconds())
        await pause(0.01)
        found = await it.lobby.store.get(RELAY_USE.name, anna.identity.key.hex())
        assert found is not None and RELAY_USE.decode(found.data).used == 5000
        one.transport.loseConnection()
        await other.read(1)


@ensureDeferred
async def test_a_lobby_without_a_relay_says_so() -> None:
    async with pair(enabled=False) as (_, anna, ben, table):
        with pytest.raises(LobbyRefused) as refused:
            await anna.ask(AskRelay(table, ben.identity.key))
        assert refused.value.code == "no-relay"


def test_settings_can_be_changed_one_by_one() -> None:
    assert replace(Config(), relay=RelaySettings(enabled=False)).relay.wait_time == RelaySettings().wait_time
