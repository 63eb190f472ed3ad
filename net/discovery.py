"""Tables on the local network, found without any server: DNS-SD through zeroconf's own threads. An adapter."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from zeroconf import InterfaceChoice, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from engine.errors import ConfigError, RemoteError
from net.address import own_addresses
from net.identity import fingerprint
from net.offer import SERVICE, Offer, read_offer, write_offer

LOOK_UP_TIME: Final = 1500  # milliseconds for the details of an announcement
MAX_OFFERS: Final = 256
_log = Logger(namespace="kontor.lan")


class LanOwner(Protocol):
    """Who hears of tables; calls come from the reactor thread."""

    def offer_seen(self, name: str, offer: Offer) -> None:
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
        self._mine: ServiceInfo | None = None
        self._name = ""
        self._seen: set[str] = set()
        self._is_stopped = False

    def start(self) -> Deferred[None]:
        """Begin to listen; ConfigError if this machine has no network for it."""
        return self._in_thread(self._start)

    def announce(self, offer: Offer, port: int) -> Deferred[None]:
        """Tell the network about our table; call it again when something changes."""
        return self._in_thread(lambda: self._announce(offer, port))

    def withdraw(self) -> Deferred[None]:
        """Our table is no longer offered."""
        return self._in_thread(self._withdraw)

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

    def _announce(self, offer: Offer, port: int) -> None:
        if self._zeroconf is None:
            raise ConfigError("the local network is not listened to yet")
        if not self._name:
            # A name of its own for every process: what is cached of an earlier one must not stand in the way.
            self._name = f"{fingerprint(offer.key)[:9]}-{os.urandom(3).hex()}"
        info = ServiceInfo(
            SERVICE,
            f"{self._name}.{SERVICE}",
            port=port,
            properties=write_offer(offer),
            server=f"kontor-{self._name}.local.",
            parsed_addresses=list(self._interfaces or own_addresses()),
        )
        if self._mine is None:
            self._zeroconf.register_service(info)
        else:
            self._zeroconf.update_service(info)
        self._mine = info

    def _withdraw(self) -> None:
        if self._zeroconf is not None and self._mine is not None:
            mine, self._mine = self._mine, None
            self._zeroconf.unregister_service(mine)

    def _stop(self) -> None:
        self._withdraw()
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
        if name == f"{self._name}.{SERVICE}" or self._is_stopped:
            return
        offer: Offer | None = None
        if state_change is not ServiceStateChange.Removed:
            info = zeroconf.get_service_info(service_type, name, LOOK_UP_TIME)
            if info is None:
                return
            try:
                offer = read_offer(info.properties, info.parsed_scoped_addresses(), info.port or 0)
            except RemoteError as error:
                _log.debug("ignored {name!r} on the local network: {reason}", name=name[:80], reason=str(error))
        self._reactor.callFromThread(self._tell, name, offer)

    # And this in the reactor's.

    def _tell(self, name: str, offer: Offer | None) -> None:
        if self._is_stopped:
            return
        if offer is None:
            if name in self._seen:
                self._seen.remove(name)
                self._owner.offer_gone(name)
        elif name in self._seen or len(self._seen) < MAX_OFFERS:
            self._seen.add(name)
            self._owner.offer_seen(name, offer)
