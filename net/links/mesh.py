"""The node's links as a whole: listens, dials, redials, keeps one link per peer, passes messages. An adapter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from twisted.internet.defer import CancelledError, Deferred, DeferredList, fail, maybeDeferred, succeed
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectingCancelledError
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.system.clock import Clock, Timer
from kontor_games.net.system.steady import logged
from kontor_games.net.wire.address import host_of, is_ip, parse_address
from kontor_games.net.wire.identity import Identity, fingerprint
from kontor_games.net.wire.messages import OLDEST, PROTOCOL, About, AnyMessage, Hello

from .early_ways import EarlyWays
from .limits import LinkLimits
from .link import MOVES
from .paths import Path, path_of
from .roster import Dial, DropLink, Effect, Linked, Lost, Probe, Relinked, Retire, Roster
from .tls import WhyNot
from .transport import Call, Links, PeerLink
from .way_notes import WayNotes

CONNECT_TIME: Final = 5  # seconds for TCP to come up
_CALLED_OFF: Final = (CancelledError, ConnectingCancelledError)  # another way was faster, or the node ends
_log = Logger(namespace="kontor.mesh")


class ListeningPort(Protocol):
    """An open port, as Twisted's server endpoints give it."""

    def stopListening(self) -> Any:
        """Close it, at once or later."""

    def getHost(self) -> Any:
        """Where it listens."""


class ServerEndpoint(Protocol):
    """Where to listen; Twisted's server endpoints fulfil it."""

    def listen(self, factory: Any) -> Deferred[Any]:
        """Open the port."""


class ClientEndpoint(Protocol):
    """Where to call; Twisted's client endpoints fulfil it, and so will a path through a relay."""

    def connect(self, factory: Any) -> Deferred[Any]:
        """Open the connection."""


class MeshOwner(Protocol):
    """Who hears of peers; calls come from the reactor thread and may call the mesh back."""

    def peer_linked(self, peer: bytes) -> None:
        """The peer is reached; called again when another link took over and the old one may have lost something."""

    def peer_moved(self, peer: bytes) -> None:
        """The peer is reached another way now; nothing is lost by that, or `peer_linked` follows."""

    def peer_lost(self, peer: bytes, reason: str) -> None:
        """The peer is not reached now; if it is wanted, the mesh goes on trying."""

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        """A message of the peer; RemoteError ends its link."""


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """One link as the connection grid shows it."""

    peer: bytes
    address: str
    dialled: bool
    round_trip: float | None
    skew: float | None = None  # seconds that its clock is ahead of ours
    about: About | None = None  # what it runs, if it says so
    protocol: int = PROTOCOL  # what both sides speak
    features: tuple[str, ...] = ()  # what the other side understands besides

    @property
    def path(self) -> Path:
        """What kind of way it is."""
        return path_of(self.address)

    @property
    def host(self) -> str:
        """The IP address at which the peer is; empty through a relay."""
        return "" if self.path is Path.RELAY else host_of(self.address)


def _knows_nobody(key: bytes) -> bool:
    return False


def _refuse(key: bytes) -> str | None:
    return "nobody here expects this key"


class Mesh:
    """All links of one node."""

    def __init__(
        self,
        reactor: Any,
        identity: Identity,
        owner: MeshOwner,
        *,
        why_not_stranger: WhyNot = _refuse,
        is_known: Callable[[bytes], bool] = _knows_nobody,
        limits: LinkLimits | None = None,
        endpoint_for: Callable[[Any, str], ClientEndpoint] | None = None,
        about: Callable[[], About] | None = None,
    ) -> None:
        self.key = identity.key
        self.why_not_stranger = why_not_stranger  # asked about keys that are not wanted
        self.notes = WayNotes()
        self._is_known = is_known
        self._reactor = reactor
        self._clock: Clock = reactor
        self._owner = owner
        self._endpoint_for = endpoint_for or tcp_endpoint
        self._links = Links(reactor, identity, self, os.urandom(16), limits or LinkLimits(), about)
        self._roster = Roster(identity.key, lambda: os.urandom(1)[0] / 256)
        self._early: EarlyWays[ClientEndpoint] = EarlyWays()
        self._ports: list[ListeningPort] = []
        self._open: dict[int, PeerLink] = {}
        self._written: set[PeerLink] = set()  # links that have something to push
        self._numbers: dict[PeerLink, int] = {}
        self._connecting: dict[Deferred[Any], Call | None] = {}
        self._accepting: dict[tuple[bytes, Path], Deferred[Any]] = {}  # calls of peers that we answer
        self._meetings: dict[Call, Deferred[bytes]] = {}
        self._timer: Timer | None = None
        self._next_number = 0
        self._all: set[PeerLink] = set()
        self._stopping: Deferred[None] | None = None

    # What the owner wants.

    def listen(self, endpoint: ServerEndpoint) -> Deferred[ListeningPort]:
        """Take links from wanted peers, and from strangers as far as `why_not_stranger` lets them in."""

        def opened(port: ListeningPort) -> ListeningPort:
            self._ports.append(port)
            return port

        return endpoint.listen(self._links.listening_factory(self._why_not_key)).addCallback(opened)

    def accept_over(self, endpoint: ClientEndpoint, peer: bytes, path: Path) -> None:
        """Be called by a peer over a connection that we open ourselves, as through a relay, once the peer is wanted."""
        if not self._roster.is_wanted(peer):
            self._early.keep(peer, path, endpoint, self._now())
            return
        if reason := self._early.why_not(peer, path, self._now()):
            _log.info("{peer} is not answered: {reason}", peer=fingerprint(peer)[:9], reason=reason)
            return
        if (older := self._accepting.get((peer, path))) is not None:
            older.cancel()  # the caller has given it up, or is somebody else's invention
        attempt = endpoint.connect(self._links.listening_factory(self._roster_only))
        self._connecting[attempt] = None
        self._accepting[peer, path] = attempt

        def done(result: object) -> None:
            del self._connecting[attempt]
            if self._accepting.get((peer, path)) is attempt:
                del self._accepting[peer, path]
            if isinstance(result, Failure):
                reason = result.getErrorMessage()
                _log.info("nobody came over {endpoint}: {reason}", endpoint=endpoint, reason=reason)
                if not isinstance(result.value, CancelledError):
                    self.notes.failed(peer, path, kind_of(result))
            self._maybe_stopped()

        logged(attempt.addBoth(done), _log, "a relayed call")

    def _roster_only(self, key: bytes) -> str | None:
        return None if self._roster.is_wanted(key) else _refuse(key)

    @property
    def wanted(self) -> tuple[bytes, ...]:
        """The keys of all peers to which a link is to be kept up, sorted."""
        return self._roster.wanted

    def want(self, peer: bytes, addresses: Sequence[str], claimed: Sequence[str] = ()) -> None:
        """Keep a link to this peer, dialling these addresses in turn; none means waiting for its call.

        `claimed` are addresses that we have from others: each is dialled a few times, then only if the peer was there.
        """
        self._roster.want(peer, addresses, self._now(), claimed)
        for path, endpoint in self._early.take(peer, self._now()):
            self.accept_over(endpoint, peer, path)
        self._arm()

    def want_also(self, peer: bytes, claimed: Sequence[str]) -> None:
        """A person asks for this peer now: dial it at these addresses too."""
        self._roster.also(peer, claimed, self._now())
        self._arm()

    def proven(self, peer: bytes) -> tuple[str, ...]:
        """Where this wanted peer has answered our calls."""
        return self._roster.proven(peer)

    def meet(self, address: str, mark: str | None) -> Deferred[bytes]:
        """Link to the unknown peer at this address whose fingerprint is `mark`; fires with its key, now wanted.

        Without a mark anybody may answer: then a person has to compare the fingerprint before anything is agreed.
        A peer that is linked already is not called again; its link is asked whether it lives.
        """
        link = self._link_for(address, mark)
        if link is not None:
            assert link.peer is not None
            self._roster.found(link.peer, address)
            link.probe()
            return succeed(link.peer)

        def why_not(key: bytes) -> str | None:
            return None if mark in (None, fingerprint(key)) else "its fingerprint is another one"

        call = Call(address, None, why_not)

        def given_up(_: Deferred[bytes]) -> None:
            self._meetings.pop(call, None)  # a link that comes too late is not a surprise then: it is refused

        meeting = self._meetings[call] = Deferred(given_up)
        self._dial(call)
        return meeting

    def _link_for(self, address: str, mark: str | None) -> PeerLink | None:
        """The kept link to whom a person means; without a mark only one that we dialled at this very address."""
        for peer in self.linked:
            link = self._kept_link(peer)
            if link is not None and link.is_open:
                at = None if link.call is None else link.call.address
                if address == at if mark is None else mark == fingerprint(peer):
                    return link
        return None

    def forget(self, peer: bytes, reason: str = "not needed any more") -> None:
        """End the link to this peer and do not dial it again."""
        self._perform(self._roster.forget(peer, reason))

    def send(self, peer: bytes, message: AnyMessage) -> bool:
        """Send to one peer; False if it is not linked now."""
        link = self._kept_link(peer)
        if link is None or not link.is_open:
            return False
        link.send(message)
        self._written.add(link)
        return True

    def push(self) -> None:
        """What was sent to anybody goes out now, not with the next turn of the reactor."""
        while self._written:
            self._written.pop().push()

    def disconnect(self, peer: bytes, reason: str) -> None:
        """End the link to this peer now; a wanted peer is dialled again."""
        link = self._kept_link(peer)
        if link is not None:
            link.close(reason)

    @property
    def linked(self) -> tuple[bytes, ...]:
        """The keys of all peers that are linked now, sorted."""
        return self._roster.linked

    def link_to(self, peer: bytes) -> LinkInfo | None:
        """The kept link to this peer; None if it is not linked now."""
        link = self._kept_link(peer)
        if link is None:
            return None
        return LinkInfo(
            peer, link.address, link.dialled, link.round_trip, link.skew, link.about, link.protocol, link.features
        )

    def links(self) -> tuple[LinkInfo, ...]:
        """All kept links, with their round trips."""
        return tuple(info for peer in self.linked if (info := self.link_to(peer)) is not None)

    def protocol_of(self, peer: bytes) -> int:
        """What a peer and this node both speak; the oldest if there is no link to it, not even one that is ending."""
        kept = self._kept_link(peer)
        links = self._open.values() if kept is None else (kept,)
        return next((link.protocol for link in links if link.peer == peer), OLDEST)

    def stop(self) -> Deferred[None]:
        """End everything; fires when all ports and connections are gone."""
        if self._stopping is None:
            self._stopping = Deferred()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            for attempt in list(self._connecting):
                attempt.cancel()
            for link in list(self._all):
                link.close("the node stops")
            ports = DeferredList([_stop_listening(port) for port in self._ports], consumeErrors=True)
            ports.addCallback(lambda _: self._ports.clear())
            ports.addCallback(lambda _: self._maybe_stopped())
        return self._stopping

    # What links tell.

    def link_connected(self, link: PeerLink) -> None:
        """TCP is up."""
        self._all.add(link)
        if self._stopping is not None:
            link.close("the node stops")

    def is_known(self, peer: bytes) -> bool:
        """Whether the peer is wanted, or the owner knows it: a flood of strangers does not take its place."""
        return self._roster.is_wanted(peer) or self._is_known(peer)

    def link_secured(self, link: PeerLink) -> str | None:
        """A call of ours got through to the right key: the first of a race wins, the others are called off."""
        peer = None if link.call is None else link.call.peer
        if peer is None or link.call is None:
            return None
        if reason := self._roster.why_not_greet(peer, path_of(link.call.address)):
            return reason
        rivals = [other for other in self._all if other is not link and other.call is not None]
        rivals = [other for other in rivals if other.call and other.call.peer == peer and not other.was_opened]
        if any(rival.is_secured for rival in rivals):
            return "another path was faster"
        for rival in rivals:
            rival.abort("another path was faster")
        for attempt, call in list(self._connecting.items()):
            if call is not None and call.peer == peer and call is not link.call:
                attempt.cancel()
        return None

    def link_opened(self, link: PeerLink, hello: Hello) -> None:
        """A peer said hello."""
        assert link.peer is not None
        meeting = None if link.call is None else self._meetings.pop(link.call, None)
        if meeting is not None and link.call is not None:
            self._roster.found(link.peer, link.call.address)
        if reason := self._why_not_key(link.peer):  # forgotten while it was on its way
            link.close(reason)
            return
        self._next_number += 1
        number = self._numbers[link] = self._next_number
        self._open[number] = link
        path, address = path_of(link.address), None if link.call is None else link.call.address
        can_move = MOVES in link.features
        effects = self._roster.link_opened(
            link.peer, number, link.dialled, hello.nonce, self._now(), path, address, can_move
        )
        self._perform(effects)
        if meeting is not None:
            meeting.callback(link.peer)  # only now: what is said to the peer must go over the link that is kept

    def link_received(self, link: PeerLink, message: AnyMessage) -> None:
        """A message came; one from a link that is being replaced still counts."""
        assert link.peer is not None
        self._owner.message_received(link.peer, message)
        self.push()  # what was said in answer, all of it together

    def link_closed(self, link: PeerLink, reason: str) -> None:
        """A connection is gone."""
        self._all.discard(link)
        self._written.discard(link)
        if link.call is not None and not link.was_opened:
            self._call_failed(link.call, reason)
        number = self._numbers.pop(link, None)
        if number is not None and link.peer is not None:
            del self._open[number]
            self._perform(self._roster.link_closed(link.peer, number, reason, self._now()))
            if link.is_retired and not link.was_handed_over and self._roster.link_of(link.peer) is not None:
                self._owner.peer_linked(link.peer)
        self._maybe_stopped()
        self._arm()

    # How it does it.

    def _kept_link(self, peer: bytes) -> PeerLink | None:
        number = self._roster.link_of(peer)
        return None if number is None else self._open.get(number)

    def _why_not_key(self, key: bytes) -> str | None:
        return None if self._roster.is_wanted(key) else self.why_not_stranger(key)

    def _now(self) -> float:
        return self._clock.seconds()

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            try:
                self._carry_out(effect)
            except Exception:  # the roster believes that it was done: the others of its effects must not be lost too
                _log.failure("the mesh could not do {effect}", effect=type(effect).__name__)
        self._arm()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Dial(peer, address):
                self._dial(Call.to_peer(address, peer))
            case DropLink(number, reason):
                self._open[number].close(reason)
            case Retire(number, speaks_first):
                self._open[number].retire(speaks_first)
            case Probe(number):
                self._open[number].probe()
            case Linked(peer, number):
                self.notes.reached(peer, path_of(self._open[number].address))
                _log.info("{peer} linked: {link!r}", peer=fingerprint(peer)[:9], link=self._open[number])
                self._owner.peer_linked(peer)
            case Relinked(peer, number):
                self.notes.reached(peer, path_of(self._open[number].address))
                _log.info("{peer} moved to {link!r}", peer=fingerprint(peer)[:9], link=self._open[number])
                self._owner.peer_moved(peer)
            case Lost(peer, reason):
                _log.info("{peer} lost: {reason}", peer=fingerprint(peer)[:9], reason=reason)
                self._owner.peer_lost(peer, reason)

    def _dial(self, call: Call) -> None:
        factory: Any = self._links.dialling_factory(call)
        try:
            attempt = self._endpoint_for(self._reactor, call.address).connect(factory)
        except ConfigError:
            attempt = fail()
        self._connecting[attempt] = call

        def connected(_: object) -> None:
            self._connecting.pop(attempt, None)

        def failed(failure: Failure) -> None:
            self._connecting.pop(attempt, None)
            reason = failure.getErrorMessage()
            _log.info("{address} not reached: {reason}", address=call.address, reason=reason)
            if call.peer is not None and not isinstance(failure.value, _CALLED_OFF):
                self.notes.failed(call.peer, path_of(call.address), kind_of(failure))
            self._call_failed(call, reason)
            self._arm()
            self._maybe_stopped()

        logged(attempt.addCallbacks(connected, failed), _log, "a call")

    def _call_failed(self, call: Call, reason: str) -> None:
        meeting = self._meetings.pop(call, None)
        if meeting is not None:
            meeting.errback(RemoteError(f"{call.address}: {reason}"))
        elif call.peer is not None:
            self._roster.dial_failed(call.peer, self._now())

    def _arm(self) -> None:
        at = None if self._stopping is not None else self._roster.wake_at
        if self._timer is not None:
            if at is not None and self._timer.getTime() <= at:
                return
            self._timer.cancel()
            self._timer = None
        if at is not None:
            self._timer = self._clock.callLater(max(0.0, at - self._now()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        try:
            self._perform(self._roster.tick(self._now()))
        except Exception:
            _log.failure("the mesh could not do what was due")
            self._arm()

    def _maybe_stopped(self) -> None:
        stopping = self._stopping
        if stopping is not None and not stopping.called and not (self._ports or self._all or self._connecting):
            stopping.callback(None)


def kind_of(failure: Failure) -> str:
    """Why a way came to nothing: in a word if there is one, else in those of the error."""
    error = failure.value
    return str(getattr(error, "kind", None) or getattr(error, "code", None) or failure.getErrorMessage())


def _stop_listening(port: ListeningPort) -> Deferred[Any]:
    stopped: Deferred[Any] = maybeDeferred(port.stopListening)
    return stopped


def tcp_endpoint(reactor: Any, address: str) -> ClientEndpoint:
    """The endpoint for a `host:port` address."""
    host, port = parse_address(address)
    if not is_ip(host):
        return cast(ClientEndpoint, HostnameEndpoint(reactor, host.encode(), port, timeout=CONNECT_TIME))
    kind = TCP6ClientEndpoint if ":" in host else TCP4ClientEndpoint
    return cast(ClientEndpoint, kind(reactor, host, port, timeout=CONNECT_TIME))
