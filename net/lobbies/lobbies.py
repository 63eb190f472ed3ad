"""All lobbies of a node: rooms by address, which table is kept where, and where each match came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from twisted.internet.defer import Deferred, DeferredList

from kontor_games.net.table.guest import Guest
from kontor_games.net.wire.address import parse_address
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Event, RelayPass, TableGone
from kontor_games.net.wire.messages import AnyMessage

from .lobby_book import LobbyBook, Origin, lobby_address
from .lobby_client import LobbyClient
from .lobby_room import LobbyRoom


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


class TableSide(Protocol):
    """What lobbies need of the node."""

    addresses: tuple[str, ...]

    def new_guest(self, table: str, keeper: bytes) -> Guest: ...
    def guest_received(self, table: str, message: AnyMessage) -> None: ...
    def leave_table(self, table: str) -> None: ...
    def refused(self, table: str, about: str, reason: str) -> None: ...
    def meet_in_relay(self, room: LobbyRoom, offer: RelayPass) -> None: ...


class Lobbies:
    """The lobbies this node has to do with."""

    def __init__(
        self, reactor: Any, home: Path, identity: Identity, node: TableSide, tell: Callable[[LobbyNews], None]
    ) -> None:
        self.rooms: dict[str, LobbyRoom] = {}
        self._reactor = reactor
        self._book = LobbyBook(home)
        self._identity = identity
        self._node = node
        self._tell = tell

    def open(self, address: str, name: str, mark: str | None = None) -> LobbyRoom:
        """The room of a lobby, connected from now on; ConfigError if the address is none."""
        where = lobby_address(address)
        room = self.rooms.get(where)
        if room is not None and not room.is_given_up and mark in (None, room.mark) and room.name == name:
            return room
        if room is not None:
            room.stop()

        def client(owner: LobbyRoom) -> LobbyClient:
            port = parse_address(self._node.addresses[0])[1] if self._node.addresses else 0
            return LobbyClient(self._reactor, self._identity, self._book, where, name, port, owner, mark)

        fresh = self.rooms[where] = LobbyRoom(self._reactor, self, client)
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

    # ---- what rooms tell

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where this node can be reached."""
        return self._node.addresses

    def lobby_changed(self, room: LobbyRoom, is_up: bool, reason: str, retry: bool) -> None:
        """The lobby was reached or lost."""
        self._tell(LobbyChanged(room.address, is_up, reason, retry))

    def lobby_event(self, room: LobbyRoom, event: Event) -> None:
        """The lobby said something."""
        self._tell(LobbyTold(room.address, event))
        if isinstance(event, TableGone):
            self._node.refused(event.table, "gone", event.reason)

    def lobby_refused(self, table: str, about: str, reason: str) -> None:
        """The lobby refused something."""
        self._node.refused(table, about, reason)

    def new_guest(self, table: str, keeper: bytes) -> Guest:
        """We are at this table from now on."""
        return self._node.new_guest(table, keeper)

    def guest_received(self, table: str, message: AnyMessage) -> None:
        """The lobby said something about a table."""
        self._node.guest_received(table, message)

    def leave_table(self, table: str) -> None:
        """We are no longer at this table."""
        self._node.leave_table(table)

    def relay_offered(self, room: LobbyRoom, offer: RelayPass) -> None:
        """Another member waits for us in the relay."""
        self._node.meet_in_relay(room, offer)
