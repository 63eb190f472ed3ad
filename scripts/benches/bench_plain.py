"""Two benchmark nodes without TLS, signatures and fsync, as boardgame.io has none of them. For the benchmark alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import connectProtocol
from twisted.internet.protocol import Factory, Protocol

from kontor_games.net.links.mesh import tcp_endpoint
from kontor_games.net.record import own_words
from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.wire import terms
from kontor_games.net.wire.frames import FrameReader, pack_frame
from kontor_games.net.wire.identity import SIGNATURE_SIZE, Identity
from kontor_games.net.wire.messages import AnyMessage, decode, encode


def make_plain() -> Callable[[], None]:
    """In this process nothing is signed, checked or waited for on the disk, until the answer is called."""
    sign, verify, append = Identity.sign, terms.verify, MatchJournal.append
    write = own_words.OwnWords.write
    Identity.sign = lambda self, kind, raw: bytes(SIGNATURE_SIZE)  # type: ignore[method-assign]
    terms.verify = lambda key, kind, raw, signature: True  # type: ignore[attr-defined]
    MatchJournal.append = lambda self, signed, sync: append(self, signed, False)  # type: ignore[method-assign]
    own_words.OwnWords.write = lambda self, words: None  # type: ignore[method-assign]

    def undo() -> None:
        Identity.sign, MatchJournal.append = sign, append  # type: ignore[method-assign]
        terms.verify = verify  # type: ignore[attr-defined]
        own_words.OwnWords.write = write  # type: ignore[method-assign]

    return undo


class PlainMesh:
    """As much of a mesh as two benchmark nodes need, on bare TCP; both know each other's key beforehand."""

    def __init__(self, reactor: Any, other: bytes, owner: Any) -> None:
        self._reactor = reactor
        self._other = other
        self._owner = owner
        self._link: PlainLink | None = None

    def listen(self, endpoint: Any) -> Deferred[Any]:
        return endpoint.listen(Factory.forProtocol(lambda: PlainLink(self)))

    def want(self, peer: bytes, addresses: list[str]) -> None:
        connectProtocol(tcp_endpoint(self._reactor, addresses[0]), PlainLink(self))

    def send(self, peer: bytes, message: AnyMessage) -> bool:
        assert self._link is not None
        self._link.transport.write(pack_frame(encode(message)))
        return True

    def disconnect(self, peer: bytes, reason: str) -> None:
        raise AssertionError(f"the other benchmark node is honest: {reason}")

    def push(self) -> None:
        if self._link is not None and self._link.transport.connected:
            self._link.transport.doWrite()

    @property
    def linked(self) -> tuple[bytes, ...]:
        return (self._other,) if self._link is not None else ()

    def stop(self) -> Deferred[None]:
        if self._link is not None:
            self._link.transport.abortConnection()
        return succeed(None)

    def opened(self, link: PlainLink) -> None:
        self._link = link
        self._owner.peer_linked(self._other)

    def received(self, message: AnyMessage) -> None:
        self._owner.message_received(self._other, message)
        self.push()


class PlainLink(Protocol):
    transport: Any

    def __init__(self, mesh: PlainMesh) -> None:
        self._mesh = mesh
        self._reader = FrameReader()
        self._reader.greeted = True

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self._mesh.opened(self)

    def dataReceived(self, data: bytes) -> None:
        self._reader.feed(data)
        while found := self._reader.next():
            self._mesh.received(decode(found[1], found[0]))
