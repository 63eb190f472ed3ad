"""A connection through a lobby's relay, as a client endpoint: a pass, a token, a byte, then our TLS. An adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from kontor_games.engine.errors import RemoteError
from kontor_games.net.system.clock import Timer
from kontor_games.net.wire.address import parse_address
from kontor_games.net.wire.way_messages import (
    RelayPass,
)

from .claims import Witness, why_not_relay
from .mesh import tcp_endpoint
from .paths import RELAYED

GREETING: Final = b"KRL1"
ACCEPTED: Final = b"\x06"
RELAY_TIME: Final = 8.0  # seconds for both sides to be there


@dataclass(frozen=True, slots=True)
class FarEnd:
    """The far end of a relayed connection, where others have an IP address."""

    host: str
    port: int


class RelayEndpoint:
    """One way through a relay; `get_pass` asks for it when it is needed."""

    def __init__(
        self,
        reactor: Any,
        lobby: str,
        witness: Witness,
        is_server: bool,
        get_pass: Callable[[], Deferred[RelayPass]],
    ) -> None:
        self._reactor = reactor
        self._lobby = lobby
        self._witness = witness
        self._is_server = is_server  # which side of TLS the factory plays: both must not play the same
        self._get_pass = get_pass

    def connect(self, factory: Any) -> Deferred[Any]:
        """Fires with the factory's protocol once the other side is there too."""
        attempt = _Attempt(self._reactor, self._lobby, self._witness, self._is_server, factory)
        return attempt.begin(self._get_pass())


class _Attempt:
    """One connection on its way."""

    def __init__(self, reactor: Any, lobby: str, witness: Witness, is_server: bool, factory: Any) -> None:
        self._reactor = reactor
        self._lobby = lobby
        self._witness = witness
        self._is_server = is_server
        self._factory = factory
        self._entry: _Entry | None = None
        self._stage: Deferred[Any] | None = None
        self._done: Deferred[Any] = Deferred(lambda _: self._stop())
        self._timer: Timer | None = None

    def begin(self, given: Deferred[RelayPass]) -> Deferred[Any]:
        self._timer = self._reactor.callLater(RELAY_TIME, self._late)
        self._stage = given
        given.addCallback(self._dial).addErrback(self._failed)
        return self._done

    def _dial(self, given: RelayPass) -> Any:
        if given.is_server != self._is_server:
            raise RemoteError("the lobby would have both sides of a relayed link play the same part")
        if self._done.called:
            raise RemoteError("too late")
        if given.address and (reason := why_not_relay(given.address, self._witness)):
            raise RemoteError(reason)
        where = given.address or self._lobby
        host, port = parse_address(where)
        end = FarEnd(RELAYED + host, port)
        factory: Any = Factory()
        factory.noisy = False
        factory.buildProtocol = lambda addr: _Entry(self, given.token, end)
        return tcp_endpoint(self._reactor, where).connect(factory)

    def entered(self, entry: _Entry) -> None:
        """TCP to the relay is up."""
        self._entry = entry
        if self._done.called:
            entry.give_up()

    def joined(self, end: FarEnd) -> Any:
        """The other side is there: the protocol that takes over, or None if nobody waits any more."""
        if self._done.called:
            return None
        return self._factory.buildProtocol(end)

    def succeeded(self, protocol: Any) -> None:
        """It has taken over."""
        self._settle()
        if not self._done.called:
            self._done.callback(protocol)

    def lost(self, reason: str) -> None:
        """The relay ended it before the other side came."""
        self._settle()
        if not self._done.called:
            self._done.errback(RemoteError(reason))

    def _failed(self, failure: Failure) -> None:
        self._settle()
        if not self._done.called:
            self._done.errback(failure)

    def _late(self) -> None:
        self._timer = None
        self._stop()
        self.lost(f"the other side did not come to the relay within {RELAY_TIME:g} s")

    def _stop(self) -> None:
        self._settle()
        if self._entry is not None:
            self._entry.give_up()
        elif self._stage is not None:
            self._stage.cancel()

    def _settle(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Entry(Protocol):
    """Shows the token and steps aside."""

    transport: Any

    def __init__(self, attempt: _Attempt, token: bytes, end: FarEnd) -> None:
        self._attempt = attempt
        self._token = token
        self._end = end

    def connectionMade(self) -> None:
        """TCP to the relay is up."""
        self.transport.write(GREETING + self._token)
        self._attempt.entered(self)

    def dataReceived(self, data: bytes) -> None:
        """One byte says whether the other side is there; what follows is for our successor."""
        inner = self._attempt.joined(self._end) if data[:1] == ACCEPTED else None
        if inner is None:
            self.transport.abortConnection()
            self._attempt.lost("the relay refused us")
            return
        self.transport.protocol = inner
        inner.makeConnection(self.transport)
        self._attempt.succeeded(inner)
        if len(data) > 1:
            inner.dataReceived(data[1:])

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The relay hung up."""
        self._attempt.lost("the relay ended the connection before the other side came")

    def give_up(self) -> None:
        """Nobody waits for this any more."""
        self.transport.abortConnection()
