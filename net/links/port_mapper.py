"""Keeps a port of this node open at its router, and gives it back in the end. An adapter around port_mapping.

The router is asked by PCP and NAT-PMP first, which take milliseconds and a few bytes. Where that comes to nothing, or
to nothing within a second, it is asked by UPnP too, if the extra is installed. What the first two grant is preferred;
the other is given back then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Final

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import DatagramProtocol
from twisted.logger import Logger

from kontor_games.net.system.clock import Timer
from kontor_games.net.system.gateway import default_gateway, own_address_towards
from kontor_games.net.wire.address import join_address, parse_address

from . import upnp
from .port_mapping import (
    ROUTER_PORT,
    SILENT,
    MappingEffect,
    MappingState,
    PortGranted,
    PortMapping,
    PortRefused,
    SendToRouter,
)
from .upnp_lease import UpnpLease

UPNP_AFTER: Final = 1.0  # seconds; routers that know PCP or NAT-PMP have answered by then
LOOK_TIME: Final = 4.0  # seconds that somebody who looks waits for a router
_log = Logger(namespace="kontor.router")
NOT_ASKED: Final = "was not asked yet to let other players in: that happens when you go to a lobby"
ASKED: Final = "is being asked to let other players in, and has not answered yet"
NOT_FOUND: Final = "could not be found, so it was not asked to let other players in"


class PortMapper(DatagramProtocol):
    """One node's port at its router; `on_change` is called with the outside address, or "" when there is none."""

    transport: Any

    def __init__(
        self,
        reactor: Any,
        port: int,
        on_change: Callable[[str], None],
        gateway: Callable[[], str | None] = default_gateway,
        can_upnp: Callable[[], bool] = upnp.is_installed,
    ) -> None:
        self.outside = ""  # host:port at which the router lets calls in
        self.language = ""  # by which it was asked, for people who look after a router
        self.reason = NOT_ASKED  # why there is none; ends a sentence that begins with «your router»
        self._reactor = reactor
        self._port = port
        self._on_change = on_change
        self._gateway = gateway
        self.can_upnp = can_upnp()
        self._lease: UpnpLease | None = None
        self._upnp_timer: Any = None
        self._router = ""
        self._own = ""  # our address on the way there
        self._mapping: PortMapping | None = None
        self._timer: Timer | None = None
        self._listening: Any = None
        self._lookers: list[Deferred[None]] = []

    def start(self) -> None:
        """Ask the router, and stay in touch with it; again does nothing."""
        if self._mapping is not None:
            return
        router = self._gateway()
        own = None if router is None else own_address_towards(router)
        if router is None or own is None:
            self.reason = NOT_FOUND
            return
        self.reason = ASKED
        self._router = router
        if self.can_upnp:
            self._lease = UpnpLease(self._reactor, upnp.UpnpRouter(own, router), self._port, self._upnp_answered)
        self._mapping = PortMapping(own, self._port, os.urandom(12))
        self._own = own
        self._begin(self._mapping)

    def ask_again(self) -> Deferred[None]:
        """Somebody looks, perhaps after having changed the router: a router that let nobody in is asked once more.

        Fires when it lets calls in now, or LOOK_TIME later.
        """
        if self._mapping is None or self.outside:
            return succeed(None)
        if self._mapping.state is MappingState.NONE:
            self._begin(self._mapping)
        looker: Deferred[None] = Deferred()
        self._lookers.append(looker)
        timer = self._reactor.callLater(LOOK_TIME, self._answer_lookers)

        def answered(_: None) -> None:
            if timer.active():
                timer.cancel()

        return looker.addCallback(answered)

    def _begin(self, mapping: PortMapping) -> None:
        self._end_upnp_timer()
        self._upnp_timer = self._reactor.callLater(UPNP_AFTER, self._ask_by_upnp)
        self._perform(mapping.begin(self._now()))

    def _answer_lookers(self) -> None:
        lookers, self._lookers = self._lookers, []
        for looker in lookers:
            looker.callback(None)

    @property
    def router(self) -> str:
        """The router's address in our network; empty while it was not looked for."""
        return self._router

    @property
    def may_be_open(self) -> tuple[int, ...]:
        """Outside ports that were granted and not given back, besides the one at which others are let in now."""
        lent = {each.lent_port for each in (self._mapping, self._lease) if each is not None}
        lent -= {None, parse_address(self.outside)[1] if self.outside else None}
        return tuple(sorted(port for port in lent if port is not None))

    def stop(self) -> Deferred[None]:
        """Give the port back; fires when that is done."""
        if self._mapping is not None:
            self._perform(self._mapping.stop())
            self._mapping = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._end_upnp_timer()
        self._answer_lookers()
        if self._listening is not None:
            self._listening.stopListening()
            self._listening = None
        lease, self._lease = self._lease, None
        return succeed(None) if lease is None else lease.stop()

    def startProtocol(self) -> None:
        """The socket is there; from now on the system shows us datagrams of the router alone."""
        self.transport.connect(self._router, ROUTER_PORT)

    def stopProtocol(self) -> None:
        """The socket is gone. If we did not close it, the router said that nobody listens: Twisted ends it then."""
        self._listening = None
        self.connectionRefused()

    def datagramReceived(self, datagram: bytes, addr: Any) -> None:
        """The router said something."""
        if self._mapping is not None:
            self._perform(self._mapping.received(datagram, self._now()))

    def connectionRefused(self) -> None:
        """Nothing listens at the router's port: that is an answer too."""
        if self._mapping is not None:
            self._perform(self._mapping.nobody_listens(self._now()))

    def _now(self) -> float:
        return float(self._reactor.seconds())

    def _perform(self, effects: Iterable[MappingEffect]) -> None:
        for effect in effects:
            match effect:
                case SendToRouter(data):
                    self._send(data)
                case PortGranted(host, port, language):
                    if self._lease is not None:
                        self._lease.let_go()
                    self._granted(host, port, language)
                case PortRefused(reason):
                    if self._lease is None or not self._lease.is_held:
                        self._refused(reason)
                        self._ask_by_upnp()
        self._arm()

    def _ask_by_upnp(self) -> None:
        self._end_upnp_timer()
        if self._lease is not None and self._mapping is not None and self._mapping.granted is None:
            self._lease.ask()

    def _end_upnp_timer(self) -> None:
        if self._upnp_timer is not None and self._upnp_timer.active():
            self._upnp_timer.cancel()
        self._upnp_timer = None

    def _upnp_answered(self, grant: upnp.UpnpGrant | None, reason: str) -> None:
        if self._mapping is None or self._mapping.granted is not None:
            return
        if grant is None:
            self._refused(reason)
        else:
            self._granted(grant.host, grant.port, "UPnP")

    def _granted(self, host: str, port: int, language: str) -> None:
        _log.info("the router lets calls in at {host}:{port} ({how})", host=host, port=port, how=language)
        self.language, self.reason = language, ""
        self._change(join_address(host, port))
        self._answer_lookers()

    def _refused(self, reason: str) -> None:
        _log.info("the router {reason}", reason=reason)
        if (
            reason != SILENT or self.outside or self.reason in (NOT_ASKED, ASKED)
        ):  # a refusal says more than silence elsewhere
            self.reason = reason
        self._change("")

    def _change(self, outside: str) -> None:
        if outside != self.outside:
            self.outside = outside
            self._on_change(outside)

    def _send(self, data: bytes) -> None:
        try:
            if self._listening is None:
                self._listening = self._reactor.listenUDP(0, self, interface=self._own)
            self.transport.write(data)
        except (OSError, CannotListenError) as error:  # no way to the router just now; it is asked again
            _log.info("the router was not reached: {error}", error=str(error))

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = None if self._mapping is None else self._mapping.wake_at
        if at is not None:
            self._timer = self._reactor.callLater(max(0.0, at - self._now()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self._mapping is not None:
            self._perform(self._mapping.tick(self._now()))
