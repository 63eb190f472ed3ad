"""Strangers and members who misbehave: each is cut with a counted reason, and nobody else notices."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.settings.config import Config, LimitSettings, RateSetting
from kontor_games.net.lobbies.lobby_talk import LobbyTalk, WriteTalk
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.lobby_messages import (
    HALL_PLACE,
    MAX_REQUEST,
    MakeTable,
    Notice,
    Recall,
    Request,
    Say,
    SignIn,
    WatchHall,
    encode,
)
from kontor_games.net.wire.messages import Ping
from tests.worlds.lobby_hall import ROOMY, Node, Party, party, pause, the_reactor


class Stranger(Protocol):
    """A connection that does whatever the test wants."""

    def __init__(self) -> None:
        self.lost: Deferred[None] = Deferred()

    def connectionLost(self, reason: Any = None) -> None:
        self.lost.callback(None)


async def stranger(it: Party, data: bytes = b"", source: str = "127.0.0.2") -> Stranger:
    endpoint = TCP4ClientEndpoint(the_reactor(), "127.0.0.1", it.port, bindAddress=(source, 0))
    protocol = await connectProtocol(endpoint, Stranger())
    if data:
        protocol.transport.write(data)
    return protocol


async def is_cut(protocol: Stranger) -> None:
    await protocol.lost.addTimeout(10, the_reactor())


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 100,
        b"SSH-2.0-x\r\n",
        b"KRL0" + b"x" * 32,
        b"\x16" + b"x" * 8192,  # no TLS greeting is as long as that
        b"\x8f\xe9m\xbd\xb0\x86wB@\xdeI\xee\xbf\x8d\xf5\x05" * 4,  # fixed: parallel workers must collect the same tests
    ],
)
@ensureDeferred
async def test_what_is_neither_tls_nor_a_relay_token_is_cut_at_its_first_bytes(data: bytes) -> None:
    async with party() as it:
        await is_cut(await stranger(it, data))
        await pause(0.01)
        assert it.count("turned_away_total", reason="garbage") == 1
        assert it.lobby.door.open == 0 and not it.lobby.connections


@ensureDeferred
async def test_garbage_inside_the_handshake_and_silence_before_it_end() -> None:
    async with party(limits=replace(ROOMY, sign_in_time=0.3)) as it:
        await is_cut(await stranger(it, b"\x16\x03\x01\x00\x40" + b"\xff" * 64))
        silent = await stranger(it)
        half = await stranger(it, b"\x16\x03\x01\x02")
        await is_cut(silent)
        await is_cut(half)
        await pause(0.01)
        assert it.lobby.door.open == 0 and not it.lobby.connections
        assert it.count("turned_away_total", reason="silent") == 1
        assert it.count("cut_total", reason="no-sign-in") == 1


@ensureDeferred
async def test_a_newcomer_gets_in_while_strangers_hold_every_place_and_keep_coming() -> None:
    """B3: of another network, of the attackers' network, and behind an attacker's own address."""
    async with party(limits=replace(ROOMY, max_unsigned=8)) as it:
        crowd = [await stranger(it, source=f"127.1.{number % 4}.9") for number in range(16)]
        await pause(0.02)
        assert len(it.lobby.door.strangers) == it.lobby.door.open == 8
        assert it.count("turned_away_total", reason="crowded-out") == 8
        for name, source in (("Anna", "127.200.0.1"), ("Ben", "127.1.0.77"), ("Cleo", "127.1.0.9")):
            await it.node(name, source=source)
            crowd.append(await stranger(it, source="127.1.1.9"))
        assert len(it.lobby.door.strangers) <= 8
        for protocol in crowd:
            protocol.transport.abortConnection()
            await is_cut(protocol)


@ensureDeferred
async def test_one_address_may_hold_every_place_when_nobody_else_wants_one() -> None:
    async with party(limits=replace(ROOMY, max_unsigned=100)) as it:
        crowd = [await stranger(it) for _ in range(100)]
        await pause(0.05)
        assert it.lobby.door.open == 100
        for protocol in crowd:
            protocol.transport.abortConnection()
            await is_cut(protocol)


@ensureDeferred
async def test_when_all_places_of_residents_are_taken_the_largest_network_gives_and_is_told() -> None:
    async with party(limits=replace(ROOMY, max_connections=4)) as it:
        waiting = await it.node("Host", source="127.1.0.1")
        crowd = [await it.node(f"Crowd {number}", source="127.2.0.1") for number in range(3)]
        anna = await it.node("Anna", source="127.3.0.1")
        assert "your network holds the most places" in (await crowd[2].hears(Notice)).text
        await crowd[2].is_cut()
        neighbour = await it.node("Neighbour", source="127.2.0.99")  # another household of the crowd's network
        await crowd[1].is_cut()
        late = Node("Late")
        it.nodes.append(late)
        with pytest.raises(RemoteError, match="full"):
            await late.come(it.port, it.lobby.key, "127.2.0.1")
        for node in (waiting, anna, neighbour, crowd[0]):
            await node.ask(Recall(HALL_PLACE))


@ensureDeferred
async def test_handshakes_beyond_the_rate_wait_in_turn_by_address() -> None:
    async with party(limits=replace(ROOMY, handshakes=RateSetting(20, 1))) as it:
        crowd = [await stranger(it, b"\x16", source="127.0.0.2") for _ in range(40)]
        await pause(0.05)
        begun = the_reactor().seconds()
        await it.node("Anna", source="127.0.0.9")
        # 40 were first and would take two seconds; in turn by address Anna is the second or third
        assert the_reactor().seconds() - begun < 1.0
        for protocol in crowd:
            protocol.transport.abortConnection()
            await is_cut(protocol)


class Raw(Node):
    """A signed-in node that can send any bytes."""

    def write(self, data: bytes) -> None:
        assert self.link is not None
        self.link.transport.write(data)


async def raw(it: Party, name: str) -> Raw:
    node = Raw(name)
    it.nodes.append(node)
    await node.come(it.port, it.lobby.key)
    return node


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ((2**31).to_bytes(4, "big") + b"\x01\x00", "malformed"),
        ((70_000).to_bytes(4, "big") + b"\x01\x00" + b"x" * 100, "malformed"),
        ((MAX_REQUEST + 3).to_bytes(4, "big") + b"\x01\x00", "malformed"),  # longer than any request
        ((9_000).to_bytes(4, "big") + b"\x01\x01" + b"x" * 100, "malformed"),  # bulk, which no node sends to a lobby
        (b"\x00\x00\x00\x06\x09\x00abcd", "malformed"),
        (pack_frame(b"\xc1"), "malformed"),
        (pack_frame(b"\x91" * 5000), "malformed"),
        (pack_frame(b"\x81\xa1t\xa4nope"), "malformed"),
        (pack_frame(encode(SignIn(1, b"k" * 32, "Anna", b"s" * 64))), "malformed"),
        (pack_frame(encode(Request(1, Say("hall", "x" * 500)))[:-3]), "malformed"),
    ],
)
@ensureDeferred
async def test_malformed_and_giant_messages_end_that_connection_alone(data: bytes, reason: str) -> None:
    async with party() as it:
        other, node = await it.node("Ben"), await raw(it, "Anna")
        node.write(data)
        await node.is_cut()
        assert it.count("cut_total", reason=reason) == 1
        await other.ask(Recall(HALL_PLACE))


@pytest.mark.parametrize("body", [encode(Ping(1)), encode(Request(1, Recall(HALL_PLACE))), b"x" * 2000])
@ensureDeferred
async def test_before_the_sign_in_nothing_but_a_sign_in_is_taken_and_nothing_is_told(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with party() as it:
        talker = await it.node("Ben")
        monkeypatch.setattr(LobbyTalk, "_sign_in", lambda talk, welcome: [WriteTalk(pack_frame(body))])
        node = Node("Eve")
        it.nodes.append(node)
        come = Deferred.fromCoroutine(node.come(it.port, it.lobby.key))
        await talker.ask(Say(HALL_PLACE, "a secret"))
        with pytest.raises(RemoteError):
            await come
        assert node.events == []
        assert it.count("cut_total", reason="malformed") == 1


@ensureDeferred
async def test_a_node_that_does_not_read_is_cut_when_too_much_waits_for_it() -> None:
    async with party(limits=replace(ROOMY, outbox_bytes=100_000, lists=RateSetting(10_000, 10_000))) as it:
        talker, node = await it.node("Ben"), await raw(it, "Anna")
        for _ in range(7):
            await talker.ask(Say(HALL_PLACE, "ж" * 500))
        node.link.transport.pauseProducing()
        for number in range(2, 2000):
            node.write(pack_frame(encode(Request(number, Recall(HALL_PLACE)))))
        for _ in range(200):
            await pause(0.02)
            if it.count("cut_total", reason="slow-reader"):
                break
        assert it.count("cut_total", reason="slow-reader") == 1
        node.link.transport.resumeProducing()
        await node.is_cut()


@ensureDeferred
async def test_a_node_that_stops_reading_for_long_or_says_nothing_is_cut() -> None:
    config = Config(hall_every=0.02)
    async with party(config=config, limits=replace(ROOMY, stall_time=0.5, ping_every=0.4)) as it:
        node = await raw(it, "Anna")
        assert node.link is not None and node.link._timer is not None
        node.link._timer.cancel()  # no pings
        node.link._timer = None
        await node.is_cut()
        assert it.count("cut_total", reason="silent") == 1


@ensureDeferred
async def test_messages_beyond_the_rate_are_slowed_down_and_all_answered() -> None:
    async with party(limits=replace(ROOMY, messages=RateSetting(100, 20))) as it:
        node = await it.node("Anna")
        await node.ask(WatchHall(False))
        begun = the_reactor().seconds()
        answers = [node.link.ask(WatchHall(False)) for _ in range(60)]
        for answer in answers:
            await answer
        assert 0.3 < the_reactor().seconds() - begun < 3
        assert it.count("throttled_total", reason="messages") > 5


@ensureDeferred
async def test_a_flood_of_one_kind_leaves_the_tables_of_others_alone() -> None:
    limits = LimitSettings(handshakes=ROOMY.handshakes)
    async with party(limits=limits) as it:
        node = await it.node("Anna")
        outcomes = []
        for _ in range(12):
            try:
                await node.ask(MakeTable("osaka", {}, 2))
                outcomes.append("made")
            except RemoteError as error:
                outcomes.append(getattr(error, "code", "?"))
        assert outcomes[:5] == ["made"] * 5 and set(outcomes[5:]) == {"too-fast"}
        other = await it.node("Ben")
        await other.ask(MakeTable("osaka", {}, 2))
