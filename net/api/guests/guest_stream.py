"""One WebSocket of a guest: bytes in and out of the sealed channel, pings, bounds. An adapter.

The order of things: the exchange, then a first box in which the phone says who it is, both within `GREETING_SECONDS`;
then requests and events. Whatever does not fit ends this connection and nothing else. While the phone reads too slowly
nothing is read from it either, so that answers cannot pile up; events stay in the feed, and news about the phone itself
are told once it has caught up.

Until the first box has opened, a connection is a stranger's: it may be cut to make place for others (`entered`). A
message is counted from its first part on, whatever comes in between, because Twisted joins parts without a bound. Who
was told to go has `CLOSING_SECONDS` to hear it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Protocol

import msgspec
from msgspec import Meta, Struct
from twisted.internet.interfaces import IPushProducer
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.websocket import WebSocketTransport
from zope.interface import implementer

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.http.event_stream import PONG_HEAD
from kontor_games.net.api.http.to_json import to_json
from kontor_games.net.api.network.table_data import sentence
from kontor_games.net.system import flush
from kontor_games.net.system.buckets import Bucket, Rate
from kontor_games.net.system.steady import Steady

from .sealed_channel import ChannelError, Credential, DoorEnd, UnknownCredential

GREETING_SECONDS: Final = 10.0
CLOSING_SECONDS: Final = 5.0
PING_SECONDS: Final = 8.0
SILENCE_SECONDS: Final = 20.0  # the host sees within half a minute that a phone is away
MOST_PENDING: Final = 24 * 1024  # bytes that may come in without completing a message
MOST_CONTENT: Final = 16 * 1024
BYTES: Final = Rate(32 * 1024.0, 256 * 1024.0)
UNKNOWN: Final = 4404  # codes with which a WebSocket is closed, for the phone's words
BROKEN: Final = 4400
REFUSED: Final = 4403
ENDED: Final = 4410
_log = Logger(namespace="kontor.guests")


class FirstWords(Struct, forbid_unknown_fields=True):
    """The phone's first box."""

    name: Annotated[str, Meta(max_length=64)] = ""
    code: Annotated[str, Meta(max_length=32)] = ""
    since: Annotated[int, Meta(ge=0, lt=2**53)] = 0  # the newest event that it knows


class GuestAsk(Struct, forbid_unknown_fields=True):
    """A request of a phone; whoever repeats one with the same id gets the same answer."""

    id: Annotated[str, Meta(min_length=1, max_length=40)]
    method: Annotated[str, Meta(max_length=8)]
    path: Annotated[str, Meta(max_length=400)]
    body: msgspec.Raw = msgspec.Raw(b"{}")


class FromPhone(Struct, forbid_unknown_fields=True):
    """A box of a phone: exactly one of these."""

    hello: FirstWords | None = None
    ask: GuestAsk | None = None
    ping: int | None = None


class Listening(Protocol):
    """A guest, as its stream knows it."""

    def attached(self, stream: GuestStream, since: int) -> None:
        """The stream is this guest's now."""

    def detached(self, stream: GuestStream) -> None:
        """It is gone."""

    def asked(self, ask: GuestAsk) -> None:
        """The phone asks for something; ChannelError if it asks too often."""

    def pump(self) -> None:
        """The phone has caught up: it can hear more."""


class Welcomes(Protocol):
    """Whoever knows the guests."""

    def secret_of(self, credential: Credential, id: bytes) -> bytes | None:
        """As in `GuestBook`."""

    def enter(self, end: DoorEnd, words: FirstWords, address: str) -> Listening:
        """A phone at this address has proven what it knows; ConfigError says why it does not come in."""


_decoder: Final = msgspec.json.Decoder(FromPhone)


@implementer(IPushProducer)
class GuestStream:
    """One connection of a phone."""

    def __init__(self, welcomes: Welcomes, entered: Callable[[], None], reactor: Any, address: str) -> None:
        self._welcomes = welcomes
        self._address = address
        self._entered = entered  # called once the phone has proven who it is
        self._reactor = reactor
        self._end = DoorEnd(welcomes.secret_of)
        self._guest: Listening | None = None
        self._transport: WebSocketTransport | None = None
        self._wire: Any = None
        self._pending = 0
        self._bytes = Bucket(BYTES)
        self._heard_at = reactor.seconds()
        self._deadline: Any = None  # of the greeting, and of the end
        self._clock = Steady(reactor, PING_SECONDS, self._tick, _log, "a guest's clock")
        self.is_paused = False
        self.is_open = False

    # What Twisted's WebSocket tells.

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        self._transport = transport

    def negotiationFinished(self) -> None:
        pass

    def pongReceived(self, payload: bytes) -> None:
        self._pending -= PONG_HEAD + len(payload)

    def textMessageReceived(self, message: str) -> None:
        self.close(BROKEN)

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        self._pending = 0
        if not self.is_open:
            return
        try:
            self._received(bytes(data))
        except UnknownCredential:
            self.close(UNKNOWN)
        except ChannelError:
            self.close(BROKEN)
        except Exception:
            _log.failure("a guest's message failed")
            self.close(BROKEN)

    def connectionLost(self, reason: Failure) -> None:
        self.is_open = False
        self._clock.stop()
        self._expect(None)
        guest, self._guest = self._guest, None
        if guest is not None:
            guest.detached(self)

    # Our side.

    def opened(self, wire: Any) -> None:
        """The WebSocket is there: the phone has some seconds to say who it is."""
        self._wire = wire
        self.is_open = True
        wire.unregisterProducer()  # the HTTP channel's
        wire.registerProducer(self, True)
        self._expect(GREETING_SECONDS)
        self._clock.start()

    def may_take(self, size: int) -> bool:
        """Whether these bytes may come in; ends the connection if not."""
        self._heard_at = self._reactor.seconds()
        self._pending += size
        if self._pending > MOST_PENDING or self._bytes.spend(self._heard_at, size) > 0:
            self._wire.abortConnection()
            return False
        return True

    def tell(self, message: dict[str, Any]) -> None:
        """Send the phone a box."""
        if self.is_open and self._transport is not None and self._end.is_agreed:
            self._transport.sendBytesMessage(self._end.seal(to_json(message)))
            flush.push(self._wire)

    def end(self, why: str) -> None:
        """Tell the phone why it is over, and end the connection."""
        self.tell({"end": why})
        self.close(ENDED)

    def close(self, code: int) -> None:
        """End the connection."""
        if self.is_open and self._transport is not None:
            self.is_open = False
            self._wire.unregisterProducer()
            self._transport.loseConnection(code)
            self._expect(CLOSING_SECONDS)

    def pauseProducing(self) -> None:
        """The phone reads too slowly: it is not listened to either until it has caught up."""
        self.is_paused = True
        self._wire.pauseProducing()

    def resumeProducing(self) -> None:
        """It has caught up."""
        self.is_paused = False
        self._wire.resumeProducing()
        if self._guest is not None:
            self._guest.pump()

    def stopProducing(self) -> None:
        """The connection is gone."""

    def _received(self, data: bytes) -> None:
        if not self._end.is_agreed:
            answer = self._end.greet(data)
            if answer and self._transport is not None:
                self._transport.sendBytesMessage(answer)
            return
        content = self._end.open(data)
        if len(content) > MOST_CONTENT:
            raise ChannelError("a message that is too long")
        try:
            said = _decoder.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise ChannelError("a message that cannot be read") from None
        if self._guest is None:
            self._greeted(said)
        elif said.ask is not None:
            self._guest.asked(said.ask)
        elif said.ping is not None:
            self.tell({"pong": said.ping})
        else:
            raise ChannelError("a message without a meaning")

    def _greeted(self, said: FromPhone) -> None:
        if said.hello is None:
            raise ChannelError("a phone begins with hello")
        try:
            guest = self._welcomes.enter(self._end, said.hello, self._address)
        except ConfigError as error:
            self.tell({"refused": sentence(str(error))})
            self.close(REFUSED)
            return
        self._expect(None)
        self._entered()
        self._guest = guest
        guest.attached(self, said.hello.since)

    def _expect(self, seconds: float | None) -> None:
        """The connection is cut after this time, if nothing is said about it until then."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self._reactor.callLater(seconds, self._too_late)

    def _too_late(self) -> None:
        self._deadline = None
        self._wire.abortConnection()

    def _tick(self) -> None:
        if self._reactor.seconds() - self._heard_at > SILENCE_SECONDS:
            self._wire.abortConnection()
        elif self._transport is not None and self.is_open and not self.is_paused:
            self._transport.ping()
