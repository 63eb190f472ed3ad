"""A real lobby and real nodes on loopback, for tests with sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint, TCP6ClientEndpoint

from kontor_games.lobby.server.service import Lobby
from kontor_games.lobby.settings.config import Config, LimitSettings, RateSetting
from kontor_games.lobby.store.base import Store
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.net.lobbies.lobby_link import LobbyLink, lobby_factory
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Command, Event, HallNews, SignedIn
from tests.lobby.bench import Games

PATIENCE = 60.0  # seconds for anything that is waited for; a loaded machine takes its time
FREE = RateSetting(10_000, 10_000)
ROOMY = LimitSettings(arrivals=FREE, handshakes=FREE, tables=FREE, queue=FREE, names=FREE)


def the_reactor() -> Any:
    from twisted.internet import reactor

    return reactor


async def pause(seconds: float) -> None:
    done: Deferred[None] = Deferred()
    the_reactor().callLater(seconds, done.callback, None)
    await done


async def until(look: Callable[[], Any], patience: float = 15.0) -> Any:
    """Wait until something is so; what `look` then says."""
    deadline = the_reactor().seconds() + patience
    while not (found := look()):
        assert the_reactor().seconds() < deadline, "it never came to that"
        await pause(0.01)
    return found


class Node:
    """A node as far as the lobby sees it; keeps everything it is told."""

    def __init__(self, name: str, identity: Identity | None = None) -> None:
        self.name = name
        self.identity = identity or Identity.generate()
        self.events: list[Event] = []
        self.lost: list[tuple[str, bool]] = []
        self.link: LobbyLink | None = None
        self._waiting: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    async def come(
        self, port: int, lobby: bytes | None, source: str = "127.0.0.1", host: str = "127.0.0.1"
    ) -> SignedIn:
        """Connect and sign in; raises with the lobby's reason if it does not want us."""
        reactor = the_reactor()

        def make() -> LobbyLink:
            return LobbyLink(reactor, self.identity, self.name, 4000, lobby, self._told, self._gone)

        kind = TCP6ClientEndpoint if ":" in host else TCP4ClientEndpoint
        endpoint = kind(reactor, host, port, bindAddress=(source, 0))
        tls = await endpoint.connect(lobby_factory(self.identity, make))
        self.link = tls.wrappedProtocol
        self.link.accepted.addTimeout(PATIENCE, reactor)
        return await self.link.accepted

    async def ask(self, command: Command) -> Any:
        assert self.link is not None
        return await self.link.ask(command).addTimeout(PATIENCE, the_reactor())

    async def hears(self, kind: type, when: Callable[[Any], bool] = lambda event: True) -> Any:
        """The first event of a kind that fits, as soon as it is there."""

        def found() -> Any:
            return next((event for event in self.events if isinstance(event, kind) and when(event)), None)

        return await self._until(found)

    async def hears_in_hall(self, count: int) -> list[str]:
        """The lines of the hall as soon as there are so many; they may come in one piece of news or in several."""

        def found() -> list[str] | None:
            lines = [line.text for event in self.events if isinstance(event, HallNews) for line in event.lines]
            return lines if len(lines) >= count else None

        return await self._until(found)

    async def is_cut(self) -> str:
        """Wait for the end of the connection; the reason."""
        await self._until(lambda: self.lost or None)
        return self.lost[-1][0]

    async def _until(self, look: Callable[[], Any]) -> Any:
        if (value := look()) is not None:
            return value
        waiting: Deferred[Any] = Deferred()
        self._waiting.append((look, waiting))
        return await waiting.addTimeout(PATIENCE, the_reactor())

    def _told(self, event: Event) -> None:
        self.events.append(event)
        self._look()

    def _gone(self, reason: str, retry: bool) -> None:
        self.lost.append((reason, retry))
        self._look()

    def _look(self) -> None:
        for look, waiting in list(self._waiting):
            if waiting.called:
                self._waiting.remove((look, waiting))
            elif (value := look()) is not None:
                self._waiting.remove((look, waiting))
                waiting.callback(value)

    async def leave(self) -> None:
        if self.link is not None and not self.lost:
            self.link.close()
            await self.is_cut()


class Party:
    """A lobby with the nodes that came to it."""

    def __init__(self, lobby: Lobby, port: int) -> None:
        self.lobby = lobby
        self.port = port
        self.nodes: list[Node] = []

    async def node(self, name: str, identity: Identity | None = None, source: str = "127.0.0.1") -> Node:
        node = Node(name, identity)
        self.nodes.append(node)
        await node.come(self.port, self.lobby.key, source)
        return node

    def count(self, metric: str, **labels: str) -> float:
        """A counter's value."""
        return self.lobby.metrics.registry.get_sample_value(f"kontor_lobby_{metric}", labels) or 0.0


@asynccontextmanager
async def party(
    store: Store | None = None, config: Config | None = None, limits: LimitSettings = ROOMY
) -> AsyncIterator[Party]:
    """A lobby that listens, and everything closed at the end."""
    reactor = the_reactor()
    config = replace(config or Config(hall_every=0.05), limits=limits)
    lobby = Lobby(reactor, config, Identity.generate(), store or MemoryStore(), Games())
    port = await lobby.start(TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1"))
    it = Party(lobby, port.getHost().port)
    try:
        yield it
    finally:
        for node in it.nodes:
            await node.leave()
        await lobby.stop("the test is over")
        await pause(0.01)
