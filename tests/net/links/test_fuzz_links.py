"""Minutes of damaged input against everything that listens: no crash, no hang, no growing memory."""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import defer

from kontor_games.engine.errors import RemoteError
from kontor_games.net.links.limits import LinkLimits, Meter
from kontor_games.net.links.link import Close, Link
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.messages import AnyMessage, Hello, decode, encode
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.net.wire.test_messages import SAMPLES
from tests.net.wire.test_terms import SOME_TERMS

from .test_transport import ANN, BEN, EVE, HELLO, Probe, call, nodes, the_reactor, tls_for, until

pytestmark = pytest.mark.long
SECONDS = float(os.environ.get("KONTOR_FUZZ_SECONDS", "600"))
GENEROUS = LinkLimits(connect_rate=1e6, connect_burst=1e6, handshake=0.5, message_rate=1e6, message_burst=1e6)


def damaged(source: random.Random, data: bytes) -> bytes:
    """`data` with some bytes changed, cut out, doubled or put in."""
    body = bytearray(data)
    for _ in range(source.randint(1, 6)):
        place = source.randrange(len(body) + 1)
        match source.randrange(5):
            case 0:
                body[place : place + 1] = bytes([source.randrange(256)])
            case 1:
                del body[place : place + source.randint(1, 8)]
            case 2:
                body[place:place] = body[place : place + source.randint(1, 40)]
            case 3:
                body[place:place] = source.randbytes(source.randint(1, 12))
            case 4:
                body[place : place + 4] = source.choice(
                    [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xdf\x7f\xff\xff", b"\xc6\xff"]
                )
    return bytes(body)


def run(target: Callable[[random.Random], None], name: str) -> None:
    """Call the target until the time is up; says how often, and that memory did not grow with it."""
    seed = int.from_bytes(os.urandom(8), "big")
    source = random.Random(seed)
    for _ in range(2000):
        target(source)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runs, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        for _ in range(100):
            target(source)
        runs += 100
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"\n{name}: {runs} runs in {SECONDS:g} s, seed {seed}, memory +{grown} KiB")
    assert grown < 64 * 1024


def test_the_message_decoder_under_damaged_messages() -> None:
    bodies = [encode(message) for message in SAMPLES]

    def target(source: random.Random) -> None:
        try:
            message: AnyMessage = decode(damaged(source, source.choice(bodies)), source.choice((0, 0, 1)))
        except RemoteError:
            return
        assert decode(encode(message)) == message

    run(target, "message decoder")


def test_a_link_under_damaged_streams() -> None:
    stream = b"".join(pack_frame(encode(message)) for message in SAMPLES if not isinstance(message, Hello))
    hello = Hello((1,), b"n" * 16)

    def target(source: random.Random) -> None:
        link = Link(hello, GENEROUS, 0.0)
        link.secured(Meter(GENEROUS), 0.0)
        data = HELLO + damaged(source, stream) if source.random() < 0.9 else damaged(source, HELLO)
        closed = 0
        while data:
            cut = source.randint(1, len(data))
            closed += sum(isinstance(effect, Close) for effect in link.bytes_received(data[:cut], 1.0))
            data = data[cut:]
        assert closed == int(link.is_closed)
        assert link._reader.kept <= 600_000

    run(target, "link")


def test_the_terms_decoder_under_damaged_terms() -> None:
    def target(source: random.Random) -> None:
        raw = damaged(source, SOME_TERMS)
        try:
            terms = decode_terms(raw)
        except RemoteError:
            return
        assert encode_terms(terms) == raw

    run(target, "terms decoder")


@ensureDeferred
async def test_a_tls_listener_under_damaged_connections() -> None:
    seed = int.from_bytes(os.urandom(8), "big")
    source = random.Random(seed)
    client_hello = await _client_hello()
    stream = HELLO + b"".join(pack_frame(encode(message)) for message in SAMPLES[1:])
    options = tls_for(EVE)
    runs = 0
    async with nodes() as running:
        mesh, _, port = await running.start(ANN, GENEROUS, why_not_stranger=lambda key: None)
        before, end = 0, time.monotonic() + SECONDS

        async def attack() -> None:
            nonlocal runs, before
            while time.monotonic() < end:
                kind = source.randrange(4)
                if kind == 0:
                    probe = await call(port, Probe(source.randbytes(source.randint(1, 600))))
                elif kind == 1:
                    probe = await call(port, Probe(damaged(source, client_hello)))
                elif kind == 2:
                    probe = await call(port, Probe(damaged(source, stream)), options)
                else:
                    probe = await call(port, Probe(stream[: source.randrange(len(stream))]), options)
                    probe.transport.abortConnection()  # type: ignore[union-attr]
                await _wait_or_leave(probe)
                runs += 1
                if runs == 300:
                    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        await defer.gatherResults([defer.ensureDeferred(attack()) for _ in range(4)])
        await until(lambda: not mesh._all)
        assert mesh._links.door.is_empty
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before if before else 0
        ben, ben_saw, _ = await running.start(BEN)
        ben.want(ANN.key, [f"127.0.0.1:{port}"])
        await ben_saw.until(lambda: ben_saw.linked == [ANN.key])
        print(f"\nTLS listener: {runs} connections in {SECONDS:g} s, seed {seed}, memory +{grown} KiB")
        assert grown < 64 * 1024


async def _wait_or_leave(probe: Probe) -> None:
    """Until the node hangs up; a stream that happens to be good may stay, so hang up ourselves after a while."""
    leave = the_reactor().callLater(0.7, lambda: probe.transport.abortConnection())  # type: ignore[union-attr]
    await probe.is_closed.addTimeout(20, the_reactor())
    if leave.active():
        leave.cancel()


async def _client_hello() -> bytes:
    """The first bytes of a good handshake."""
    from twisted.internet.endpoints import TCP4ServerEndpoint
    from twisted.internet.protocol import Factory

    caught: defer.Deferred[bytes] = defer.Deferred()

    class Catch(Probe):
        def dataReceived(self, data: bytes) -> None:
            self.transport.abortConnection()  # type: ignore[union-attr]
            if not caught.called:
                caught.callback(data)

    listening: Any = await TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1").listen(
        Factory.forProtocol(Catch)
    )
    probe = await call(listening.getHost().port, Probe(), tls_for(EVE))
    data = await caught
    await probe.is_closed
    await listening.stopListening()
    return data
