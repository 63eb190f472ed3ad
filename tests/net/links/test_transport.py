"""Links over real TLS on loopback: who gets in, who does not, and that nothing is left of those who do not."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from OpenSSL import SSL
from pytest_twisted import ensureDeferred
from twisted.internet import defer, ssl
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.logger import globalLogPublisher
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.engine.errors import RemoteError
from kontor_games.net.links.limits import LinkLimits
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.links.tls import make_certificate
from kontor_games.net.wire.address import parse_address
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import Identity, fingerprint
from kontor_games.net.wire.messages import Error, Hello, MatchTalk, Ping, Spectate, Unspectate, encode
from tests.worlds.doubles import Recorder, identity

PATIENT = LinkLimits()  # nothing that goes well may depend on how busy the machine is
HASTY = LinkLimits(handshake=0.6, ping_every=0.2, silence=1.0)  # for tests that wait for the end of somebody's patience
NO_MATCH = b"m" * 32


def big(raw: bytes, count: int) -> MatchTalk:
    """A message that needs the bulk channel."""
    return MatchTalk(NO_MATCH, raw * count)


def the_reactor() -> Any:
    from twisted.internet import reactor

    return reactor


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The reasons that the node logged."""
    lines: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if str(event.get("log_namespace", "")).startswith("kontor."):
            lines.append(str(event["log_format"]).format(**event))

    globalLogPublisher.addObserver(note)
    yield lines
    globalLogPublisher.removeObserver(note)


class Nodes:
    """Meshes of one test, all stopped at its end."""

    def __init__(self) -> None:
        self._meshes: list[Mesh] = []

    async def start(
        self, who: Identity, limits: LinkLimits = PATIENT, port: int = 0, **more: Any
    ) -> tuple[Mesh, Recorder, int]:
        recorder = Recorder()
        mesh = Mesh(the_reactor(), who, recorder, limits=limits, **more)
        self._meshes.append(mesh)
        listening = await mesh.listen(TCP4ServerEndpoint(the_reactor(), port, interface="127.0.0.1"))
        return mesh, recorder, listening.getHost().port

    async def stop(self) -> None:
        await defer.gatherResults([mesh.stop().addTimeout(10, the_reactor()) for mesh in self._meshes])


@asynccontextmanager
async def nodes() -> AsyncIterator[Nodes]:
    running = Nodes()
    try:
        yield running
    finally:
        await running.stop()


class Probe(Protocol):
    """Something that is not a node: sends what it likes and notes what becomes of it."""

    def __init__(self, first: bytes = b"") -> None:
        self.first = first
        self.data = b""
        self.is_closed: defer.Deferred[None] = defer.Deferred()

    def connectionMade(self) -> None:
        if self.first:
            self.transport.write(self.first)  # type: ignore[union-attr]

    def dataReceived(self, data: bytes) -> None:
        self.data += data

    def connectionLost(self, reason: Any = None) -> None:
        self.is_closed.callback(None)


def tls_for(who: Identity) -> ssl.CertificateOptions:
    """TLS as a node does it, but accepting any listener."""
    options = ssl.CertificateOptions(
        privateKey=who.private,
        certificate=make_certificate(who),
        raiseMinimumTo=ssl.TLSVersion.TLSv1_3,
    )
    options.getContext().set_verify(SSL.VERIFY_PEER, lambda *_: True)
    return options


async def call(port: int, probe: Probe, options: Any = None) -> Probe:
    """Connect a probe to a node, through TLS if options are given."""
    endpoint: Any = TCP4ClientEndpoint(the_reactor(), "127.0.0.1", port)
    if options is None:
        await connectProtocol(endpoint, probe)
    else:
        from twisted.internet.protocol import Factory

        await endpoint.connect(TLSMemoryBIOFactory(options, True, Factory.forProtocol(lambda: probe)))
    return probe


def gone(probe: Probe, seconds: float = 5) -> defer.Deferred[None]:
    return probe.is_closed.addTimeout(seconds, the_reactor())


ANN, BEN, EVE = identity(1), identity(2), identity(3)
HELLO = pack_frame(encode(Hello(versions=(1,), nonce=b"n" * 16)))


@ensureDeferred
async def test_right_pins_talk_in_both_directions() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
        await ben_saw.until(lambda: ben_saw.linked == [ANN.key])
        assert ann.send(BEN.key, Spectate(NO_MATCH))
        assert ben.send(ANN.key, Unspectate(NO_MATCH))
        await ben_saw.until(lambda: ben_saw.received == [(ANN.key, Spectate(NO_MATCH))])
        await ann_saw.until(lambda: ann_saw.received == [(BEN.key, Unspectate(NO_MATCH))])
        assert not ann.send(EVE.key, Spectate(NO_MATCH))


@ensureDeferred
async def test_round_trips_are_measured_and_shown() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN, replace(PATIENT, ping_every=0.02))
        ben, ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: bool(ann_saw.linked))
        await ben_saw.until(lambda: bool(ben_saw.linked))
        # Ben's answers to a second ping after his own message show that the first pong has come.
        ben.send(ANN.key, Spectate(NO_MATCH))
        await ann_saw.until(lambda: bool(ann_saw.received))
        ann.send(BEN.key, Spectate(NO_MATCH))
        await ben_saw.until(lambda: bool(ben_saw.received))
        ben.send(ANN.key, Unspectate(NO_MATCH))
        await ann_saw.until(lambda: len(ann_saw.received) == 2)
        (link,) = ann.links()
        assert (link.peer, link.address, link.dialled) == (BEN.key, f"127.0.0.1:{port}", True)
        assert link.round_trip is not None and 0 < link.round_trip < 5


def readable(mesh: Mesh) -> int:
    """How many bytes the kernel holds for the only link of this mesh."""
    (link,) = mesh._open.values()
    try:
        return len(link.transport.transport.socket.recv(1 << 16, socket.MSG_PEEK))  # type: ignore[union-attr]
    except BlockingIOError:
        return 0


@ensureDeferred
async def test_what_is_pushed_is_on_its_way_before_the_reactor_turns() -> None:
    async with nodes() as running:
        ben, ben_saw, port = await running.start(BEN, why_not_stranger=lambda key: None)
        ann, ann_saw, _ = await running.start(ANN)
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        for saw in (ann_saw, ben_saw):
            await saw.until(lambda saw=saw: bool(saw.linked))  # type: ignore[misc]
        before = readable(ben)
        for _ in range(2):
            assert ann.send(BEN.key, Spectate(NO_MATCH))
        assert readable(ben) == before, "small writes are gathered"
        ann.push()
        gathered = readable(ben)
        assert gathered >= before + 2 * len(pack_frame(encode(Spectate(NO_MATCH))))
        ann.push()
        assert readable(ben) == gathered, "nothing is sent twice"
        await ben_saw.until(lambda: ben_saw.received == 2 * [(ANN.key, Spectate(NO_MATCH))])
        ann.send(BEN.key, Unspectate(NO_MATCH))
        ann.disconnect(BEN.key, "enough")
        ann.push()  # a link that is being closed has sent what was written, and closes
        await ben_saw.until(lambda: (ANN.key, Unspectate(NO_MATCH)) in ben_saw.received)
        await ben_saw.until(lambda: bool(ben_saw.lost))


@ensureDeferred
async def test_a_big_message_crosses_in_one_piece() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: bool(ann_saw.linked))
        chunk = big(os.urandom(60_000), 6)
        for _ in range(20):
            assert ann.send(BEN.key, chunk)
        await ben_saw.until(lambda: len(ben_saw.received) == 20)
        assert all(message == chunk for _, message in ben_saw.received)


@ensureDeferred
async def test_a_listener_refuses_a_key_it_does_not_expect(log: list[str]) -> None:
    async with nodes() as running:
        _, ben_saw, port = await running.start(BEN)
        eve, eve_saw, _ = await running.start(EVE)
        eve.want(BEN.key, [f"127.0.0.1:{port}"])
        await until_logged(log, "nobody here expects this key")
        await until_logged(log, "the other side refused our key")
        assert eve_saw.linked == [] and ben_saw.linked == []


@ensureDeferred
async def test_a_dialler_refuses_a_listener_with_another_key(log: list[str]) -> None:
    async with nodes() as running:
        _eve, eve_saw, port = await running.start(EVE, why_not_stranger=lambda key: None)
        ann, ann_saw, _ = await running.start(ANN)
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await until_logged(log, "whom we dialled")
        assert ann_saw.linked == [] and eve_saw.linked == []


@ensureDeferred
async def test_a_node_does_not_link_to_itself(log: list[str]) -> None:
    async with nodes() as running:
        _, saw, port = await running.start(ANN, why_not_stranger=lambda key: None)
        twin, twin_saw, _ = await running.start(ANN)
        twin.want(BEN.key, [f"127.0.0.1:{port}"])
        await until_logged(log, "it has our own key")
        assert saw.linked == [] and twin_saw.linked == []


async def until_logged(log: list[str], text: str) -> None:
    await until(lambda: any(text in line for line in log))


def until(condition: Callable[[], bool], seconds: float = 8) -> Awaitable[None]:
    """Looks again at every turn of the reactor's timer; for facts that nobody announces."""
    from twisted.internet.task import LoopingCall

    def look() -> None:
        if condition():
            loop.stop()

    loop = LoopingCall(look)
    loop.clock = the_reactor()
    done = loop.start(0.01)

    def late(_: Any, seconds: float) -> Any:
        loop.running and loop.stop()
        raise AssertionError(f"not within {seconds} s")

    return done.addCallback(lambda _: None).addTimeout(seconds, the_reactor(), onTimeoutCancel=late)


@pytest.mark.parametrize(
    "text", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 64, b"SSH-2.0-x\r\n", b"\x8f\xe9m\xbd" * 64]
)
@ensureDeferred
async def test_a_plain_text_probe_is_closed_with_a_reason(text: bytes, log: list[str]) -> None:
    async with nodes() as running:
        _, saw, port = await running.start(ANN, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(text))
        await gone(probe)
        await until_logged(log, "ended:")
        assert saw.linked == []


@ensureDeferred
async def test_a_half_open_connection_is_closed_after_the_handshake_time(log: list[str]) -> None:
    async with nodes() as running:
        _, _, port = await running.start(ANN, HASTY, why_not_stranger=lambda key: None)
        probe = await call(port, Probe())
        await gone(probe)
        await until_logged(log, "no TLS handshake within 0.6 s")


@ensureDeferred
async def test_tls_without_a_hello_is_closed_after_the_handshake_time(log: list[str]) -> None:
    async with nodes() as running:
        _, saw, port = await running.start(ANN, HASTY, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(), tls_for(EVE))
        await gone(probe)
        await until_logged(log, "no hello within 0.6 s")
        assert saw.linked == []


@ensureDeferred
async def test_a_client_without_a_certificate_is_refused(log: list[str]) -> None:
    async with nodes() as running:
        _, saw, port = await running.start(ANN, why_not_stranger=lambda key: None)
        options = ssl.CertificateOptions(raiseMinimumTo=ssl.TLSVersion.TLSv1_3)
        options.getContext().set_verify(SSL.VERIFY_NONE, lambda *_: True)
        await gone(await call(port, Probe(HELLO), options))
        await until_logged(log, "peer did not return a certificate")
        assert saw.linked == []


@ensureDeferred
async def test_tls_older_than_1_3_is_refused(log: list[str]) -> None:
    async with nodes() as running:
        _, saw, port = await running.start(ANN, why_not_stranger=lambda key: None)
        options = ssl.CertificateOptions(
            insecurelyLowerMinimumTo=ssl.TLSVersion.TLSv1_2, lowerMaximumSecurityTo=ssl.TLSVersion.TLSv1_2
        )
        options.getContext().set_verify(SSL.VERIFY_NONE, lambda *_: True)
        await gone(await call(port, Probe(HELLO), options))
        await until_logged(log, "not TLS 1.3")
        assert saw.linked == []


BAD_STREAMS = {
    "garbage instead of hello": (b"\xff" * 40, "link frame of version 255"),
    "another message before hello": (pack_frame(encode(Ping(1))), "Ping before Hello"),
    "a greeting too long": (
        (70_000).to_bytes(4, "big") + b"\x01\x00" + b"x" * 70_000,
        "link frame of 69998 bytes; at most 1024 are allowed here",
    ),
    "an oversized control frame": (
        HELLO + (70_000).to_bytes(4, "big") + b"\x01\x00" + b"x" * 9,
        "link frame of 69998 bytes; at most 65536",
    ),
    "an oversized bulk frame": (HELLO + (2**31).to_bytes(4, "big") + b"\x01\x01", "at most 524288"),
    "an empty frame": (HELLO + (2).to_bytes(4, "big") + b"\x01\x00", "link frame of 0 bytes"),
    "an unknown channel": (HELLO + (9).to_bytes(4, "big") + b"\x01\x07", "channel 7, which is not used here"),
    "no msgpack": (HELLO + pack_frame(b"\xc1\xc1"), "malformed message"),
    "a second hello": (HELLO + HELLO, "a second Hello"),
    "no common version": (pack_frame(encode(Hello(versions=(9,), nonce=b"n" * 16))), "has to be updated"),
}


@pytest.mark.parametrize("name", sorted(BAD_STREAMS))
@ensureDeferred
async def test_a_bad_stream_ends_its_link_with_a_reason(name: str, log: list[str]) -> None:
    stream, reason = BAD_STREAMS[name]
    async with nodes() as running:
        mesh, _, port = await running.start(ANN, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(stream), tls_for(EVE))
        await gone(probe)
        await until_logged(log, reason)
        assert mesh.linked == ()


@ensureDeferred
async def test_an_owner_that_objects_to_a_message_ends_that_link_only(log: list[str]) -> None:
    def object_to_all(peer: bytes, message: object) -> None:
        raise RemoteError("this message breaks a rule of the match")

    async with nodes() as running:
        _ann, ann_saw, port = await running.start(ANN, why_not_stranger=lambda key: None)
        ann_saw.on_message = object_to_all
        probe = await call(port, Probe(HELLO + pack_frame(encode(Spectate(NO_MATCH)))), tls_for(EVE))
        await gone(probe)
        await until_logged(log, "this message breaks a rule of the match")
        ben, ben_saw, _ = await running.start(BEN)
        ben.want(ANN.key, [f"127.0.0.1:{port}"])
        await ben_saw.until(lambda: ben_saw.linked == [ANN.key])


@ensureDeferred
async def test_a_flood_is_slowed_down_then_cut(log: list[str]) -> None:
    limits = replace(PATIENT, message_rate=200.0, message_burst=100.0, patience=0.5)
    async with nodes() as running:
        _, saw, port = await running.start(ANN, limits, why_not_stranger=lambda key: None)
        flood = HELLO + pack_frame(encode(Error("x", "y"))) * 400
        probe = await call(port, Probe(flood), tls_for(EVE))

        def more() -> None:
            probe.transport.write(flood[len(HELLO) :])  # type: ignore[union-attr]

        from twisted.internet.task import LoopingCall

        loop = LoopingCall(more)
        stopped = loop.start(0.05, now=False)
        await gone(probe, 10)
        loop.stop()
        await stopped
        await until_logged(log, "flood: over the rate")
        assert len(saw.received) < 2000  # about one read at a time, then a pause; it sent without end


@ensureDeferred
async def test_a_slow_reader_is_cut_and_keeps_bounded_memory(log: list[str]) -> None:
    limits = replace(PATIENT, outbox=2_000_000, stall=60.0, silence=60.0)
    async with nodes() as running:
        ann, ann_saw, port = await running.start(ANN, limits, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(HELLO), tls_for(EVE))
        await ann_saw.until(lambda: ann_saw.linked == [EVE.key])
        probe.transport.pauseProducing()  # type: ignore[union-attr]
        chunk = big(b"x" * 64_000, 6)
        sent = 0
        while ann.send(EVE.key, chunk):
            sent += 1
            assert sent < 200, "nothing bounds what is kept for a slow reader"
            await turn()
        await until_logged(log, "slow reader")
        probe.transport.resumeProducing()  # type: ignore[union-attr]
        await gone(probe)


@ensureDeferred
async def test_a_reader_that_stalls_is_cut_in_time(log: list[str]) -> None:
    limits = replace(PATIENT, stall=0.5, silence=60.0)
    async with nodes() as running:
        ann, ann_saw, port = await running.start(ANN, limits, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(HELLO), tls_for(EVE))
        await ann_saw.until(lambda: ann_saw.linked == [EVE.key])
        probe.transport.pauseProducing()  # type: ignore[union-attr]
        for _ in range(14):
            ann.send(EVE.key, big(b"x" * 64_000, 7))
        await until_logged(log, "took nothing for 0.5 s")
        probe.transport.resumeProducing()  # type: ignore[union-attr]
        await gone(probe)


def turn() -> defer.Deferred[None]:
    """One turn of the reactor."""
    later: defer.Deferred[None] = defer.Deferred()
    the_reactor().callLater(0, later.callback, None)
    return later


@ensureDeferred
async def test_a_silent_peer_is_noticed(log: list[str]) -> None:
    async with nodes() as running:
        _ann, ann_saw, port = await running.start(ANN, HASTY, why_not_stranger=lambda key: None)
        probe = await call(port, Probe(HELLO), tls_for(EVE))  # answers no ping
        await ann_saw.until(lambda: ann_saw.linked == [EVE.key])
        await ann_saw.until(lambda: bool(ann_saw.lost))
        assert ann_saw.lost == [(EVE.key, "nothing heard for 1 s")]
        await gone(probe)


@ensureDeferred
async def test_a_storm_of_connections_is_turned_away_before_tls(log: list[str]) -> None:
    limits = replace(HASTY, connect_burst=8.0, connect_rate=0.001)
    async with nodes() as running:
        _, _, port = await running.start(ANN, limits, why_not_stranger=lambda key: None)
        probes = [await call(port, Probe()) for _ in range(20)]
        for probe in probes:
            await gone(probe)
        await until_logged(log, "turned away: too many connections from this address")


@asynccontextmanager
async def flood(port: int, networks: int, rounds: int) -> AsyncIterator[list[socket.socket]]:
    """Silent connections of strangers, one after the other from two addresses of each network."""
    held: list[socket.socket] = []
    try:
        for number in range(rounds):
            wire = socket.socket()
            held.append(wire)
            wire.bind((f"127.5.{number % networks}.{1 + number // networks % 2}", 0))
            wire.setblocking(False)
            wire.connect_ex(("127.0.0.1", port))
            if number % 8 == 0:
                await until(lambda: True)  # let the node take them in
        yield held
    finally:
        for wire in held:
            wire.close()


@ensureDeferred
async def test_a_flood_of_silent_connections_keeps_no_newcomer_out(log: list[str]) -> None:
    async with nodes() as running:
        ben, ben_saw, port = await running.start(BEN, replace(PATIENT, pending=12), why_not_stranger=lambda key: None)
        ann, _, _ = await running.start(ANN)
        async with flood(port, networks=5, rounds=60):
            assert await ann.meet(f"127.0.0.1:{port}", fingerprint(BEN.key)).addTimeout(5, the_reactor()) == BEN.key
            await ben_saw.until(lambda: ben_saw.linked == [ANN.key])
            assert len(ben._all) <= 12 + 1
            await until_logged(log, "others need the place")
        await until(lambda: len(ben._all) == 1)


@ensureDeferred
async def test_a_full_house_of_visitors_has_room_for_another_network_and_for_every_known_peer(log: list[str]) -> None:
    visitors = [identity(number) for number in range(20, 23)]
    async with nodes() as running:
        ben, ben_saw, port = await running.start(
            BEN, replace(PATIENT, visitors=2), why_not_stranger=lambda key: None, is_known=lambda key: key == ANN.key
        )
        ann, _, _ = await running.start(ANN)
        for number, visitor in enumerate(visitors):
            mesh, _, _ = await running.start(visitor, endpoint_for=from_host(f"127.{7 + number // 2}.0.1"))
            mesh.want(BEN.key, [f"127.0.0.1:{port}"])
            await ben_saw.until(lambda visitor=visitor: visitor.key in ben_saw.linked)
        await until(lambda: ben.linked == tuple(sorted((visitors[0].key, visitors[2].key))))
        assert any("too many visitors" in line for line in log), "the newer one of the larger network went"
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ben_saw.until(lambda: ANN.key in ben_saw.linked)
        assert len(ben.linked) == 3


def from_host(host: str) -> Callable[[Any, str], Any]:
    """Calls that come from this address of the machine."""

    def endpoint(reactor: Any, address: str) -> Any:
        return TCP4ClientEndpoint(reactor, *parse_address(address), bindAddress=(host, 0))

    return endpoint


@ensureDeferred
async def test_both_dial_and_one_link_remains() -> None:
    for _ in range(5):
        async with nodes() as running:
            ann, ann_saw, ann_port = await running.start(ANN)
            ben, ben_saw, ben_port = await running.start(BEN)
            low, _high = sorted((ANN.key, BEN.key))
            for mesh, other, port in ((ann, BEN, ben_port), (ben, ANN, ann_port)):
                mesh._roster.want(other.key, [f"127.0.0.1:{port}"], 0.0)  # both at once, without the polite wait
            ann._tick()
            ben._tick()
            await ann_saw.until(lambda saw=ann_saw: bool(saw.linked))
            await ben_saw.until(lambda saw=ben_saw: bool(saw.linked))
            await until(lambda a=ann, b=ben: len(a._all) == len(b._all) == 1)
            (mine,), (theirs,) = ann.links(), ben.links()
            assert mine.dialled == (ANN.key == low) and theirs.dialled == (BEN.key == low)
            assert ann.send(BEN.key, Spectate(NO_MATCH))
            await ben_saw.until(lambda saw=ben_saw: bool(saw.received))


@ensureDeferred
async def test_a_restarted_peer_is_linked_again_without_help() -> None:
    async with nodes() as running:
        ann, ann_saw, _ann_port = await running.start(ANN)
        ben, ben_saw, ben_port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{ben_port}"])
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
        for count in (2, 3):
            await ben.stop()
            await ann_saw.until(lambda count=count: len(ann_saw.lost) == count - 1)
            ben, ben_saw, _ = await running.start(BEN, port=ben_port)
            ben.want(ANN.key, ())
            await ann_saw.until(lambda count=count: len(ann_saw.linked) == count)
        assert ann.send(BEN.key, Spectate(NO_MATCH))
        await ben_saw.until(lambda: ben_saw.received == [(ANN.key, Spectate(NO_MATCH))])


@ensureDeferred
async def test_addresses_are_tried_in_turn() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, _ben_saw, port = await running.start(BEN)
        _, _, wrong = await running.start(EVE, why_not_stranger=lambda key: None)
        ben.want(ANN.key, ())
        ann.want(BEN.key, ["127.0.0.1:1", f"127.0.0.1:{wrong}", f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])


@ensureDeferred
async def test_a_peer_is_met_by_address_and_fingerprint_and_kept() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, ben_saw, port = await running.start(BEN, why_not_stranger=lambda key: None)
        assert await ann.meet(f"127.0.0.1:{port}", fingerprint(BEN.key)).addTimeout(10, the_reactor()) == BEN.key
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
        await ben_saw.until(lambda: ben_saw.linked == [ANN.key])
        ben.disconnect(ANN.key, "once more")
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key, BEN.key])


@pytest.mark.parametrize("with_mark", [True, False])
@pytest.mark.parametrize("who_called", ["we", "they"])
@ensureDeferred
async def test_a_peer_that_is_linked_already_is_met_at_once_and_answers(who_called: str, with_mark: bool) -> None:
    async with nodes() as running:
        ann, ann_saw, ann_port = await running.start(ANN, why_not_stranger=lambda key: None)
        ben, ben_saw, port = await running.start(BEN, why_not_stranger=lambda key: None)
        caller, called_port = (ann, port) if who_called == "we" else (ben, ann_port)
        await caller.meet(f"127.0.0.1:{called_port}", None).addTimeout(10, the_reactor())
        await ann_saw.until(lambda: bool(ann_saw.linked))
        for count in (1, 2):
            mark = fingerprint(BEN.key) if with_mark else None
            assert await ann.meet(f"127.0.0.1:{port}", mark).addTimeout(2, the_reactor()) == BEN.key
            assert ann.send(BEN.key, Spectate(NO_MATCH))
            await ben_saw.until(lambda count=count: len(ben_saw.received) == count)


@ensureDeferred
async def test_a_meeting_over_a_link_that_died_unnoticed_finds_out_soon() -> None:
    quick = replace(PATIENT, probe=0.3)
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN, quick)
        _, _, port = await running.start(BEN, why_not_stranger=lambda key: None)
        await ann.meet(f"127.0.0.1:{port}", None).addTimeout(10, the_reactor())
        await ann_saw.until(lambda: bool(ann_saw.linked))
        (link,) = ann._all
        link.dataReceived = lambda data: None  # type: ignore[method-assign]  # nothing comes through any more
        await ann.meet(f"127.0.0.1:{port}", fingerprint(BEN.key))
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key, BEN.key], 8)


@pytest.mark.parametrize("address", ["the wrong peer", "127.0.0.1:1", "no address"])
@ensureDeferred
async def test_a_meeting_that_fails_says_why(address: str, log: list[str]) -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        _, eve_saw, port = await running.start(EVE, why_not_stranger=lambda key: None)
        if address == "the wrong peer":
            address = f"127.0.0.1:{port}"
        with pytest.raises(RemoteError, match=r"fingerprint is another one|refused|is not an address"):
            await ann.meet(address, fingerprint(BEN.key)).addTimeout(10, the_reactor())
        assert ann_saw.linked == eve_saw.linked == [] and ann._roster.wake_at is None


@ensureDeferred
async def test_a_forgotten_peer_is_not_dialled_again() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ben_saw.until(lambda: bool(ben_saw.linked))
        await ann_saw.until(lambda: bool(ann_saw.linked))
        ann.forget(BEN.key)
        await ben_saw.until(lambda: bool(ben_saw.lost))
        assert ben_saw.lost == [(ANN.key, "the other side ended it: not needed any more")]
        await ann_saw.until(lambda: bool(ann_saw.lost))
        assert ann._roster.wake_at is None


@ensureDeferred
async def test_a_peer_forgotten_while_it_is_dialled_does_not_stay() -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, _ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann._roster.want(BEN.key, [f"127.0.0.1:{port}"], 0.0)
        ann._tick()
        assert ann._connecting
        ann.forget(BEN.key)
        await until(lambda: not ann._all and not ann._connecting)
        assert ann_saw.linked == [] and ann.linked == ()


@ensureDeferred
async def test_five_nodes_form_a_full_mesh() -> None:
    people = [identity(number) for number in range(10, 15)]
    async with nodes() as running:
        all_nodes = [await running.start(person) for person in people]
        for person, (mesh, _, _) in zip(people, all_nodes, strict=True):
            for other, (_, _, port) in zip(people, all_nodes, strict=True):
                if other is not person:
                    mesh.want(other.key, [f"127.0.0.1:{port}"])
        for _, saw, _ in all_nodes:
            await saw.until(lambda saw=saw: len(set(saw.linked)) == 4)
        await until(lambda: all(len(mesh._all) == 4 for mesh, _, _ in all_nodes))
        assert all(all_nodes[0][0].send(other.key, Spectate(NO_MATCH)) for other in people[1:])
        for _, saw, _ in all_nodes[1:]:
            await saw.until(lambda saw=saw: (people[0].key, Spectate(NO_MATCH)) in saw.received)
