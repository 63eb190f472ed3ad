"""Links on Twisted: TCP and TLS around the machine of net/links/link.py. The adapter decides nothing about a match."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, cast

from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress, IHandshakeListener, IPushProducer
from twisted.internet.protocol import Factory, connectionDone
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from kontor_games.engine.errors import RemoteError
from kontor_games.net.system.clock import Clock, Timer
from kontor_games.net.system.networks import plain_host
from kontor_games.net.wire.address import join_address
from kontor_games.net.wire.identity import Identity, fingerprint
from kontor_games.net.wire.messages import About, AnyMessage, Hello

from .flushing_tls import PromptTLS
from .limits import LinkDoor, LinkLimits, Meters
from .link import ABOUT, MOVES, REMATCH, TALK, VERSIONS, Close, Effect, Link, Opened, Pause, Received, Resume, Write
from .paths import Path, path_of
from .tls import ConnectionCreator, WhyNot, explain_tls, key_of

PUNCHED_PING: Final = 0.5  # seconds between pings through a hole
PUNCHED_SILENCE: Final = 2.25  # and how long nothing may be heard there: the relay is to be back within five
CLOSING_TIME: Final = 3.0  # seconds for an orderly end before the connection is cut
_log = Logger(namespace="kontor.link")


class _Transport(Protocol):
    """What a link uses of Twisted's TLS transport."""

    def write(self, data: bytes) -> None: ...
    def push(self) -> None: ...
    def loseConnection(self) -> None: ...
    def abortConnection(self) -> None: ...
    def pauseProducing(self) -> None: ...
    def resumeProducing(self) -> None: ...
    def registerProducer(self, producer: object, streaming: bool) -> None: ...
    def unregisterProducer(self) -> None: ...
    def setTcpNoDelay(self, enabled: bool) -> None: ...
    def getPeerCertificate(self) -> object: ...


class LinkOwner(Protocol):
    """Who hears of links; calls come from the reactor thread."""

    def link_connected(self, link: PeerLink) -> None:
        """TCP is up; nothing is known of the other side yet."""

    def is_known(self, peer: bytes) -> bool:
        """Whether the peer is one of those for whom there is always a place."""

    def link_secured(self, link: PeerLink) -> str | None:
        """TLS is up on a call of ours; why it is not needed any more, or None."""

    def link_opened(self, link: PeerLink, hello: Hello) -> None:
        """The peer has said hello."""

    def link_received(self, link: PeerLink, message: AnyMessage) -> None:
        """A message came; RemoteError ends the link."""

    def link_closed(self, link: PeerLink, reason: str) -> None:
        """The link is gone, opened or not; said exactly once."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Why we dial: for one peer, or for whoever has the key that `why_not_key` accepts."""

    address: str
    peer: bytes | None
    why_not_key: WhyNot

    @classmethod
    def to_peer(cls, address: str, peer: bytes) -> Call:
        """A call for this peer and nobody else."""
        return cls(
            address, peer, lambda key: None if key == peer else f"it is not {fingerprint(peer)}, whom we dialled"
        )


class Links:
    """What all links of one node share: its key, its limits, its hello, its owner."""

    def __init__(
        self,
        reactor: Clock,
        identity: Identity,
        owner: LinkOwner,
        nonce: bytes,
        limits: LinkLimits,
        about: Callable[[], About] | None = None,
    ) -> None:
        self.reactor = reactor
        self.key = identity.key
        self.owner = owner
        self.about = about
        self.hello = Hello(VERSIONS, nonce, (ABOUT, MOVES, REMATCH, TALK) if about is not None else (MOVES,))
        self.limits = limits
        self.meters = Meters(limits)
        self.door: LinkDoor[PeerLink] = LinkDoor(limits)
        self.creator = ConnectionCreator(identity)

    def listening_factory(self, why_not_key: WhyNot) -> Factory:
        """For a server endpoint: links from whoever `why_not_key` has nothing against."""
        return _ListeningFactory(self, why_not_key)

    def dialling_factory(self, call: Call) -> Factory:
        """For a client endpoint: a link to whom the call wants."""
        return _DiallingFactory(self, call)


@implementer(IHandshakeListener, IPushProducer)
class PeerLink(TwistedProtocol):
    """One connection to a peer."""

    def __init__(self, links: Links, why_not_key: WhyNot, host: str, port: int, call: Call | None) -> None:
        self.address = join_address(host, port)
        self.call = call  # None on the listening side
        self._host = host
        self.peer: bytes | None = None  # known once TLS is up
        self.is_retired = False
        self.is_secured = False  # its key is right and our hello is out
        self._links = links
        self._was_opened = False
        self._why_not_key = why_not_key
        limits = links.limits
        if path_of(self.address) is Path.PUNCHED:  # a router forgets a hole without a word: notice it soon
            quick = min(limits.silence, PUNCHED_SILENCE)
            limits = replace(limits, ping_every=PUNCHED_PING, silence=quick, first_silence=limits.silence)
        self._link = Link(links.hello, limits, links.reactor.seconds(), time.time, links.about)
        self._reason: str | None = None
        self._refusal: str | None = None
        self._timer: Timer | None = None
        self._write_is_paused = False

    def __repr__(self) -> str:
        who = fingerprint(self.peer)[:9] if self.peer else "unknown peer"
        return f"<link {'to' if self.call else 'from'} {who} at {self.address}>"

    @property
    def dialled(self) -> bool:
        """Whether we called them, not they us."""
        return self.call is not None

    @property
    def round_trip(self) -> float | None:
        """Seconds there and back, smoothed; None before the first answer."""
        return self._link.round_trip

    @property
    def skew(self) -> float | None:
        """Seconds that the other machine's clock is ahead of ours; None if it is not told."""
        return self._link.skew

    @property
    def about(self) -> About | None:
        """What the other side runs; None if it does not say."""
        return self._link.about

    @property
    def features(self) -> tuple[str, ...]:
        """What the other side understands besides its protocol."""
        return self._link.features

    @property
    def protocol(self) -> int:
        """What both sides speak; known once the other side has said hello."""
        return self._link.protocol

    @property
    def is_open(self) -> bool:
        """Whether messages can be sent."""
        return self._was_opened and self._link.is_open

    @property
    def was_opened(self) -> bool:
        """Whether the peer ever said hello on it."""
        return self._was_opened

    @property
    def was_handed_over(self) -> bool:
        """Whether it was retired and nothing that either side sent over it was lost."""
        return self._link.was_handed_over

    def accepts_key(self, key: bytes | None) -> bool:
        """Whether the certificate's key may talk to us; asked by TLS during the handshake."""
        if key is None:
            self._refusal = "its certificate holds no Ed25519 key"
        elif key == self._links.key:
            self._refusal = "it has our own key"
        else:
            self._refusal = self._why_not_key(key)
        return self._refusal is None

    def send(self, message: AnyMessage) -> None:
        """Send a message; the link must be open."""
        self._perform(self._link.send(message))

    def push(self) -> None:
        """What was sent goes out now, not with the next turn of the reactor."""
        self._wire.push()

    def close(self, reason: str) -> None:
        """End the link in order."""
        self._perform(self._link.close(reason))

    def retire(self, speaks_first: bool) -> None:
        """Another link has taken over: read this one to its end (net/links/link.py)."""
        self.is_retired = True
        self._perform(self._link.retire(speaks_first, self._now()))
        self._arm()

    def abort(self, reason: str) -> None:
        """End the link without a word."""
        self._perform([Close(reason, abort=True)])

    def probe(self) -> None:
        """Find out quickly whether the link is alive."""
        self._perform(self._link.probe(self._now()))
        self._arm()

    # What Twisted tells.

    def connectionMade(self) -> None:
        """TCP is up; TLS begins by itself."""
        self._wire.setTcpNoDelay(True)
        self._wire.registerProducer(self, True)
        self._links.owner.link_connected(self)
        self._arm()
        if self.call is None:
            late = self._links.door.enter(self, self._host, self._now())
            if late is not None:
                late.abort("it said nothing, and others need the place")

    def handshakeCompleted(self) -> None:
        """TLS is up; on the dialling side this does not say yet that the listener accepted our key."""
        peer = key_of(self._wire.getPeerCertificate())  # type: ignore[arg-type]
        if not self.accepts_key(peer) or peer is None:
            self._perform([Close(f"wrong key: {self._refusal}", abort=True)])
            return
        # Of several calls to one peer only one may greet: the listener takes the last greeting for the valid one.
        if self.call is not None and (reason := self._links.owner.link_secured(self)):
            self._perform([Close(reason, abort=True)])
            return
        self.peer = peer
        self.is_secured = True
        if self.call is None and self._links.owner.is_known(peer):
            self._links.door.recognise(self, self._host)
        self._perform(self._link.secured(self._links.meters.of(peer), self._now()))

    def dataReceived(self, data: bytes) -> None:
        """Bytes of the peer, decrypted."""
        try:
            self._perform(self._link.bytes_received(data, self._now()))
        except RemoteError as error:  # the owner's verdict on a message
            self._perform(self._link.close(str(error)))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The connection is gone, whoever ended it."""
        self._link.lost(in_order=isinstance(reason.value, ConnectionDone))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._reason is None:
            self._reason = (
                f"wrong key: {self._refusal}" if self._refusal else explain_tls(cast(BaseException, reason.value))
            )
        _log.info("{link} ended: {reason}", link=repr(self), reason=self._reason)
        self._links.door.leave(self)
        self._links.owner.link_closed(self, self._reason)

    def pauseProducing(self) -> None:
        """The send buffer is full."""
        self._write_is_paused = True
        self._perform(self._link.write_paused(self._now()))
        self._arm()

    def resumeProducing(self) -> None:
        """The send buffer has room."""
        self._write_is_paused = False
        self._perform(self._link.write_resumed())
        while self._link.is_waiting_to_write and not self._write_is_paused:
            self._perform(self._link.write_resumed())

    def stopProducing(self) -> None:
        """Nothing more can be sent; connectionLost says the rest."""

    # How it does it.

    @property
    def _wire(self) -> _Transport:
        return cast(_Transport, self.transport)

    def _now(self) -> float:
        return self._links.reactor.seconds()

    def _perform(self, effects: Iterable[Effect]) -> None:
        """Carry out what the machine says; messages come first in the list because they come most often."""
        for effect in effects:
            match effect:
                case Received(message):
                    self._links.owner.link_received(self, message)
                case Write(data):
                    self._wire.write(data)
                case Opened(hello):
                    self._opened(hello)
                case Pause():
                    self._wire.pauseProducing()
                    self._arm()
                case Resume():
                    self._wire.resumeProducing()
                case Close(reason, abort):
                    self._end(reason, abort)

    def _opened(self, hello: Hello) -> None:
        assert self.peer is not None
        self._was_opened = True
        if self.call is None and not self._links.owner.is_known(self.peer):
            late = self._links.door.settle(self, self._host)
            if late is not None:
                late.close("too many visitors")
            if late is self:
                return
        self._links.owner.link_opened(self, hello)
        self._arm()

    def _end(self, reason: str, abort: bool) -> None:
        if self._reason is not None:
            return
        self._reason = reason
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wire.unregisterProducer()
        if abort:
            self._wire.abortConnection()
        else:
            # The other side need not answer our goodbye: TLS would wait for it for ever.
            self._timer = self._links.reactor.callLater(CLOSING_TIME, self._cut)
            self._wire.loseConnection()

    def _cut(self) -> None:
        self._timer = None
        self._wire.abortConnection()

    def _arm(self) -> None:
        """Wake up when the machine wants it; called wherever that may have come nearer.

        Ordinary traffic only puts it off, and a timer that is too early does no harm: it is not moved then.
        """
        at = self._link.wake_at
        if at is None:
            return
        if self._timer is not None:
            if self._timer.getTime() <= at:
                return
            self._timer.cancel()
        self._timer = self._links.reactor.callLater(max(0.0, at - self._now()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        try:
            self._perform(self._link.tick(self._now()))
            self._arm()
        except Exception:
            _log.failure("the clock of {link} failed", link=repr(self))
            self.abort("a defect of this node")  # without its clock a link would stay for ever


def _tls_factory(links: Links, is_client: bool, make: Callable[[IAddress | None], PeerLink]) -> Any:
    # Any: Twisted declares its arguments as zope interfaces, which mypy cannot follow.
    factory = cast(Any, TLSMemoryBIOFactory)(links.creator, is_client, _LinkFactory(make))
    factory.protocol = PromptTLS
    return factory


class _ListeningFactory(Factory):
    noisy = False

    def __init__(self, links: Links, why_not_key: WhyNot) -> None:
        self._links = links
        self._why_not_key = why_not_key
        self._tls = _tls_factory(links, False, self._make)
        self._turned_away = 0

    def buildProtocol(self, addr: IAddress | None) -> TwistedProtocol | None:
        """Closing at once costs nothing; a handshake costs milliseconds."""
        host, _ = _place(addr)
        reason = self._links.door.why_not(host, self._links.reactor.seconds())
        if reason is not None:
            self._turned_away += 1
            if self._turned_away & (self._turned_away - 1) == 0:  # 1, 2, 4, 8 …: a storm must not fill the log
                _log.info(
                    "connection from {host} turned away: {reason} ({count} so far)",
                    host=host,
                    reason=reason,
                    count=self._turned_away,
                )
            return None
        return cast("TwistedProtocol | None", self._tls.buildProtocol(addr))

    def _make(self, addr: IAddress | None) -> PeerLink:
        return PeerLink(self._links, self._why_not_key, *_place(addr), None)


class _DiallingFactory(Factory):
    noisy = False

    def __init__(self, links: Links, call: Call) -> None:
        self._links = links
        self._call = call
        self._tls = _tls_factory(links, True, self._make)

    def buildProtocol(self, addr: IAddress | None) -> TwistedProtocol | None:
        """TLS around the link."""
        return cast("TwistedProtocol | None", self._tls.buildProtocol(addr))

    def _make(self, addr: IAddress | None) -> PeerLink:
        return PeerLink(self._links, self._call.why_not_key, *_place(addr), self._call)


def _place(addr: IAddress | None) -> tuple[str, int]:
    """Host and port of the other side; IPv4 as itself where a socket for both shows it as IPv6."""
    return plain_host(str(getattr(addr, "host", "local"))), int(getattr(addr, "port", 0))


class _LinkFactory(Factory):
    """What TLSMemoryBIOFactory wraps."""

    noisy = False

    def __init__(self, make: Callable[[IAddress | None], PeerLink]) -> None:
        self._make = make

    def buildProtocol(self, addr: IAddress | None) -> TwistedProtocol | None:
        """The protocol inside TLS."""
        return self._make(addr)
