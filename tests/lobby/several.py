"""Several real lobby processes on one real Redis, and people whose client moves by itself when a process dies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred

from kontor_games.net.lobbies.lobby_book import LobbyBook
from kontor_games.net.lobbies.lobby_client import LobbyClient
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Command, Event, SignedIn
from tests.worlds.lobby_hall import the_reactor, until
from tests.worlds.redis_server import RedisServer, free_port

from .child import LobbyProcess
from .test_crash import ROOMY


class SharedLobby:
    """One lobby of several processes; all use one directory, and so one key."""

    def __init__(
        self,
        folder: Path,
        redis: RedisServer,
        number: int,
        settings: str = ROOMY,
        host: str = "127.0.0.1",
        prefix: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.host = host
        self._prefix = prefix
        self._redis = redis
        self._settings = settings
        self.ports = [free_port() for _ in range(number)]
        self.processes: list[LobbyProcess | None] = [None] * number
        for which in range(number):
            self.start(which)

    def start(self, which: int, *more: str) -> LobbyProcess:
        config = self.folder / "lobby.toml"
        config.write_text(self._settings)
        port = self.ports[which]
        own = ("--process", f"p{which}", "--address", self.address(which), "--store", self._redis.url)
        arguments = ("--config", str(config), *own, *more)
        process = LobbyProcess(self.folder / "data", port, *arguments, prefix=self._prefix, host=self.host)
        self.processes[which] = process
        return process

    def address(self, which: int) -> str:
        """Where people reach one of its processes."""
        return f"{self.host}:{self.ports[which]}"

    def one(self, which: int) -> LobbyProcess:
        process = self.processes[which]
        assert process is not None
        return process

    def kill(self, which: int) -> None:
        self.one(which).kill()
        self.processes[which] = None

    @property
    def key(self) -> bytes:
        return next(process.key for process in self.processes if process is not None)

    def stop(self) -> None:
        for process in self.processes:
            if process is not None:
                process.stop()


@contextmanager
def shared_lobby(folder: Path, redis: RedisServer, number: int, **more: Any) -> Iterator[SharedLobby]:
    """One that is stopped whatever happens."""
    lobby = SharedLobby(folder, redis, number, **more)
    try:
        yield lobby
    finally:
        lobby.stop()


class Resident:
    """Somebody with the node's own client: it comes back by itself, here or at another process."""

    def __init__(self, folder: Path, name: str, address: str) -> None:
        self.name = name
        self.identity = Identity.generate()
        self.events: list[Event] = []
        self.ups: list[tuple[float, SignedIn]] = []
        self.downs: list[tuple[float, str]] = []
        home = folder / name.replace(" ", "-")
        home.mkdir(parents=True)
        book = LobbyBook(home)
        self.client = LobbyClient(the_reactor(), self.identity, book, address, name, 4000, self)

    async def come(self) -> SignedIn:
        self.client.start()
        await until(lambda: self.ups)
        return self.ups[-1][1]

    @property
    def is_here(self) -> bool:
        return self.client.answer is not None

    async def ask(self, command: Command) -> Any:
        return await self.client.ask(command).addTimeout(30, the_reactor())

    async def hears(self, kind: type) -> Any:
        return await until(lambda: next((event for event in self.events if isinstance(event, kind)), None))

    def leave(self) -> Deferred[None]:
        return self.client.stop()

    # ---- what the client tells

    def lobby_up(self, answer: SignedIn) -> None:
        self.ups.append((the_reactor().seconds(), answer))

    def lobby_down(self, reason: str, retry: bool) -> None:
        self.downs.append((the_reactor().seconds(), reason))

    def lobby_said(self, event: Event) -> None:
        self.events.append(event)
