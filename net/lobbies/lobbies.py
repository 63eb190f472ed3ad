"""All lobbies of a node: rooms by address, which table is kept where, and where each match came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from twisted.internet.defer import Deferred, DeferredList

from kontor_games.net.wire.address import parse_address
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Event

from .home_number import home_number
from .lobby_book import LobbyBook, Origin, lobby_address
from .lobby_client import LobbyClient
from .lobby_room import LobbyRoom, RoomOwner


@dataclass(frozen=True)
class LobbyChanged:
    """A lobby was reached or lost; `retry` says whether it is tried again."""

    lobby: str
    is_up: bool
    reason: str
    retry: bool


@dataclass(frozen=True)
class LobbyTold:
    """A lobby said something to this person: chat, an offer of the queue, a notice, a table's card or its end."""

    lobby: str
    event: Event


LobbyNews: TypeAlias = LobbyChanged | LobbyTold


class Lobbies:
    """The lobbies this node has to do with."""

    def __init__(self, reactor: Any, home: Path, identity: Identity) -> None:
        self.rooms: dict[str, LobbyRoom] = {}
        self.on_open: Callable[[], None] = lambda: None  # called whenever a lobby is to be reached
        self.owner: RoomOwner  # set by whoever keeps the node's tables, before a room is opened
        self._reactor = reactor
        self._book = LobbyBook(home)
        self._home_number = home_number(home)
        self._identity = identity

    def open(self, address: str, name: str, mark: str | None = None) -> LobbyRoom:
        """The room of a lobby, connected from now on; ConfigError if the address is none."""
        where = lobby_address(address)
        self.on_open()
        room = self.rooms.get(where)
        if room is not None and not room.is_given_up and mark in (None, room.mark) and room.name == name:
            return room
        if room is not None:
            room.stop()

        def client(owner: LobbyRoom) -> LobbyClient:
            port = parse_address(self.owner.addresses[0])[1] if self.owner.addresses else 0
            return LobbyClient(
                self._reactor, self._identity, self._book, where, name, port, owner, mark, self._home_number
            )

        fresh = self.rooms[where] = LobbyRoom(self._reactor, self.owner, client)
        if room is not None:
            fresh.tables = room.tables
        fresh.start()
        return fresh

    def room_of(self, table: str) -> LobbyRoom | None:
        """The lobby that keeps a table we are at; None for tables of nodes."""
        return next((room for room in self.rooms.values() if table in room.tables), None)

    def origin_of(self, table: str) -> Origin | None:
        """Where the match of a table comes from."""
        room = self.room_of(table)
        return None if room is None else Origin(room.address, room.key, room.name, table)

    def open_again(self, origin: Origin) -> LobbyRoom:
        """The lobby of a match that goes on."""
        self._book.remember(origin.lobby, origin.key)
        room = self.rooms.get(origin.lobby)
        return room if room is not None else self.open(origin.lobby, origin.name)

    def stop(self) -> Deferred[Any]:
        """Leave all."""
        return DeferredList([room.stop() for room in self.rooms.values()], consumeErrors=True)
