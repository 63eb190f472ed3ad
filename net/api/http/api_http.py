"""HTTP on Twisted for the local API: bounds on what comes in, headers on what goes out. An adapter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Final, cast
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred, succeed
from twisted.internet.protocol import Factory, connectionDone
from twisted.logger import Logger
from twisted.protocols.basic import FileSender
from twisted.python.failure import Failure
from twisted.web import http

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.admission import Strangers
from kontor_games.net.system.steady import logged

from . import static
from .api_errors import ApiError, bad_request, facts_of, message_of, refusal_of, unauthorised
from .event_stream import EventsDoor
from .guard import SAFE, SECURITY_HEADERS, Guard
from .router import MAX_BODY, MAX_UPLOAD, PREFIX, Blob, Router
from .to_json import to_json
from .tokens import Tokens

MAX_CONNECTIONS: Final = 768  # of clients that have shown a token; every bot holds two
MAX_STRANGERS: Final = 128  # connections that have shown none yet: anybody on this machine can open them
STRANGER_SECONDS: Final = 5.0  # for them to ask for something, however slowly the bytes come
IDLE_SECONDS: Final = 60
MAX_URI: Final = 2048
_log = Logger(namespace="kontor.api")


class ApiChannel(http.HTTPChannel):
    """One connection of a client."""

    totalHeadersSize = 16 * 1024
    maxHeaders = 64
    deadline: Any = None  # a timer while it has shown no token
    address = ""  # of the other end
    is_full = False  # whether more answers wait for the client than it reads

    def pauseProducing(self) -> None:
        """The client does not read what was sent."""
        self.is_full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        """It has read all of it."""
        self.is_full = False
        super().resumeProducing()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The client is gone."""
        cast(HttpDoor, self.factory).channel_gone(self)
        super().connectionLost(reason)


class ApiRequest(http.Request):
    """One request; its body is bounded while it comes in."""

    door: HttpDoor
    _size = 0
    _limit = MAX_BODY
    _too_long = False

    def gotLength(self, length: int | None) -> None:
        """The headers are complete: say no to a long body before it comes."""
        self.door = cast(HttpDoor, self.channel.factory)
        if (length is None or length > MAX_BODY) and self._is_upload():
            self._limit = MAX_UPLOAD
        super().gotLength(min(length or 0, self._limit) if length is not None else None)
        if length is not None and length > self._limit:
            self._refuse_length()

    def _is_upload(self) -> bool:
        path = str(getattr(self.channel, "_path", b"").decode("latin-1")).partition("?")[0]
        return self.door.takes_upload(str(getattr(self.channel, "_command", b"").decode("latin-1")), path, self)

    def handleContentChunk(self, data: bytes) -> None:
        """A piece of the body."""
        self._size += len(data)
        if self._size > self._limit:
            self._refuse_length()
        elif not self._too_long:
            super().handleContentChunk(data)

    def _refuse_length(self) -> None:
        if self._too_long:
            return
        self._too_long = True
        body = to_json({"error": "too-long", "message": f"a body has at most {self._limit} bytes"})
        head = f"HTTP/1.1 413 Too Long\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in SECURITY_HEADERS.items())
        wire: Any = self.channel.transport
        wire.write(head.encode("ascii") + b"Content-Type: application/json\r\n\r\n" + body)
        wire.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """All of it is here. Twisted would also parse forms, which nobody sends."""
        if self._too_long:
            return
        cast(IO[bytes], self.content).seek(0)
        self.method, self.uri, self.clientproto = command, path, version
        self.path = path.partition(b"?")[0]
        self.args: dict[bytes, list[bytes]] = {}
        self.process()

    def process(self) -> None:
        """Answer."""
        self.setHeader("Server", "kontor")
        for name, value in SECURITY_HEADERS.items():
            self.setHeader(name, value)
        try:
            self.door.answer(self)
        except Exception as error:
            self.fail_with(error)

    # What the guard sees.

    def values(self, name: str) -> Sequence[str]:
        return [value.decode("latin-1") for value in self.requestHeaders.getRawHeaders(name.encode("ascii"), [])]

    def cookie(self, name: str) -> str | None:
        value = self.received_cookies.get(name.encode("ascii"))
        return None if value is None else value.decode("latin-1")

    # Answers.

    def send(self, status: int, body: bytes, content_type: str) -> None:
        """Send a whole answer."""
        if self._disconnected or self.finished:
            return
        self.setResponseCode(status)
        self.setHeader("Content-Type", content_type)
        self.setHeader("Content-Length", str(len(body)))
        if not self.responseHeaders.hasHeader("Cache-Control"):
            self.setHeader("Cache-Control", "no-store")
        if self.method != b"HEAD":
            self.write(body)
        self.finish()

    def send_file(
        self, file: IO[bytes], size: int, content_type: str, on_piece: Callable[[], None]
    ) -> Deferred[object]:
        """Send a file piece by piece, as fast as the other end takes it; fires at the end, however it ends."""
        if self._disconnected or self.finished:
            return succeed(None)
        self.setHeader("Content-Type", content_type)
        self.setHeader("Content-Length", str(size))
        if self.method == b"HEAD":
            self.finish()
            return succeed(None)

        def piece(data: bytes) -> bytes:
            on_piece()
            return data

        def failed(_: Failure) -> None:
            """The other end is gone."""

        sent: Deferred[object] = FileSender().beginFileTransfer(file, self, piece)
        return sent.addCallbacks(lambda _: self.finish(), failed)

    def send_data(self, data: Any) -> None:
        """Send what a route answered."""
        if isinstance(data, Blob):
            self.setHeader("Content-Disposition", f'attachment; filename="{data.name}"')
            self.send(200, data.data, "application/octet-stream")
        else:
            self.send(200, to_json(data), "application/json")

    def gone(self) -> None:
        """The connection has ended, after it was made a stream."""
        self.door.channel_gone(cast(ApiChannel, self.channel))

    def failed(self, failure: Failure) -> None:
        """Send the refusal that a Deferred ended with."""
        self.fail_with(cast(BaseException, failure.value))

    def fail_with(self, error: BaseException) -> None:
        """Send a refusal; any other error is logged, and the client learns only that there was one."""
        answer = refusal_of(error)
        if isinstance(error, StoreError):
            _log.warn("{error}", error=str(error))
        if answer is None:
            _log.failure("a request failed", Failure(error))
            answer = ApiError(500, "defect", "something went wrong in the node; its log tells more")
        told = {"error": answer.code, "message": str(answer), **facts_of(message_of(answer))}
        self.send(answer.status, to_json(told), "application/json")


class HttpDoor(Factory):
    """Connections of clients that speak HTTP: who gets a place, and how long for those who have shown nothing yet."""

    noisy = False

    def __init__(self, reactor: Any, most: int, strangers: int) -> None:
        self._reactor = reactor
        self._most = most
        self._channels: set[ApiChannel] = set()
        self._strangers: Strangers[ApiChannel] = Strangers(strangers)

    def admits(self, address: str) -> bool:
        """Whether a connection from there may come in at all."""
        raise NotImplementedError

    def answer(self, request: ApiRequest) -> None:
        """Check who asks, then pass the request to whoever answers it."""
        raise NotImplementedError

    def takes_upload(self, method: str, path: str, headers: ApiRequest) -> bool:
        """Whether a long body may come."""
        return False

    def buildProtocol(self, addr: Any) -> Any:
        """A client has connected."""
        if len(self._channels) - len(self._strangers) >= self._most or not self.admits(addr.host):
            return None
        channel: Any = ApiChannel()
        channel.factory = self
        channel.requestFactory = ApiRequest
        channel.callLater = self._reactor.callLater
        channel.timeOut = IDLE_SECONDS
        channel.address = addr.host
        self._channels.add(channel)
        # Whoever comes gets a place, or connections that say nothing would shut the owner out: the oldest of them goes.
        oldest = self._strangers.enter(channel, addr.host, self._reactor.seconds())
        if oldest is not None:
            _cut(oldest)
        self._wait_for(channel)
        return channel

    def _wait_for(self, channel: ApiChannel, seconds: float = STRANGER_SECONDS) -> None:
        """Give a stranger its time, once more if it has asked for a page."""
        self._wait_no_more(channel)
        channel.deadline = self._reactor.callLater(seconds, self._too_late, channel)

    def _wait_no_more(self, channel: ApiChannel) -> None:
        if channel.deadline is not None:
            channel.deadline.cancel()
            channel.deadline = None

    def _too_late(self, channel: ApiChannel) -> None:
        channel.deadline = None
        _cut(channel)

    def recognise(self, channel: ApiChannel) -> None:
        """A client has shown a token: nobody takes its place."""
        self._strangers.leave(channel)
        self._wait_no_more(channel)

    def log(self, request: object) -> None:
        """No log of requests: paths of one-time links are secrets."""

    def stop(self) -> None:
        """End all connections."""
        for channel in list(self._channels):
            _cut(channel)

    def channel_gone(self, channel: ApiChannel) -> None:
        """A connection has ended."""
        self.recognise(channel)  # it needs neither its place nor its timer now
        self._channels.discard(channel)


class ApiFactory(HttpDoor):
    """All connections of the owner's clients."""

    def __init__(self, router: Router, tokens: Tokens, events: EventsDoor, web: Path | None, reactor: Any) -> None:
        super().__init__(reactor, MAX_CONNECTIONS, MAX_STRANGERS)
        self.guard: Guard | None = None  # needs the port, which is known once it is open
        self._router = router
        self._tokens = tokens
        self._events = events
        self._web = web

    def listening(self, port: int) -> None:
        """The port is open."""
        self.guard = Guard(port, self._tokens, self._reactor.seconds)

    def admits(self, address: str) -> bool:
        """Whether a connection from there may come in at all."""
        return address == "127.0.0.1" and self.guard is not None

    def stop(self) -> None:
        """End all streams and connections."""
        self._events.stop()
        super().stop()

    def takes_upload(self, method: str, path: str, headers: ApiRequest) -> bool:
        """Whether a long body may come: only where one is asked for, and only from the owner."""
        assert self.guard is not None
        try:
            route, _ = self._router.find(method, path)
            may = route.upload and self.guard.scope(method, headers).is_owner
        except ApiError:
            return False
        if may:
            self.recognise(cast(ApiChannel, headers.channel))
        return may

    def answer(self, request: ApiRequest) -> None:
        """Check who asks, then pass the request to whoever answers it."""
        assert self.guard is not None
        channel = cast(ApiChannel, request.channel)
        if channel in self._strangers:
            self._wait_for(channel)
        self.guard.check_host(request)
        if len(request.uri) > MAX_URI:
            raise ApiError(414, "too-long", "the address is too long")
        method, path = request.method.decode("latin-1"), request.path.decode("latin-1")
        if path.startswith(PREFIX):
            self._api(request, method, path)
        elif method not in SAFE:
            raise ApiError(405, "method", "method not allowed; use GET or HEAD")
        elif path.startswith("/enter/"):
            self._enter(request, path.removeprefix("/enter/"))
        else:
            self._static(request, path)

    def _api(self, request: ApiRequest, method: str, path: str) -> None:
        assert self.guard is not None
        self.guard.check_origin(request)
        if path == PREFIX + "events":
            scope = self.guard.scope(method, request, websocket=True)
            self.recognise(cast(ApiChannel, request.channel))
            self._events.open(request, scope, _query(request))
            return
        scope = self.guard.scope(method, request)
        self.recognise(cast(ApiChannel, request.channel))
        route, ids = self._router.find(method, path)
        answer = self._router.call(route, ids, scope, _query(request), cast(IO[bytes], request.content))
        if isinstance(answer, Deferred):
            logged(answer.addCallback(request.send_data).addErrback(request.failed), _log, "an answer")
        else:
            request.send_data(answer)

    def _enter(self, request: ApiRequest, secret: str) -> None:
        """A one-time link becomes a cookie."""
        assert self.guard is not None
        value = self._tokens.use_link(secret) if request.method == b"GET" else None
        if value is None and b"text/html" in (request.getHeader(b"Accept") or b""):
            request.setHeader("Location", "/")  # a person: the page opens, or says how to sign in
            request.send(303, b"", "text/plain")
            return
        if value is None:
            raise unauthorised()
        cookie = f"{self.guard.cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
        request.setHeader("Set-Cookie", cookie)
        request.setHeader("Location", "/")
        request.send(303, b"", "text/plain")

    def _static(self, request: ApiRequest, path: str) -> None:
        page = None if self._web is None else static.find(self._web, path)
        if page is None:
            raise ApiError(404, "not-found", "there is no such page here")
        request.setHeader("Cache-Control", "no-cache")
        request.send(200, page.read(), page.content_type)


def _cut(channel: ApiChannel) -> None:
    if channel.transport is not None:
        channel.transport.abortConnection()


def _query(request: ApiRequest) -> dict[str, str]:
    raw = request.uri.partition(b"?")[2].decode("latin-1")
    try:
        return dict(parse_qsl(raw, max_num_fields=16, keep_blank_values=True, errors="strict"))
    except ValueError:
        raise bad_request("the query cannot be read") from None
