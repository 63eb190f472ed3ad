"""A node's home on this machine: identity, one process at a time, and the port under which others know it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import inlineCallbacks
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.error import CannotListenError

from engine.errors import ConfigError, StoreError

from .address import join_address, own_addresses
from .daemon import lock_home
from .identity import Identity
from .node import News, Node

LOOPBACK = "127.0.0.1"


class Home:
    """The directory of one node, locked while this lives: two processes must never sign for one seat."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = lock_home(directory)
        except OSError as error:
            raise StoreError(f"{directory}: cannot be used as a home: {error.strerror}") from None

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
        self, reactor: Any, identity: Identity, listener: Callable[[News], None], bind: str = "", port: int = 0
    ) -> Any:
        """A node that listens (on all IPv4 interfaces, or on `bind` alone); fires with it, not started yet."""
        node = Node(reactor, self.directory, identity, listener)
        found = yield self._listen(reactor, node, bind, port)
        (self.directory / "port").write_text(str(found), encoding="ascii")
        hosts = [bind] if bind else [*own_addresses(), LOOPBACK]
        node.addresses = tuple(join_address(host, found) for host in hosts[:8])
        return node

    @inlineCallbacks
    def _listen(self, reactor: Any, node: Node, bind: str, port: int) -> Any:
        wishes = (port,) if port else (self.last_port, 0)
        for wish in dict.fromkeys(wishes):
            try:
                endpoint: Any = TCP4ServerEndpoint
                opened = yield node.listen(endpoint(reactor, wish, interface=bind))
            except CannotListenError as error:
                reason = f"cannot listen on port {wish}: {error.socketError}"
            else:
                return opened.getHost().port
        raise ConfigError(reason)
