"""One connection to a Redis server on Twisted: commands out, replies in, in order. An adapter around hiredis.

A request of a person is three or four commands, one after another. Twisted sends what is written when the reactor has
turned once more, and a turn of a busy lobby takes milliseconds, so each command is handed to the kernel at once. When
many are under way they are gathered instead: Redis takes them together, and writes them to its file together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import hiredis
from OpenSSL import SSL
from service_identity import VerificationError
from twisted.internet import ssl
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, UNIXClientEndpoint, wrapClientTLS
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.system import flush

from .place import RedisPlace

CONNECT_TIME: Final = 3.0
PROMPT: Final = 8  # with more commands under way than this, new ones are gathered until the reactor has turned
Argument = bytes | str | int


class WireLost(StoreError):
    """The connection ended before the reply came."""


class NotTrusted(WireLost):
    """TLS did not come about: waiting does not help, somebody has to look at the certificates."""


class ReplyRefused(StoreError):
    """The server answered with an error; `code` is its first word."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = text.partition(" ")[0]


class RedisWire(Protocol):
    """Commands are answered in their order, so a queue of those who wait is all that it remembers."""

    transport: Any

    def __init__(self, on_lost: Callable[[str], None]) -> None:
        self._reader = hiredis.Reader(replyError=ReplyRefused)
        self._waiting: deque[Deferred[Any]] = deque()
        self._on_lost = on_lost
        self.is_lost = False
        self._gone: Deferred[None] | None = None

    def connectionMade(self) -> None:
        """It is up; small commands must not wait for each other."""
        if hasattr(self.transport, "setTcpNoDelay"):
            self.transport.setTcpNoDelay(True)

    def send(self, command: Sequence[Argument]) -> Deferred[Any]:
        """Send a command; fires with the reply, or fails with ReplyRefused or WireLost."""
        answer: Deferred[Any] = Deferred()
        if self.is_lost:
            answer.errback(WireLost("the connection has ended"))
            return answer
        self._waiting.append(answer)
        packed: bytes = hiredis.pack_command(tuple(command))  # type: ignore[arg-type]  # it declares one argument
        self.transport.write(packed)
        if len(self._waiting) <= PROMPT:
            flush.push(self.transport)
        return answer

    def dataReceived(self, data: bytes) -> None:
        """Replies, or parts of them."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                answer = self._waiting.popleft()
                if isinstance(reply, ReplyRefused):
                    answer.errback(reply)
                else:
                    answer.callback(reply)
        except (hiredis.ProtocolError, IndexError):
            self.abort()  # this does not speak the language of Redis

    def abort(self) -> None:
        """End it without waiting for anything."""
        self.transport.abortConnection()

    async def end(self) -> None:
        """The same, and return when it is gone."""
        if not self.is_lost:
            self._gone = Deferred()
            self.abort()
            await self._gone

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Whoever waits will not get a reply here."""
        self.is_lost = True
        waiting, self._waiting = self._waiting, deque()
        lost = _why(reason)
        self._on_lost(str(lost))
        for answer in waiting:
            answer.errback(lost)
        if self._gone is not None:
            self._gone.callback(None)


def _why(reason: Failure) -> WireLost:
    if not isinstance(reason.value, (SSL.Error, VerificationError)):
        return WireLost(reason.getErrorMessage())
    return NotTrusted(
        "TLS with the server failed: does it speak TLS at this port, is its certificate good for the name in the "
        f"address, and signed by an authority that is trusted here? ({reason.getErrorMessage()})"
    )


def connect_to(reactor: Any, place: RedisPlace, on_lost: Callable[[str], None]) -> Deferred[RedisWire]:
    """A connection to the server; with TLS only to one whose certificate is good for its name."""
    factory: Any = Factory()
    factory.noisy = False
    factory.buildProtocol = lambda _: RedisWire(on_lost)
    endpoint: Any
    if place.socket:
        # Any, here and below: Twisted declares no types.
        endpoint = cast(Any, UNIXClientEndpoint)(reactor, place.socket, timeout=CONNECT_TIME)
    else:
        endpoint = HostnameEndpoint(reactor, place.host.encode("idna").decode(), place.port, timeout=CONNECT_TIME)
        if place.is_tls:
            endpoint = wrapClientTLS(_tls(place), endpoint)
    connecting: Deferred[RedisWire] = endpoint.connect(factory)
    return connecting


def _tls(place: RedisPlace) -> Any:
    trust: Any = None
    if place.ca:
        try:
            text = Path(place.ca).read_bytes()
            found = [ssl.Certificate.loadPEM(part + b"-----END CERTIFICATE-----\n") for part in _certificates(text)]
            trust = cast(Any, ssl.trustRootFromCertificates)(found)
        except Exception as error:  # OpenSSL has errors of many kinds
            raise ConfigError(f"{place.ca} cannot be used to check the certificate of Redis: {error}") from error
    return ssl.optionsForClientTLS(place.host, trustRoot=trust)


def _certificates(text: bytes) -> list[bytes]:
    parts = text.split(b"-----END CERTIFICATE-----")[:-1]
    if not parts:
        raise ValueError("it holds no certificate")
    return [part.strip() + b"\n" for part in parts]
