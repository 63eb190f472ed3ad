"""Somebody on the wire, or with a key of their own: what was recorded, changed or made older opens nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path as Folder
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from pytest_twisted import ensureDeferred
from twisted.internet import ssl
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.protocols.portforward import ProxyFactory, ProxyServer
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.net.links import tls
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.node.node_news import PeerChanged
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import AnyMessage, MatchTalk, Spectate
from tests.net.links.test_paths import Here
from tests.net.links.test_transport import (
    ANN,
    BEN,
    NO_MATCH,
    Nodes,
    Probe,
    call,
    gone,
    log,
    nodes,
    the_reactor,
    until,
    until_logged,
)
from tests.worlds.doubles import Recorder
from tests.worlds.lobby_hall import pause

from .test_dialled import agree

__all__ = ["log"]
Change = Callable[[bytes], bytes]


class Tap:
    """A machine between two nodes that passes everything on, notes what the caller says and may change it."""

    def __init__(self) -> None:
        self.said = b""
        self.change: Change = lambda data: data
        self._port: Any = None

    async def listen(self, port: int) -> str:
        tap = self

        class Server(ProxyServer):
            noisy = False

            def dataReceived(self, data: bytes) -> None:
                tap.said += data
                super().dataReceived(tap.change(data))

        factory: Any = ProxyFactory("127.0.0.1", port)
        factory.protocol, factory.noisy = Server, False
        self._port = await TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1").listen(factory)
        return f"127.0.0.1:{self._port.getHost().port}"

    async def close(self, caller: Mesh, called: Mesh) -> None:
        """Nobody is called through it any more."""
        caller.forget(called.key)
        await until(lambda: not caller._all and not called._all)
        await self._port.stopListening()
        await pause(0.05)


async def tapped(running: Nodes) -> tuple[Mesh, Mesh, Recorder, Tap, int]:
    """Ann linked to Ben through a tap; Ben's port."""
    tap = Tap()
    ann, ann_saw, _ = await running.start(ANN)
    ben, ben_saw, port = await running.start(BEN)
    ben.want(ANN.key, ())
    ann.want(BEN.key, [await tap.listen(port)])
    await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
    await ben_saw.until(lambda: ben_saw.linked == [ANN.key])
    return ann, ben, ben_saw, tap, port


@ensureDeferred
async def test_a_recorded_conversation_that_is_played_again_opens_no_link(log: list[str]) -> None:
    async with nodes() as running:
        ann, ben, ben_saw, tap, port = await tapped(running)
        assert ann.send(BEN.key, Spectate(NO_MATCH))
        await ben_saw.until(lambda: len(ben_saw.received) == 1)
        recorded = tap.said
        for _ in range(3):
            await gone(await call(port, Probe(recorded)))
        assert ben_saw.linked == [ANN.key] and len(ben_saw.received) == 1 and ben_saw.lost == []
        await tap.close(ann, ben)


@ensureDeferred
async def test_a_byte_changed_on_the_wire_ends_the_link_and_is_heard_by_nobody(log: list[str]) -> None:
    async with nodes() as running:
        ann, ben, ben_saw, tap, _port = await tapped(running)
        tap.change = lambda data: data[:-1] + bytes([data[-1] ^ 1])
        assert ann.send(BEN.key, Spectate(NO_MATCH))
        await ben_saw.until(lambda: bool(ben_saw.lost))
        assert ben_saw.received == []
        await tap.close(ann, ben)


@ensureDeferred
async def test_a_listener_that_speaks_only_older_tls_is_not_linked_though_its_key_is_right(log: list[str]) -> None:
    options: Any = ssl.CertificateOptions(
        privateKey=BEN.private,
        certificate=tls.make_certificate(BEN),
        insecurelyLowerMinimumTo=ssl.TLSVersion.TLSv1_2,
        lowerMaximumSecurityTo=ssl.TLSVersion.TLSv1_2,
    )
    factory = TLSMemoryBIOFactory(options, False, Factory.forProtocol(Protocol))
    factory.noisy = False
    port = await TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1").listen(factory)
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ann.want(BEN.key, [f"127.0.0.1:{port.getHost().port}"])
        await until_logged(log, "TLS")
        await pause(0.2)
        assert ann_saw.linked == []
    await port.stopListening()


def dated(since: int, until_year: int) -> Callable[[Identity], x509.Certificate]:
    """Certificates of a machine whose clock is far off."""

    def make(identity: Identity) -> x509.Certificate:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kontor")])
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
        builder = builder.public_key(identity.private.public_key())
        builder = builder.not_valid_before(datetime(since, 1, 1, tzinfo=UTC))
        return builder.not_valid_after(datetime(until_year, 1, 1, tzinfo=UTC)).sign(identity.private, None)

    return make


@pytest.mark.parametrize(("since", "until_year"), [(1990, 1991), (2300, 2301)])
@ensureDeferred
async def test_no_clock_decides_who_is_linked(since: int, until_year: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        monkeypatch.setattr(tls, "make_certificate", dated(since, until_year))
        ben, ben_saw, port = await running.start(BEN)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
        await ben_saw.until(lambda: ben_saw.linked == [ANN.key])


class Listening(Here):
    """A node that keeps what it is told about matches."""

    def __init__(self, home: Folder) -> None:
        self.tapped: list[tuple[bytes, MatchTalk]] = []
        super().__init__(home)

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        if isinstance(message, MatchTalk):
            self.tapped.append((peer, message))
        super().message_received(peer, message)


@ensureDeferred
async def test_frames_of_a_match_are_worth_nothing_from_another_key_or_a_second_time(tmp_path: Folder) -> None:
    ann, ben, eve = (Listening(tmp_path / name) for name in ("ann", "ben", "eve"))
    try:
        for node in (ann, ben, eve):
            port = await node.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
            node.where.addresses = (f"127.0.0.1:{port.getHost().port}",)
        table = ann.tables.host("osaka", {}, 2, "majority", True)
        for node in (ben, eve):
            await node.mesh.meet(ann.where.addresses[0], None).addTimeout(10, the_reactor())
        ben.tables.enter(ann.key, table, [])
        await agree(table, [ann, ben])
        (match,) = ben.matches.played
        ledger, anns_own = (node.matches.played[match].session.ledger for node in (ben, ann))
        # Until it is a person's turn the chain still grows by itself: cards are dealt after the set-up.
        await until(lambda: ledger.turn is not None and anns_own.tip == ledger.tip, 30)
        tip, faults = ledger.tip, list((tmp_path / "ben" / "matches").glob("**/*evidence*"))
        anns = [message for peer, message in ben.tapped if peer == ann.key]
        assert len(anns) >= 4

        await eve.mesh.meet(ben.where.addresses[0], None).addTimeout(10, the_reactor())
        await until(lambda: eve.key in ben.mesh.linked)
        for message in anns:
            eve.mesh.send(ben.key, message)
        await until(lambda: any(isinstance(news, PeerChanged) and not news.linked for news in ben.news))
        assert ledger.tip == tip, "a stranger's words about the match end its link"

        for message in [*anns, *reversed(anns)]:
            ann.mesh.send(ben.key, message)  # old words in any order, from the right key
            ann.mesh.send(ben.key, MatchTalk(b"x" * 32, message.talk))  # and under the name of another match
        await pause(0.5)
        assert ledger.tip == tip and ann.key in ben.mesh.linked
        assert list((tmp_path / "ben" / "matches").glob("**/*evidence*")) == faults, "nobody is accused"
    finally:
        for node in (ann, ben, eve):
            await node.stop()
