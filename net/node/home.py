"""A node's home on this machine: identity, one process at a time, and the port under which others know it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint
from twisted.internet.error import CannotListenError
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.links.port_mapper import PortMapper
from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.address import join_address, own_addresses
from kontor_games.net.wire.identity import Identity

from .home_lock import lock_home
from .node import Node
from .node_news import News
from .node_tables import tell_addresses

LOOPBACK: Final = "127.0.0.1"
BACKLOG: Final = 512  # connections that the system holds until we take them: in a burst nobody has to call again
_log = Logger(namespace="kontor.node")


class Home:
    """The directory of one node, locked while this lives: two processes must never sign for one seat."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = lock_home(directory)
        except OSError as error:
            what = f" ({Path(error.filename).name})" if error.filename else ""
            raise StoreError(f"{directory}: cannot be used as a home: {error.strerror}{what}") from None

    def close(self) -> None:
        """Let another process have it."""
        self._lock.close()

    @property
    def last_port(self) -> int:
        """The port of the last time, 0 if there was none: others still have the address."""
        try:
            port = int((self.directory / "port").read_text(encoding="ascii")[:8])
        except (OSError, ValueError):
            return 0
        return port if 0 < port < 65536 else 0

    @inlineCallbacks
    def open_node(
        self,
        reactor: Any,
        identity: Identity,
        listener: Callable[[News], None],
        bind: str = "",
        port: int = 0,
        mapping: bool = False,
        punching: bool = True,
    ) -> Any:
        """A node that listens (on all interfaces, or on `bind` alone); fires with it, not started yet."""
        node = Node(reactor, self.directory, identity, listener)
        found = yield self._listen(reactor, node, bind, port)
        write_private(self.directory / "port", str(found))
        hosts = [bind]
        if not bind:
            has_six = yield _listen_on_six(reactor, node, found)
            hosts = [*(host for host in own_addresses() if has_six or ":" not in host), LOOPBACK]
        own = tuple(join_address(host, found) for host in hosts[:7])
        node.where.addresses = own
        node.where.can_punch = punching

        def outside_changed(outside: str) -> None:
            node.where.addresses = with_outside(own, outside)
            tell_addresses(node.tables, node.key)

        if mapping and not bind:
            node.mapper = PortMapper(reactor, found, outside_changed)
            node.lobbies.on_open = node.mapper.start
        return node

    @inlineCallbacks
    def _listen(self, reactor: Any, node: Node, bind: str, port: int) -> Any:
        wishes = (port,) if port else (self.last_port, 0)
        endpoint: Any = TCP6ServerEndpoint if ":" in bind else TCP4ServerEndpoint
        for wish in dict.fromkeys(wishes):
            try:
                opened = yield node.listen(endpoint(reactor, wish, BACKLOG, bind))
            except CannotListenError as error:
                reason = f"cannot listen on port {wish}: {error.socketError}"
            else:
                return opened.getHost().port
        raise ConfigError(reason)


def with_outside(own: tuple[str, ...], outside: str) -> tuple[str, ...]:
    """A node's addresses with the one that its router granted: early, because what others pass on of them is bounded.

    The first stays the first: its port is the one at which this node listens.
    """
    return (*own[:1], outside, *own[1:]) if outside else own


class SixOnly:
    """All IPv6 interfaces at one port and nothing of IPv4, so that IPv4 can have the same port on every system."""

    def __init__(self, reactor: Any, port: int) -> None:
        self._reactor = reactor
        self._port = port

    def listen(self, factory: Any) -> Deferred[Any]:
        """Open the port; OSError if this machine has no IPv6, or another program has the port there."""
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as wire:
            wire.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            wire.bind(("::", self._port))
            wire.listen(BACKLOG)
            wire.setblocking(False)
            return succeed(self._reactor.adoptStreamPort(wire.fileno(), socket.AF_INET6, factory))


@inlineCallbacks
def _listen_on_six(reactor: Any, node: Node, port: int) -> Any:
    """Listen on IPv6 too, where that is possible; fires with whether it is."""
    try:
        yield node.listen(SixOnly(reactor, port))
    except (OSError, AttributeError) as error:  # the latter: a reactor that cannot adopt, as on Windows
        _log.info("not reachable over IPv6: {error}", error=str(error))
        return False
    return True
