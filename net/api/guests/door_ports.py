"""Where the guest door listens: on the local network's addresses, all with one port. An adapter."""

from __future__ import annotations

from typing import Any, Final

from twisted.internet.defer import Deferred, DeferredList, maybeDeferred
from twisted.internet.error import CannotListenError

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import join_address, own_addresses

USUAL_PORT: Final = 7480  # easy to type; another one if it is taken
BACKLOG: Final = 64


def door_addresses(bound: str, wished: str) -> list[str]:
    """Where to listen: where the owner says, where the node is bound, or everywhere on the local network."""
    own = [bound] if bound and bound not in ("0.0.0.0", "::") else own_addresses()  # noqa: S104 - compared, not bound
    if not own:
        raise ConfigError("this machine has no address on a local network: connect it to the Wi-Fi first")
    if wished and wished not in own:
        there = ", ".join(own)
        raise ConfigError(f"{wished[:60]} is not an address of this machine on a local network; there are: {there}")
    return [wished] if wished else own


class DoorPorts:
    """The open ports of a door."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._open: list[Any] = []
        self.hosts: list[str] = []  # with the port
        self.number = 0

    def open(self, door: Any, addresses: list[str], port: int, context: Any) -> None:
        """Listen on this port, or on another one if it is taken; ConfigError if that cannot be."""
        for wish in dict.fromkeys((port, 0)):
            opened: list[Any] = []
            number = wish
            try:
                for address in addresses:
                    opened.append(self._listen(number, door, address, context))
                    number = int(opened[0].getHost().port)
            except CannotListenError as error:
                DeferredList([maybeDeferred(each.stopListening) for each in opened])
                reason = f"the door cannot be opened at {address} on port {number}: {error.socketError}"
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
