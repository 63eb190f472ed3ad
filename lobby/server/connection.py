"""One node's connection after TLS: frames in and out, within bounds. It decides nothing about tables or people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from typing import Protocol as Interface

from twisted.internet.interfaces import IHandshakeListener, IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.model.work import Who
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.links.tls import key_of
from kontor_games.net.wire.frames import CONTROL, FrameReader, pack_frame
from kontor_games.net.wire.lobby_messages import (
    MAX_REQUEST,
    FromLobby,
    RawAnswer,
    Request,
    SignIn,
    TurnedAway,
    decode_to_lobby,
    encode,
)
from kontor_games.net.wire.messages import Ping, Pong

from .door import Caller
from .throttle import Throttle

MAX_IN_FLIGHT: Final = 32
REQUESTS: Final = {CONTROL: MAX_REQUEST}  # nodes ask; nothing that a node says to a lobby is bulk
NOBODY: Final[frozenset[bytes]] = frozenset()


class Owner(Interface):
    """The lobby, as far as its connections know it."""

    reactor: Any
    config: Config
    metrics: Metrics
    throttle: Throttle
    key: bytes

    def welcome(self, connection: Connection) -> None:
        """TLS is up: send what to sign."""

    def sign_in(self, connection: Connection, ask: SignIn) -> None:
        """Somebody asks to come in; the challenge is good for one attempt."""

    def request(self, connection: Connection, request: Request) -> None:
        """Somebody who is signed in asks for something."""

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""


@implementer(IHandshakeListener, IPushProducer)
class Connection(Protocol):
    """A node that wants to sign in, or has."""

    transport: Any

    def __init__(self, lobby: Owner, caller: Caller) -> None:
        self.host = caller.host
        self.household = caller.household
        self.network = caller.network
        self._caller = caller
        self.who: Who | None = None
        self.key: bytes | None = None  # of its certificate
        self.challenge = b""
        self.watches = False  # the hall
        self.version = 0  # of the lobby's language, once it has signed in
        self.muted = NOBODY
        self.is_gone = False
        self.heard_at = self.since = lobby.reactor.seconds()
        self._lobby = lobby
        self._reader = FrameReader(REQUESTS)
        self._in_flight = 0
        self._at_rest: Callable[[], None] | None = None
        self._throttle: Any = None  # the call that ends a pause of reading
        self._reading = True
        self._stalled_at: float | None = None
        self._outbox: list[bytes] | None = None
        self._outbox_size = 0

    # TLS.

    def accepts_key(self, key: bytes | None) -> bool:
        """Any Ed25519 key may knock; asked by TLS during the handshake."""
        return key is not None and key != self._lobby.key

    def handshakeCompleted(self) -> None:
        """TLS is up; say who we are and what to sign."""
        self.key = key_of(self.transport.getPeerCertificate())
        if self.is_gone or self.key is None:
            self.cut("key")
            return
        self.transport.registerProducer(self, True)
        self._lobby.welcome(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The connection is gone, whoever ended it."""
        if self._throttle is not None:
            self._throttle.cancel()
            self._throttle = None
        self._outbox = None
        if self.who is None and not self.is_gone:
            self._lobby.metrics.turned_away.labels("left-early").inc()
        self.is_gone = True
        self._lobby.lost(self)

    # Reading.

    def dataReceived(self, data: bytes) -> None:
        """Decrypted bytes of the node."""
        now = self.heard_at = self._lobby.reactor.seconds()
        self._reader.feed(data)
        wait = self._lobby.throttle.count_bytes(self.key, self.household, len(data), now)
        if wait > 0:
            self._pause(wait, "bytes")
        self._read()

    def _read(self) -> None:
        """Handle whole frames, as long as this node is not too fast for its limits or for us."""
        try:
            while self._throttle is None and self._in_flight < MAX_IN_FLIGHT and not self.is_gone:
                frame = self._reader.next()
                if frame is None:
                    break
                wait = self._lobby.throttle.count_message(self.key, self.household, self._lobby.reactor.seconds())
                if wait > 0:  # this one still counts; the pause begins behind it
                    self._pause(wait, "messages")
                self._received(decode_to_lobby(frame[1]))
        except RemoteError:
            self.cut("malformed")
            return
        self._set_reading(self._throttle is None and self._in_flight < MAX_IN_FLIGHT)

    def _received(self, message: SignIn | Request | Ping) -> None:
        if self.who is None:
            if not isinstance(message, SignIn) or not self.challenge:
                raise RemoteError("the first message is a SignIn, once")
            self._lobby.sign_in(self, message)
            return
        match message:
            case Ping(number=number):
                self.send(Pong(number))
            case Request():
                self._in_flight += 1
                self._lobby.request(self, message)
            case SignIn():
                raise RemoteError("a second SignIn")

    def request_done(self) -> None:
        """One of its requests has been answered."""
        self._in_flight -= 1
        if not self._reading and not self.is_gone:
            self._read()
        if self._in_flight == 0 and self._at_rest is not None:
            then, self._at_rest = self._at_rest, None
            then()

    def hold(self) -> None:
        """Something besides its requests is done for it; `request_done` says when that is over."""
        self._in_flight += 1

    def at_rest(self, then: Callable[[], None]) -> None:
        """Call `then` once nothing is under way for it; it reads nothing more, so nothing new begins."""
        if self._in_flight == 0:
            then()
        else:
            self._at_rest = then

    def greeted(self) -> None:
        """It has signed in: longer frames are allowed now, and it holds no place of a stranger."""
        self._reader.greeted = True
        self._caller.known()

    def _pause(self, wait: float, reason: str) -> None:
        self._lobby.metrics.throttled.labels(reason).inc()
        if self._throttle is None:
            self._throttle = self._lobby.reactor.callLater(wait, self._unpause)

    def _unpause(self) -> None:
        self._throttle = None
        self._read()

    def _set_reading(self, on: bool) -> None:
        if on != self._reading and not self.is_gone:
            self._reading = on
            if on:
                self.transport.resumeProducing()
            else:
                self.transport.pauseProducing()

    # Writing.

    def send(self, message: FromLobby | RawAnswer) -> None:
        """Send one message."""
        self.send_frame(pack_frame(encode(message)))

    def send_frame(self, frame: bytes) -> None:
        """Send a packed message; a node that does not read is cut when too much waits for it."""
        if self.is_gone:
            return
        if self._stalled_at is None:
            self.transport.write(frame)
            return
        if self._outbox is None:
            self._outbox = []
        self._outbox.append(frame)
        self._outbox_size += len(frame)
        if self._outbox_size > self._lobby.config.limits.outbox_bytes:
            self.cut("slow-reader")

    @property
    def is_stalled(self) -> bool:
        """Whether it does not take what we send; news that can be listed again is not even tried."""
        return self._stalled_at is not None

    def pauseProducing(self) -> None:
        """The send buffer is full."""
        if self._stalled_at is None:
            self._stalled_at = self._lobby.reactor.seconds()

    def resumeProducing(self) -> None:
        """The send buffer has room."""
        self._stalled_at = None
        if self._outbox:
            frames, self._outbox, self._outbox_size = self._outbox, None, 0
            self.transport.write(b"".join(frames))

    def stopProducing(self) -> None:
        """Nothing more can be sent; connectionLost says the rest."""

    # The end.

    def turn_away(self, code: str, reason: str, until: int = 0) -> None:
        """Tell a stranger why it may not come in, and end."""
        self._lobby.metrics.turned_away.labels(code).inc()
        self.send(TurnedAway(code, reason[:400], until))
        self.end()

    def end(self) -> None:
        """End in order: what was sent arrives first, but nobody waits forever for an answer."""
        if self.is_gone:
            return
        self.is_gone = True
        self.transport.unregisterProducer()
        self.transport.loseConnection()
        if self._throttle is not None:
            self._throttle.cancel()
        self._throttle = self._lobby.reactor.callLater(3.0, self._abort)

    def cut(self, reason: str) -> None:
        """End at once."""
        if not self.is_gone:
            self._lobby.metrics.cut.labels(reason).inc()
            self.is_gone = True
            self.transport.abortConnection()

    def _abort(self) -> None:
        self._throttle = None
        self.transport.abortConnection()

    def why_not_alive(self, now: float) -> str | None:
        """Why the sweeper should cut it, or None."""
        limits = self._lobby.config.limits
        if self.who is None:
            return "no-sign-in" if now - self.since > limits.sign_in_time else None
        if self._stalled_at is not None and now - self._stalled_at > limits.stall_time:
            return "stalled"
        if now - self.heard_at > 3 * limits.ping_every and self._reading:
            return "silent"
        return None
