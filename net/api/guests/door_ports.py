"""Where the guest door listens: on the local network's addresses, all with one port. An adapter."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from twisted.internet.defer import Deferred, DeferredList, maybeDeferred
from twisted.internet.error import CannotListenError

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import join_address, own_addresses

USUAL_PORT: Final = 7480  # easy to type; another one if it is taken
BACKLOG: Final = 64
# Adapters behind which no phone in the Wi-Fi is: of containers, virtual machines and tunnels.
VIRTUAL: Final = re.compile(
    r"docker|podman|^(br-|veth|virbr|lxc|cni|u?tun|tap|wg|zt|ppp)|tailscale|vpn|vbox|virtual|vmnet|vmware|vethernet|hyper-v",
    re.IGNORECASE,
)


def door_addresses(bound: str, wished: str) -> list[str]:
    """Where to listen: where the owner says, where the node is bound, or everywhere on the local network."""
    own = [bound] if bound and bound not in ("0.0.0.0", "::") else _likely_first(own_addresses())  # noqa: S104 - compared, not bound
    if not own:
        raise ConfigError("this machine has no address on a local network: connect it to the Wi-Fi first")
    if wished and wished not in own:
        there = ", ".join(own)
        raise ConfigError(f"{wished[:60]} is not an address of this machine on a local network; there are: {there}")
    return [wished] if wished else own


def _likely_first(addresses: list[str]) -> list[str]:
    """The first one stands in the links: one that phones in the Wi-Fi reach, where the machine has others too."""
    import ifaddr  # here, because most nodes never open a door

    found = ((ip.ip, adapter.nice_name) for adapter in ifaddr.get_adapters() for ip in adapter.ips)
    return by_likelihood(addresses, ((text, name) for text, name in found if isinstance(text, str)))


def by_likelihood(addresses: list[str], adapters: Iterable[tuple[str, str]]) -> list[str]:
    """These addresses, with the adapter's name of each of version 4; those that somebody gave out come first."""
    names = dict(adapters)

    def doubts(address: str) -> int:
        unlikely = bool(VIRTUAL.search(names.get(address, "")))
        return 4 * (":" in address) + 2 * unlikely + address.startswith("169.254.")

    return sorted(addresses, key=doubts)


class DoorPorts:
    """The open ports of a door."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._open: list[Any] = []
        self.hosts: list[str] = []  # with the port
        self.number = 0

    def open(self, door: Any, addresses: list[str], ports: Sequence[int], context: Any) -> None:
        """Listen on the first of these ports that is free (0: any); ConfigError if none is."""
        reason = ""
        for wish in dict.fromkeys(ports):
            opened: list[Any] = []
            number = wish
            try:
                for address in addresses:
                    opened.append(self._listen(number, door, address, context))
                    number = int(opened[0].getHost().port)
            except CannotListenError as error:
                DeferredList([maybeDeferred(each.stopListening) for each in opened])
                reason = _why(error, address, number)
            else:
                self._open, self.number = opened, number
                self.hosts = [join_address(each, number) for each in addresses]
                return
        raise ConfigError(reason)

    def _listen(self, number: int, door: Any, address: str, context: Any) -> Any:
        if context is None:
            return self._reactor.listenTCP(number, door, BACKLOG, address)
        return self._reactor.listenSSL(number, door, context, BACKLOG, address)

    def close(self) -> Deferred[Any]:
        """Listen no longer."""
        closed, self._open, self.hosts = self._open, [], []
        return DeferredList([maybeDeferred(each.stopListening) for each in closed])


def _why(error: CannotListenError, address: str, number: int) -> str:
    if getattr(error.socketError, "errno", None) == errno.EADDRINUSE:
        return f"port {number} is taken by another program; choose another, or none at all"
    return f"the door cannot be opened at {address} on port {number}: {error.socketError}"
