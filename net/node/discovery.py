"""Tables on the local network, found without any server: DNS-SD through zeroconf's own threads. An adapter."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from zeroconf import Error as ZeroconfError
from zeroconf import InterfaceChoice, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.links.paths import Path, path_of
from kontor_games.net.system.admission import Residents
from kontor_games.net.system.buckets import Bucket, Rate
from kontor_games.net.wire.address import host_of, join_address, own_addresses
from kontor_games.net.wire.lan_offer import SERVICE, Announcement, read_offer, write_offer

LOOK_UP_TIME: Final = 1500  # milliseconds for the details of an announcement
MAX_OFFERS: Final = 1024
MAX_OWN: Final = 8  # tables of one node that are announced; those where one may sit come first
QUESTIONS = Rate(0.2, 8.0)  # announcements per second whose details have to be asked for
_log = Logger(namespace="kontor.lan")


class LanOwner(Protocol):
    """Who hears of tables; calls come from the reactor thread."""

    def offer_seen(self, name: str, offer: Announcement) -> None:
        """A table appeared under this name, or it changed."""

    def offer_gone(self, name: str) -> None:
        """The table under this name is gone."""


class Lan:
    """This node's ear and voice on the local network."""

    def __init__(self, reactor: Any, owner: LanOwner, interfaces: Sequence[str] | None = None) -> None:
        self._reactor = reactor
        self._owner = owner
        self._interfaces = interfaces  # None: all
        self._lock = DeferredLock()  # zeroconf's calls block for up to a second; one after the other
        self._zeroconf: Zeroconf | None = None
        self._browser: ServiceBrowser | None = None
        self._mine: dict[str, tuple[Announcement, ServiceInfo]] = {}  # by table
        # A name of its own for every process: what is cached of an earlier one must not stand in the way.
        self._name = os.urandom(6).hex()
        # A thousand forged tables leave room for a true one: the machine that claims most of them gives way.
        self._seen: Residents[str] = Residents(MAX_OFFERS)
        self._questions = Bucket(QUESTIONS)
        self._is_stopped = False

    def start(self) -> Deferred[None]:
        """Begin to listen; ConfigError if this machine has no network for it."""
        return self._in_thread(self._start)

    def announce(self, offers: Sequence[Announcement], port: int) -> Deferred[None]:
        """These are our tables now: the network hears of what is new, has changed or is gone."""
        return self._in_thread(lambda: self._announce(offers, port))

    def stop(self) -> Deferred[None]:
        """Say goodbye and end zeroconf's threads."""
        self._is_stopped = True
        return self._in_thread(self._stop)

    # These run in a thread of the pool, one at a time.

    def _start(self) -> None:
        try:
            self._zeroconf = Zeroconf(InterfaceChoice.All if self._interfaces is None else list(self._interfaces))
        except OSError as error:
            raise ConfigError(f"tables on the local network cannot be looked for: {error}") from error
        self._browser = ServiceBrowser(self._zeroconf, SERVICE, handlers=[self._noticed])

    def _announce(self, offers: Sequence[Announcement], port: int) -> None:
        if self._zeroconf is None:
            raise ConfigError("the local network is not listened to yet")
        kept = {offer.table: offer for offer in offers[:MAX_OWN]}
        for table in [table for table in self._mine if table not in kept]:
            self._zeroconf.unregister_service(self._mine.pop(table)[1])  # says goodbye: others drop it at once
        for table, offer in kept.items():
            before = self._mine.get(table)
            if before is not None and before[0] == offer:
                continue
            info = self._service(offer, port)
            if before is None:
                self._zeroconf.register_service(info)
            else:
                self._zeroconf.update_service(info)
            self._mine[table] = offer, info

    def _service(self, offer: Announcement, port: int) -> ServiceInfo:
        return ServiceInfo(
            SERVICE,
            f"{self._name}-{offer.table}.{SERVICE}",
            port=port,
            properties=write_offer(offer),
            server=f"kontor-{self._name}.local.",
            parsed_addresses=list(self._interfaces or own_addresses()),
        )

    def _stop(self) -> None:
        if self._zeroconf is not None:
            self._announce((), 0)
        if self._browser is not None:
            self._browser.cancel()
        if self._zeroconf is not None:
            self._zeroconf.close()
        self._zeroconf = self._browser = None

    def _in_thread(self, job: Callable[[], None]) -> Deferred[None]:
        pool = self._reactor.getThreadPool()
        done: Deferred[None] = self._lock.run(deferToThreadPool, self._reactor, pool, job)
        return done

    # This runs in the browser's thread and may block there.

    def _noticed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        try:
            self._look_up(zeroconf, service_type, name, state_change)
        except Exception:  # it would end zeroconf's thread, and nothing would be heard from then on
            _log.failure("an announcement could not be read")

    def _look_up(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if name.startswith(f"{self._name}-") or self._is_stopped:
            return
        offer: Announcement | None = None
        if state_change is not ServiceStateChange.Removed:
            try:
                offer = self._read(zeroconf, service_type, name)
            except (RemoteError, ZeroconfError) as error:
                _log.debug("ignored {name!r} on the local network: {reason}", name=name[:80], reason=str(error))
        self._reactor.callFromThread(self._tell, name, offer)

    def _read(self, zeroconf: Zeroconf, service_type: str, name: str) -> Announcement:
        """What was announced under this name. Nodes announce all of it at once; to ask for the rest takes time.

        That time is bounded: whoever announces a thousand names without anything behind them must not keep us busy.
        """
        info = ServiceInfo(service_type, name)
        if not info.load_from_cache(zeroconf):
            if self._questions.take(time.monotonic()) > 0:
                raise RemoteError("too many announcements without details")
            if not info.request(zeroconf, LOOK_UP_TIME):
                raise RemoteError("an announcement without details")
        return read_offer(info.properties, info.parsed_scoped_addresses(), info.port or 0)

    # And this in the reactor's.

    def _tell(self, name: str, offer: Announcement | None) -> None:
        if self._is_stopped:
            return
        if offer is None:
            if name in self._seen:
                self._seen.leave(name)
                self._owner.offer_gone(name)
            return
        if name not in self._seen:
            gone = self._seen.enter(name, _machine(offer))
            if gone == name:
                return
            if gone is not None:
                self._owner.offer_gone(gone)
        self._owner.offer_seen(name, offer)


def _machine(offer: Announcement) -> str:
    """The machine that an offer claims to be on; all that claim to be elsewhere count as one, for they cost nothing."""
    hosts = [host_of(address) for address in offer.addresses]
    near = [host for host in hosts if path_of(join_address(host, 1)) is Path.LAN]
    return next((host for host in near if ":" not in host), near[0] if near else "0.0.0.0")  # noqa: S104 - a name only
