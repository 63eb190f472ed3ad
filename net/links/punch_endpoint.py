"""A direct connection through two routers, as a client endpoint: TCP opened from both sides at once. An adapter.

In order: a pass of the lobby, a fresh port on which we listen, a call from that port to the lobby with the token (so
that the lobby sees where our router lets the port out), the lobby's answer with the other side's place, then calls from
the port to that place until one comes through. All of it goes by IPv6 if that is how we reach the lobby, unless the
other has none (net/links/way_notes.py). Routers that drop a stranger's call let it in once a call of ours has
gone out to it; those that reject it make the other's call fail at once, and only quick repetition at odd moments meets
the one in which both are out. net/links/punching.py has the gate.

How often to call. A call that will be rejected is out for as long as the way there and back takes, and both must be
out at once. So if each side calls every `wait` seconds and the way takes `way`, they meet 2 way / wait² times a second:
between far routers at once; between routers that are nearly one (namespaces, the way takes 0.01 ms) after 1.7 s if the
calls are 4 ms apart, after 0.4 s if 0.8 ms, and at 20 ms a third of the attempts was over before. Hence whoever is
rejected very soon calls again very soon. Besides, a router that gets the other's call in the very moment of ours may
lose ours; then nothing is answered, and where answers were quick before, it is not waited for.

Who would misuse it: a lobby that lies about the other's place sets two nodes on a third party. So the place must be one
that this lobby may vouch for (net/links/claims.py), the calls end after PUNCH_TIME, at most MOST_CALLS of them, and a
hole is looked for once in many seconds, by ourselves (net/links/roster.py) and when a lobby says that a peer calls
(net/links/early_ways.py). All attempts of a node share a ration of calls for each address (CALLS_TO_ONE), whatever
lobbies and peers say: in the long run a third party sees no more of them than of a node that somebody has mistyped.
A port that was punched is closed with the attempt.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import CannotListenError, ConnectionRefusedError
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.task import deferLater
from twisted.internet.tcp import makeBinding
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.system.buckets import Buckets, Rate
from kontor_games.net.wire.address import is_ip, parse_address
from kontor_games.net.wire.way_messages import HOLE_FOUND, HOLE_MISSED, PUNCH_MAGIC, PunchPass

from .claims import Witness, why_not_punch
from .hole_answers import ABSENT, MIXED, PlaceAnswer, PlaceReader, PlaceRefused, PlaceTold
from .paths import PUNCHED
from .punching import Chosen, EndWire, Gate, GateEffect, SendOnWire
from .way_notes import SixFirst

ONCE_MORE: Final = 0.5  # seconds; the other side has heard of it then, too
MEETING_TIME: Final = 8.0  # seconds for both sides to show the lobby their ports
PUNCH_TIME: Final = 6.0  # seconds of calls
CALL_TIME: Final = 0.5  # for one call; a router that drops it says nothing
NEAR_CALL_TIME: Final = 0.05  # the least for one call where others were rejected soon
GATE_TIME: Final = 1.0  # for a wire to get through the gate; one that does not is dead, and hinders the next call
NEAR: Final = 0.005  # seconds: whoever is rejected sooner is near
AGAIN: Final = (0.001, 0.006)  # seconds after a call that was rejected: never in step with the other side
AGAIN_NEAR: Final = (0.0, 0.001)
AGAIN_TAKEN: Final = (0.02, 0.03)  # after one for which the system had no place: there is such a wire already
MOST_CALLS: Final = 3000
CALLS_TO_ONE: Final = Rate(20, 2 * MOST_CALLS)  # of all attempts of a node, to one address
MAX_CALLED: Final = 256  # addresses that are counted
_log = Logger(namespace="kontor.punch")


class NoHole(RemoteError):
    """An attempt came to nothing; `kind` says in one word why, for those who explain it to people."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class PunchedEnd:
    """The far end of a punched connection, for its link's address."""

    host: str
    port: int


def new_ration() -> Buckets:
    """How often a node may call which address to make a hole; one for all its attempts."""
    return Buckets(CALLS_TO_ONE, MAX_CALLED)


@dataclass(slots=True)
class HoleMeans:
    """What all attempts of a node share."""

    ration: Buckets = field(default_factory=new_ration)
    six_first: SixFirst = field(default_factory=SixFirst)


@dataclass(frozen=True, slots=True)
class Hole:
    """Who wants a hole to whom, and by which lobby; `means` are the node's."""

    reactor: Any
    lobby: str
    witness: Witness
    peer: bytes
    is_client: bool  # of TLS
    means: HoleMeans


class PunchEndpoint:
    """One hole to a peer; `get_pass` asks for the lobby's pass when it is needed."""

    def __init__(self, hole: Hole, get_pass: Callable[[], Deferred[PunchPass]]) -> None:
        self._hole = hole
        self._get_pass = get_pass

    def connect(self, factory: Any) -> Deferred[Any]:
        """Fires with the factory's protocol once a wire to the other side is up and through the gate."""

        def attempt(_: object = None) -> Deferred[Any]:
            return _Punch(self._hole, factory).begin(self._get_pass())

        def failed(failure: Failure) -> Any:
            """One of the two came by IPv6 alone; that one will come by IPv4 now."""
            if getattr(failure.value, "kind", None) != MIXED:
                return failure
            return deferLater(self._hole.reactor, ONCE_MORE, lambda: None).addCallback(attempt)

        found = attempt()
        return found.addErrback(failed) if self._hole.is_client else found  # who is the client asks for passes


class _Punch:
    """One attempt."""

    def __init__(self, hole: Hole, factory: Any) -> None:
        self._reactor = hole.reactor
        self._lobby = hole.lobby
        self._witness = hole.witness
        self._peer = hole.peer
        self._is_client = hole.is_client
        self._factory = factory
        self._ration = hole.means.ration
        self._six_first = hole.means.six_first
        self._gate: Gate[_GateWire] = Gate(b"", hole.is_client)
        self._port: Any = None
        self._binding: Any = None
        self._place: tuple[str, int] | None = None
        self._shown: _Token | None = None  # our call to the lobby
        self._call: Deferred[Any] | None = None
        self._calls = 0
        self._began = 0.0
        self._called_at = 0.0
        self._rejected_in: float | None = None  # seconds that the quickest rejection took
        self._wires: set[_GateWire] = set()
        self._timers: list[Any] = []
        self._deadline: Any = None
        self._stage: Deferred[Any] | None = None
        self._is_over = False
        self._done: Deferred[Any] = Deferred(lambda _: self._stop())

    def begin(self, given: Deferred[PunchPass]) -> Deferred[Any]:
        """Ask for the pass; everything else follows."""
        self._deadline = self._reactor.callLater(MEETING_TIME, self._late)
        self._stage = given
        given.addCallback(self._open).addErrback(self._failed)
        return self._done

    def _open(self, given: PunchPass) -> Any:
        if self._done.called:
            raise RemoteError("too late")
        host, port = self._witness.at, parse_address(self._lobby)[1]
        if not host:
            raise ConfigError("it is not known where the lobby is")
        name = parse_address(self._lobby)[0]
        if ":" in host and self._six_first.is_by_four(self._peer) and not is_ip(name):
            found = self._reactor.resolve(name)  # to an address of IPv4
            return found.addCallback(lambda four: self._show(given, four, port)).addErrback(self._no_four)
        return self._show(given, host, port)

    def _no_four(self, failure: Failure) -> Failure:
        if not self._is_over:
            self._six_first.no_four(self._peer)
        return failure

    def _show(self, given: PunchPass, host: str, port: int) -> Any:
        """Open a port, and show it to the lobby there."""
        if self._done.called:
            raise RemoteError("too late")
        if host != self._witness.at:
            self._witness = Witness(host)
        is_six = ":" in host
        own = "::" if is_six else ""
        self._gate = Gate(given.gate, self._is_client)
        factory: Any = _GateFactory(self)
        try:  # the interface is said twice, because Twisted takes the kind of addresses from the latter
            self._port = self._reactor.listenTCP(makeBinding(own, 0, True, True), factory, interface=own)
        except CannotListenError as error:
            raise ConfigError(f"no port to punch from: {error.socketError}") from None
        self._binding = makeBinding(own, self._port.getHost().port, True, True)
        shown: Any = Factory()
        shown.noisy = False
        shown.buildProtocol = lambda addr: _Token(self, given.token)
        kind: Any = TCP6ClientEndpoint if is_six else TCP4ClientEndpoint
        return kind(self._reactor, host, port, timeout=MEETING_TIME, bindAddress=self._binding).connect(shown)

    # ---- the lobby

    def token_shown(self, shown: _Token) -> None:
        """The lobby has seen our port."""
        self._shown = shown

    def place_told(self, place: str) -> None:
        """Where the lobby sees the other side: begin to call."""
        if self._done.called or self._place is not None:
            return
        reason = why_not_punch(place, self._witness)
        if reason is not None:
            self._fail(NoHole("forbidden", reason))
            return
        self._place = parse_address(place)
        self._deadline.reset(PUNCH_TIME)
        self._began = self._reactor.seconds()
        self._dial()

    def place_refused(self, kind: str) -> None:
        """There is nothing to be had from the lobby."""
        if self._done.called or self._place is not None:
            return
        if kind == MIXED:
            self._six_first.mixed(self._peer, self._witness.at)
        if kind == ABSENT:
            self._fail(NoHole(kind, "the other side did not come, or has gone again"))
        else:
            self._fail(NoHole(kind, "the lobby sees no way for a hole between the two of you"))

    # ---- calls

    def _dial(self) -> None:
        if self._done.called or self._place is None or self._call is not None:
            return
        host, port = self._place
        if self._calls >= MOST_CALLS or self._ration.take(host, self._reactor.seconds()) > 0:
            return  # the time will end it; a call of theirs may still come
        self._calls += 1
        kind: Any = TCP6ClientEndpoint if ":" in host else TCP4ClientEndpoint
        endpoint = kind(self._reactor, host, port, timeout=self._patience(), bindAddress=self._binding)
        self._called_at = self._reactor.seconds()
        call: Deferred[Any] = endpoint.connect(_GateFactory(self))
        self._call = call
        call.addBoth(self._called)

    def _called(self, result: object) -> None:
        self._call = None
        if isinstance(result, Failure) and not self._done.called:
            again = AGAIN
            if isinstance(result.value, ConnectionRefusedError):
                took = self._reactor.seconds() - self._called_at
                self._rejected_in = took if self._rejected_in is None else min(took, self._rejected_in)
                again = AGAIN_NEAR if self._rejected_in < NEAR else AGAIN
            elif getattr(result.value, "osError", None) == errno.EADDRNOTAVAIL:
                again = AGAIN_TAKEN
            self._later(_between(again), self._dial)

    def _patience(self) -> float:
        """For one call: where rejections are quick, silence means that the call was lost."""
        near = CALL_TIME if self._rejected_in is None else 10 * self._rejected_in
        return min(CALL_TIME, max(NEAR_CALL_TIME, near))

    # ---- wires

    def wire_opened(self, wire: _GateWire) -> None:
        """A connection is up, called by either side."""
        self._wires.add(wire)
        self._later(GATE_TIME, partial(self._doubt, wire))
        self._perform(self._gate.opened(wire))

    def wire_received(self, wire: _GateWire, data: bytes) -> None:
        """Bytes of a wire that has not been chosen."""
        self._perform(self._gate.received(wire, data))

    def wire_lost(self, wire: _GateWire) -> None:
        """A wire is gone; if it was the one we called, we call again."""
        self._wires.discard(wire)
        self._gate.lost(wire)
        if not self._done.called:
            self._later(_between(AGAIN), self._dial)

    def _doubt(self, wire: _GateWire) -> None:
        if wire in self._wires and not self._gate.is_passed(wire):
            wire.transport.abortConnection()

    def _perform(self, effects: list[GateEffect[_GateWire]]) -> None:
        for effect in effects:
            match effect:
                case SendOnWire(wire, data):
                    wire.transport.write(data)
                case EndWire(wire):
                    wire.transport.abortConnection()
                case Chosen(wire, early):
                    self._choose(wire, early)

    def _choose(self, wire: _GateWire, early: bytes) -> None:
        if self._done.called:
            wire.transport.abortConnection()
            return
        self._wires.discard(wire)
        host, port = self._place or ("", 0)
        inner = self._factory.buildProtocol(PunchedEnd(PUNCHED + host, port))
        wire.step_aside()
        wire.transport.protocol = inner
        inner.makeConnection(wire.transport)
        self._note("found")
        if self._shown is not None:
            self._shown.tell(HOLE_FOUND)
        self._end()
        self._done.callback(inner)
        if early:
            inner.dataReceived(early)

    # ---- ends

    def _late(self) -> None:
        if self._place is None:
            if self._shown is None:
                self._six_first.no_four(self._peer)
            self._fail(NoHole(ABSENT, "the other side did not come in time"))
        else:
            self._fail(NoHole("missed", "the other side was not met in time"))

    def _failed(self, failure: Failure) -> None:
        self._fail(failure.value or RemoteError("no hole"))

    def _fail(self, error: BaseException) -> None:
        if self._done.called or self._is_over:
            return
        if self._shown is not None and self._place is not None:
            self._note("missed")
            self._shown.tell(HOLE_MISSED)
        self._end()
        self._done.errback(error)

    def _note(self, outcome: str) -> None:
        _log.info(
            "hole {outcome} after {calls} calls in {seconds:.2f} s (quickest rejection: {rejected} s)",
            outcome=outcome,
            calls=self._calls,
            seconds=self._reactor.seconds() - self._began,
            rejected=self._rejected_in,
        )

    def _stop(self) -> None:
        self._end()

    def _end(self) -> None:
        self._is_over = True  # what is cancelled here fails, which is not the reason
        self._end_timers()
        if self._port is not None:
            self._port.stopListening()
            self._port = None
        if self._shown is not None:
            self._shown.hang_up()
        elif self._stage is not None:
            self._stage.cancel()
        if self._call is not None:
            self._call.cancel()
        for wire in list(self._wires):
            wire.transport.abortConnection()

    def _later(self, seconds: float, job: Callable[[], None]) -> None:
        self._timers = [timer for timer in self._timers if timer.active()]
        self._timers.append(self._reactor.callLater(seconds, job))

    def _end_timers(self) -> None:
        for timer in (self._deadline, *self._timers):
            if timer is not None and timer.active():
                timer.cancel()
        self._timers.clear()


class _Token(Protocol):
    """Our call to the lobby, from the port that is to be punched."""

    transport: Any

    def __init__(self, punch: _Punch, token: bytes) -> None:
        self._punch = punch
        self._token = token
        self._reader = PlaceReader()

    def connectionMade(self) -> None:
        """The lobby sees the port now."""
        self.transport.setTcpNoDelay(True)
        self.transport.write(PUNCH_MAGIC + self._token)
        self._punch.token_shown(self)

    def dataReceived(self, data: bytes) -> None:
        """The lobby's answer."""
        self._take(self._reader.feed(data))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The lobby hung up."""
        self._take(self._reader.ended())

    def _take(self, answer: PlaceAnswer | None) -> None:
        match answer:
            case PlaceTold(place):
                self._punch.place_told(place)
            case PlaceRefused(kind):
                self._punch.place_refused(kind)

    def tell(self, outcome: bytes) -> None:
        """What became of it, for the lobby's count."""
        self.transport.write(outcome)

    def hang_up(self) -> None:
        """It is not needed any more."""
        self.transport.loseConnection()


class _GateWire(Protocol):
    """A wire before the gate."""

    transport: Any

    def __init__(self, punch: _Punch) -> None:
        self._punch: _Punch | None = punch

    def connectionMade(self) -> None:
        """TCP is up."""
        if self._punch is not None:
            self.transport.setTcpNoDelay(True)
            self._punch.wire_opened(self)

    def dataReceived(self, data: bytes) -> None:
        """Bytes before TLS."""
        if self._punch is not None:
            self._punch.wire_received(self, data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """It is gone."""
        if self._punch is not None:
            self._punch.wire_lost(self)

    def step_aside(self) -> None:
        """TLS takes the transport over."""
        self._punch = None


class _GateFactory(Factory):
    noisy = False

    def __init__(self, punch: _Punch) -> None:
        self._punch = punch

    def buildProtocol(self, addr: Any) -> Protocol | None:
        """A wire for the gate; where it comes from says nothing."""
        return _GateWire(self._punch)


def _between(bounds: tuple[float, float]) -> float:
    shortest, longest = bounds
    return shortest + os.urandom(1)[0] / 256 * (longest - shortest)
