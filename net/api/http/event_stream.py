"""The event stream on a WebSocket: a cursor into the feed per client, pings, bounds on what comes in. An adapter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from twisted.internet.interfaces import IPushProducer
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http_headers import Headers
from twisted.web.websocket import WebSocketProtocol, WebSocketResource, WebSocketTransport
from wsproto.utilities import ProtocolError as WebSocketError
from zope.interface import implementer

from kontor_games.net.system import flush
from kontor_games.net.system.buckets import Bucket, Rate
from kontor_games.net.system.steady import Steady

from .api_errors import ApiError, bad_request
from .feed import Feed
from .to_json import to_json
from .tokens import Scope

OWNER_STREAMS: Final = 64
SEAT_STREAMS: Final = 4  # each seat has its own few, so that matches with many bots shut nobody out
MAX_STREAMS: Final = 512
MAX_MESSAGE: Final = 1024  # bytes that may come in without completing a message; a client only ever sends {"ping":1}
PONG_HEAD: Final = 6  # bytes before what a pong says
BYTES = Rate(1024.0, 16 * 1024.0)
PING_SECONDS: Final = 20.0
SILENCE_SECONDS: Final = 65.0
_log = Logger(namespace="kontor.api")


class StreamRequest(Protocol):
    """What a stream needs of the request that asked for it."""

    method: bytes
    requestHeaders: Headers
    channel: Any

    def send(self, status: int, body: bytes, content_type: str) -> None:
        """Answer it after all."""

    def gone(self) -> None:
        """Its connection has ended."""


class EventsDoor:
    """All streams of one node."""

    def __init__(self, feed: Feed, reactor: Any) -> None:
        self._feed = feed
        self._reactor = reactor
        self._streams: set[EventStream] = set()

    def open(self, request: StreamRequest, scope: Scope, query: Mapping[str, str]) -> None:
        """Turn a request that has passed the guard into a stream."""
        check_upgrade(request)
        alike = sum(stream.scope == scope for stream in self._streams)
        if len(self._streams) >= MAX_STREAMS or alike >= (OWNER_STREAMS if scope.is_owner else SEAT_STREAMS):
            raise ApiError(429, "too-many", "too many event streams are open")
        since = _number(query.get("since"), self._feed.last)
        stream = EventStream(self._feed, scope, since, self._reactor, self._streams.discard)
        if upgrade(request, stream):
            self._streams.add(stream)
            stream.opened(request.channel.transport)

    def stop(self) -> None:
        """End all streams."""
        for stream in list(self._streams):
            stream.stop()


class WebSocketEnd(WebSocketProtocol, Protocol):
    """What speaks on a WebSocket, and counts what comes in: Twisted joins the parts of a message without a bound."""

    def may_take(self, size: int) -> bool:
        """Whether these bytes may come in; ends the connection if not."""


def check_upgrade(request: StreamRequest) -> None:
    """Refuse whatever does not ask for a WebSocket."""
    words = b",".join(request.requestHeaders.getRawHeaders(b"upgrade", [])).lower().split(b",")
    if request.method != b"GET" or b"websocket" not in words:
        raise ApiError(426, "upgrade", "this needs a WebSocket connection")


def upgrade(request: StreamRequest, end: WebSocketEnd) -> bool:
    """Turn a request that has passed its guard into a WebSocket on which `end` speaks; False if it was not in order."""
    resource = WebSocketResource(_Once(end))
    answer: Any = resource.render_GET(request)  # type: ignore[arg-type]  # it needs no more than http.Request has
    if isinstance(answer, bytes):
        request.send(400, b"", "text/plain")
        return False
    channel: Any = request.channel
    taken = channel.dataReceived

    def data_received(data: bytes) -> None:
        if end.may_take(len(data)):
            try:
                taken(data)
            except WebSocketError:  # frames that are none end this connection, and are not worth a line in the log
                channel.transport.abortConnection()

    channel.dataReceived = data_received
    gone = channel.connectionLost

    def connection_lost(reason: Failure) -> None:
        request.gone()
        gone(reason)

    channel.connectionLost = connection_lost
    return True


class _Once:
    def __init__(self, end: WebSocketEnd) -> None:
        self._end = end

    def buildProtocol(self, request: object) -> WebSocketEnd:
        """The protocol for the one request it was made for."""
        return self._end


@implementer(IPushProducer)
class EventStream:
    """One client that listens."""

    def __init__(
        self, feed: Feed, scope: Scope, since: int, reactor: Any, forget: Callable[[EventStream], None]
    ) -> None:
        self._feed = feed
        self.scope = scope
        self._sent = since
        self._reactor = reactor
        self._forget = forget
        self._transport: WebSocketTransport | None = None
        self._wire: Any = None
        self._paused = False
        self._is_open = False
        self._unlisten: Callable[[], None] | None = None
        self._pending = 0
        self._heard_at = reactor.seconds()
        self._bytes = Bucket(BYTES)
        self._clock = Steady(reactor, PING_SECONDS, self._tick, _log, "a stream's clock")

    # What Twisted's WebSocket tells.

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        self._transport = transport

    def negotiationFinished(self) -> None:
        pass

    def pongReceived(self, payload: bytes) -> None:
        self._pending -= PONG_HEAD + len(payload)  # no more: it may come between the parts of an endless message

    def textMessageReceived(self, message: str) -> None:
        self._pending = 0
        try:
            asked = json.loads(message)
        except ValueError:
            asked = None
        if asked != {"ping": 1}:
            self._end(1008)
        elif self._transport is not None:
            self._transport.sendTextMessage('{"kind":"pong"}')

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        self._end(1003)

    def connectionLost(self, reason: Failure) -> None:
        self._is_open = False
        self._forget(self)
        self._clock.stop()
        if self._unlisten is not None:
            self._unlisten()
            self._unlisten = None

    # Our side.

    def opened(self, wire: Any) -> None:
        """The handshake is done: send what was missed, then whatever comes."""
        self._wire = wire
        self._is_open = True
        wire.unregisterProducer()  # the HTTP channel's
        wire.registerProducer(self, True)
        self._unlisten = self._feed.listen(self._pump_or_end)
        self._clock.start()
        self._pump()

    def may_take(self, size: int) -> bool:
        """Whether these bytes may come in; ends the connection if not."""
        self._heard_at = self._reactor.seconds()
        self._pending += size
        if self._pending > MAX_MESSAGE or self._bytes.spend(self._heard_at, size) > 0:
            self._wire.abortConnection()
            return False
        return True

    def stop(self) -> None:
        """The node stops."""
        self._end(1001)

    def pauseProducing(self) -> None:
        """The client reads too slowly: what comes stays in the feed."""
        self._paused = True

    def resumeProducing(self) -> None:
        """It has caught up."""
        self._paused = False
        self._pump()

    def stopProducing(self) -> None:
        """The connection is gone."""

    def _pump_or_end(self) -> None:
        """A stream that fails ends; whoever had news to tell is not held up by it."""
        try:
            self._pump()
        except Exception:
            _log.failure("a stream of events failed")
            self._wire.abortConnection()

    def _pump(self) -> None:
        while self._is_open and not self._paused and self._transport is not None and self._sent != self._feed.last:
            until = self._feed.last
            missed = self._feed.after(self._sent, self.scope)
            self._sent = until
            for event in [{"n": until, "kind": "reset"}] if missed is None else missed:
                self._transport.sendTextMessage(to_json(event).decode("utf-8"))
            flush.push(self._wire)  # whoever looks on need not wait until the node has done the rest of its work

    def _tick(self) -> None:
        if self._reactor.seconds() - self._heard_at > SILENCE_SECONDS:
            self._wire.abortConnection()
        elif self._transport is not None and not self._paused:
            self._transport.ping()

    def _end(self, code: int) -> None:
        if self._is_open and self._transport is not None:
            self._is_open = False
            self._wire.unregisterProducer()
            self._transport.loseConnection(code)


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise bad_request("since must be a number")
    return int(text)
