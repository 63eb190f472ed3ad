"""The lobby's open port: decides by address and first byte, before anything expensive happens.

A connection that says nothing costs a socket. TLS, which costs a millisecond of work and 25 kB, begins only after
its first byte has come, at a bounded rate for everybody together, and in turn by network, so that a storm from
one network does not keep the others out. Nodes that come for the relay, or to show a port, use the same port.

Everybody gets in. Until a caller is known (it has signed in, or shown a token of the relay) it holds one of the places
for strangers; when these are all taken, the rule of net/system/admission.py says who goes for the newcomer. There is no
quota per address: a school behind one address is as welcome as its people are many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from kontor_games.lobby.settings.config import LimitSettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.system.admission import Strangers
from kontor_games.net.system.buckets import Buckets
from kontor_games.net.system.networks import household_of, network_of, plain_host

from .fairness import Turns

TLS_HANDSHAKE: Final = 0x16
RELAY_MAGIC: Final = b"KRL1"
MAGIC_BYTES: Final = 4
QUEUE_TICK: Final = 0.02
LONGEST_ROW: Final = 0.01  # seconds of handshakes without a break
FIRST_BYTES: Final = 4 * 1024  # what is kept of a caller until its handshake begins; a TLS greeting has a third of it
READ_BYTES: Final = 16 * 1024  # taken from a socket at a time, and kept for a slow one before its sender has to stop
_EVERYBODY: Final = "everybody"

Build = Callable[["Caller"], Protocol]


class Door:
    """Who may come in, and when their handshake may begin."""

    def __init__(
        self, reactor: Any, limits: LimitSettings, metrics: Metrics, build_tls: Build, build_for: Mapping[bytes, Build]
    ) -> None:
        self.reactor = reactor
        self.limits = limits
        self.metrics = metrics
        self.build_tls = build_tls
        self.build_for = build_for  # by the first four bytes of those who do not come for TLS
        self.callers: set[Caller] = set()  # connected, nothing known yet
        self.open = 0
        self.strangers: Strangers[Caller] = Strangers(limits.max_unsigned)
        self._handshakes = Buckets(limits.handshakes.rate)
        self._arrivals = Buckets(limits.arrivals.rate)
        self._port: Any = None
        self._deaf: Any = None  # the call that ends a pause of accepting
        self._waiting: Turns[Caller] = Turns(newest_first=True)
        self._ticking: Any = None

    def listen_at(self, port: Any) -> None:
        """The port whose callers these are; in a storm they wait in the system's own queue, where they cost nothing."""
        self._port = port

    def _pace(self, now: float) -> None:
        wait = self._arrivals.spend(_EVERYBODY, now, 1)
        if wait > 0 and self._deaf is None and self._port is not None:
            self.metrics.throttled.labels("arrivals").inc()
            self._port.stopReading()
            self._deaf = self.reactor.callLater(max(wait, QUEUE_TICK), self._listen_again)

    def _listen_again(self) -> None:
        self._deaf = None
        self._port.startReading()

    def entered(self, caller: Caller) -> None:
        """A connection is open; somebody may have to go for it."""
        now = self.reactor.seconds()
        self._pace(now)
        self.open += 1
        self.callers.add(caller)
        gone = self.strangers.enter(caller, caller.host, now)
        if gone is not None:
            self.metrics.turned_away.labels("crowded-out").inc()
            gone.cut()

    def known(self, caller: Caller) -> None:
        """It is a stranger no longer."""
        self.strangers.leave(caller)

    def left(self, caller: Caller) -> None:
        """It is gone."""
        self.open -= 1
        self.callers.discard(caller)
        self.strangers.leave(caller)
        self._waiting.drop(caller, caller.network, caller.household)

    def admit(self, caller: Caller) -> None:
        """Begin the handshake now, or in turn."""
        if not self._waiting and self._handshakes.take(_EVERYBODY, self.reactor.seconds()) == 0:
            caller.begin_tls()
            return
        self._waiting.add(caller, caller.network, caller.household)
        if self._ticking is None:
            self._ticking = self.reactor.callLater(QUEUE_TICK, self._tick)

    def _tick(self) -> None:
        self._ticking = None
        begun = now = self.reactor.seconds()
        # Handshakes begun in a row keep everybody else waiting: on a busy machine each may take as long as it takes
        # for the next to be allowed, so the row also ends by the clock, and what it took is left free behind it.
        try:
            while self._waiting and now - begun < LONGEST_ROW and self._handshakes.take(_EVERYBODY, begun) == 0:
                self._waiting.next().begin_tls()
                now = self.reactor.seconds()
        finally:  # whatever went wrong with one of them, the others wait for their turn
            if self._waiting:
                self._ticking = self.reactor.callLater(max(QUEUE_TICK, now - begun), self._tick)

    def sweep(self, now: float) -> None:
        """Cut those who said nothing for too long."""
        late = [caller for caller in self.callers if now - caller.since > self.limits.sign_in_time]
        for caller in late:
            self.metrics.turned_away.labels("silent").inc()
            caller.cut()

    def close(self) -> None:
        """Let nobody in any more."""
        if self._deaf is not None:
            self._deaf.cancel()
            self._deaf = None
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
        self._waiting = Turns(newest_first=True)
        for caller in list(self.callers):
            caller.cut()


class DoorFactory(Factory):
    """For the listening endpoint."""

    noisy = False

    def __init__(self, door: Door) -> None:
        self._door = door

    def buildProtocol(self, addr: Any) -> Protocol | None:
        """A caller; whether it may stay is decided when it is there."""
        return Caller(self._door, plain_host(str(getattr(addr, "host", "local"))))


class Caller(Protocol):
    """A connection before its first byte; then it hands the socket over and counts it until it closes."""

    transport: Any

    def __init__(self, door: Door, host: str) -> None:
        self.host = host
        self.household = household_of(host)
        self.network = network_of(host)
        self.since = door.reactor.seconds()
        self.is_waiting = False
        self._door = door
        self._kept = b""
        self._is_cut = False
        self._inner: Protocol | None = None

    def connectionMade(self) -> None:
        """TCP is up."""
        self.transport.bufferSize = READ_BYTES
        self.transport.setTcpNoDelay(True)
        self._door.entered(self)

    def known(self) -> None:
        """Whoever it was handed over to knows now who it is."""
        self._door.known(self)

    def dataReceived(self, data: bytes) -> None:
        """The first bytes say what the connection is for; all later ones belong to the protocol inside."""
        if self._inner is not None:
            self._inner.dataReceived(data)
            return
        self._kept += data
        if self.is_waiting or self._is_cut:
            return
        if self._kept[0] == TLS_HANDSHAKE and len(self._kept) <= FIRST_BYTES:
            self.is_waiting = True
            self.transport.pauseProducing()
            self._door.admit(self)
        elif any(magic.startswith(self._kept[:MAGIC_BYTES]) for magic in self._door.build_for):
            if len(self._kept) >= MAGIC_BYTES:
                magic, self._kept = self._kept[:MAGIC_BYTES], self._kept[MAGIC_BYTES:]
                self._hand_over(self._door.build_for[magic](self))
        else:
            self._door.metrics.turned_away.labels("garbage").inc()
            self.cut()

    def begin_tls(self) -> None:
        """The handshake may begin, unless it was cut meanwhile."""
        if not self.is_waiting:
            return
        self.is_waiting = False
        self._hand_over(self._door.build_tls(self))
        self.transport.resumeProducing()

    def _hand_over(self, inner: Protocol) -> None:
        self._door.callers.discard(self)
        self._inner = inner
        kept, self._kept = self._kept, b""
        cast(Any, inner).makeConnection(self.transport)
        if kept and self._inner is not None:
            inner.dataReceived(kept)

    def cut(self) -> None:
        """End it at once."""
        self.is_waiting = False
        self._is_cut = True
        self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The socket is gone."""
        self.is_waiting = False
        self._door.left(self)
        if self._inner is None and not self._is_cut:
            self._door.metrics.turned_away.labels("left-silently").inc()
        inner, self._inner = self._inner, None
        if inner is not None:
            inner.connectionLost(reason)
