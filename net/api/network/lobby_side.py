"""The lobby of this node for clients: its tables, chat and queue, through the room that the node keeps there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, NoReturn

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, KontorError
from kontor_games.net.api.http.api_errors import refused
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.lobbies.lobbies import LobbyChanged, LobbyNews, LobbyTold
from kontor_games.net.lobbies.lobby_book import lobby_address
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.node.node import Node
from kontor_games.net.wire.identity import fingerprint, fingerprint_words, parse_fingerprint
from kontor_games.net.wire.lobby_messages import (
    HALL_PLACE,
    HallNews,
    Notice,
    OfferOver,
    Person,
    Proposal,
    Queue,
    Reply,
    Said,
    Say,
    TableCard,
    TableGone,
    TableRow,
    Unqueue,
    WatchHall,
)

REACH_SECONDS: Final = 10
LIST_SECONDS: Final = 0.5  # that a list of tables waits for a lobby; when it is reached later, clients are told
MAX_LINES: Final = 200  # of chat, per table
MAX_NOTICES: Final = 8
NOTICE_KEPT: Final = 24 * 3600  # seconds: whoever opens a client later reads what the lobby said meanwhile


class LobbySide:
    """One lobby, the one of the settings; `host[:port]`, with `#fingerprint` if its owner has told it."""

    def __init__(
        self,
        reactor: Any,
        feed: Feed,
        settings: SettingsFile,
        open_node: Callable[[], Deferred[Node]],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._reactor = reactor
        self._feed = feed
        self._settings = settings
        self._open_node = open_node
        self._wall = wall
        self._node: Node | None = None
        self._known: set[str] = set()  # ids of tables in its list
        self._chat: dict[str, list[dict[str, Any]]] = {}
        self.said: dict[str, list[Said]] = {}  # the same as the lobby said it, for a report
        self.is_blocked: Callable[[bytes], bool] = lambda key: False  # whom the owner wants nothing to do with
        self._notices: list[dict[str, Any]] = []
        self._state = ""
        self._is_queued = False
        self._has_agreed = False  # to an offer of the queue, which becomes a table or is over

    @property
    def is_chosen(self) -> bool:
        """Whether the settings name a lobby."""
        return bool(self._settings.value.lobby)

    def room(self, patience: float = REACH_SECONDS) -> Deferred[LobbyRoom]:
        """Fires with the lobby's room once it has let us in; fails if that takes longer than `patience` seconds."""
        address, _, mark = self._settings.value.lobby.partition("#")
        name = self._settings.called
        if not address:
            raise refused("no lobby is chosen; enter its address in the settings")

        def opened(node: Node) -> Deferred[LobbyRoom]:
            self._node = node
            room = node.lobbies.open(address.strip(), name, parse_fingerprint(mark) if mark else None)
            return room.reached().addTimeout(patience, self._reactor, _late).addCallback(lambda _: room)

        return self._open_node().addCallback(opened)

    def status(self) -> dict[str, Any]:
        """Whether the lobby is reached, and who it is."""
        room = self.room_now()
        seen = None if room is None else room.seen
        return {
            "address": self._settings.value.lobby,
            "up": seen is not None,
            "reason": self._state,
            "fingerprint": None if room is None or seen is None else fingerprint(room.key),
            "words": None if room is None or seen is None else fingerprint_words(room.key).split(" "),
            "new": room is not None and seen is not None and room.is_new,
            "you": None if seen is None else person_data(seen.you),
            "queued": self._is_queued,
            "chat": self._chat.get(HALL_PLACE, []),
            "notices": [notice for notice in self._notices if notice["at"] > self._wall() - NOTICE_KEPT],
        }

    def rows(self) -> Deferred[list[dict[str, Any]]]:
        """The lobby's public tables; none if it is not reached. A lobby that is down does not hold up the others."""
        room = self.room_now()
        is_down = room is not None and room.seen is None and self._state != ""  # it is tried again by itself
        if not self.is_chosen or is_down:
            return succeed([])

        def failed(failure: Failure) -> list[dict[str, Any]]:
            if not isinstance(failure.value, KontorError):
                failure.raiseException()
            self._state = failure.getErrorMessage()
            return []

        def listed(rows: list[TableRow]) -> list[dict[str, Any]]:
            self._known = {row.table for row in rows}
            return [_row(row) for row in rows if not self.is_blocked(row.host.key)]

        return self.room(LIST_SECONDS).addCallback(lambda room: room.list_tables()).addCallbacks(listed, failed)

    def keeps(self, table_id: str) -> bool:
        """Whether the table is one of the lobby's list."""
        return table_id in self._known

    def about(self, table_id: str) -> dict[str, Any] | None:
        """What the lobby adds to a table that it keeps and that we are at."""
        if self._node is None or self._node.lobbies.room_of(table_id) is None:
            return None
        room = self._node.lobbies.room_of(table_id)
        card = None if room is None else room.cards.get(table_id)
        chat = self._chat.get(table_id, [])
        if card is None:
            return {"where": "lobby", "chat": chat}
        people = [person_data(person) for person in card.people]
        return {
            "where": "lobby",
            "name": card.note,
            "code": card.code or table_id,
            "visibility": card.visibility,
            "people": people,
            "chat": chat,
        }

    def marks_at(self, table_id: str) -> dict[str, str]:
        """By key in hex, the marks of those at a table whose names somebody else used first."""
        room = None if self._node is None else self._node.lobbies.room_of(table_id)
        card = None if room is None else room.cards.get(table_id)
        return {person.key.hex(): person.mark for person in card.people} if card else {}

    def say(self, place: str, text: str) -> Deferred[Any]:
        """Say a line at a table, or in the hall."""
        return self.room().addCallback(lambda room: room.ask(Say(place, text)))

    def queue(self, games: tuple[str, ...], seats: tuple[int, ...]) -> Deferred[Any]:
        """Look for people to play with."""

        def ask(room: LobbyRoom) -> Deferred[Any]:
            assert self._node is not None
            if reason := room.why_not_play():
                raise refused(reason)
            return room.ask(Queue(games, seats, self._node.where.addresses))

        return self.room().addCallback(ask).addCallback(lambda _: self._queued(True))

    def unqueue(self) -> Deferred[Any]:
        """Look no longer."""
        return self.room().addCallback(lambda room: room.ask(Unqueue())).addCallback(lambda _: self._queued(False))

    def reply(self, offer: str, yes: bool) -> Deferred[Any]:
        """Answer an offer of the queue."""
        self._has_agreed = yes
        return self.room().addCallback(lambda room: room.ask(Reply(offer, yes)))

    def on_news(self, news: LobbyNews) -> None:
        """The lobby was reached or lost, or it said something."""
        match news:
            case LobbyChanged(is_up=is_up, reason=reason):
                self._state = reason
                self._feed.add("lobby", up=is_up, reason=reason)
                if is_up:
                    self._watch_hall()
                    self._feed.add("tables")
            case LobbyTold(event=Said() as said):
                self._heard(said)
            case LobbyTold(event=HallNews() as hall):
                for line in hall.lines:
                    self._heard(line)
                if hall.rows or hall.gone or hall.stale:
                    self._feed.add("tables")
            case LobbyTold(event=Proposal() as offer):
                people = [person_data(person) for person in offer.people]
                self._feed.add("offer", id=offer.offer, game=offer.game, people=people, until=offer.until // 1000)
            case LobbyTold(event=OfferOver() as over):
                self._is_queued = over.is_queued
                self._has_agreed = False
                self._feed.add("offer", id=over.offer, over=over.reason, queued=over.is_queued)
            case LobbyTold(event=Notice() as notice):
                self._noted(notice)
            case LobbyTold(event=TableCard(table=table)):
                if self._has_agreed:  # people were found
                    self._is_queued = self._has_agreed = False
                self._feed.add("table", id=table)
            case LobbyTold(event=TableGone(table=table, reason=reason)):
                self._feed.add("notice", id=table, about="table", text=reason)
                self._feed.add("tables")
            case _:
                pass

    def _watch_hall(self) -> None:
        """Hear what is said there, and when tables come and go; the lobby forgets it with every connection."""
        room = self.room_now()
        if room is not None:
            room.ask(WatchHall(True)).addErrback(_lost_again)

    def _noted(self, notice: Notice) -> None:
        """The lobby or its operators say something to this person."""
        until = notice.until // 1000 or None
        kept = {"about": notice.kind, "text": notice.text, "until": until, "at": int(self._wall())}
        self._notices = [*self._notices, kept][-MAX_NOTICES:]
        self._feed.add("notice", about=notice.kind, text=notice.text, until=until)

    def _heard(self, said: Said) -> None:
        if self.is_blocked(said.author.key):
            return
        self.said[said.place] = [*self.said.get(said.place, []), said][-MAX_LINES:]
        line = {
            "key": said.author.key.hex(),
            "name": said.author.name,
            "mark": said.author.mark,
            "text": said.text,
            "at": said.at // 1000,
        }
        self._chat[said.place] = [*self._chat.get(said.place, []), line][-MAX_LINES:]
        self._feed.add("chat", id=said.place, line=line)

    def _queued(self, now: bool) -> dict[str, Any]:
        self._is_queued = now
        return {"queued": now}

    @property
    def own_key(self) -> bytes | None:
        """The owner's key, once the node is open."""
        return None if self._node is None else self._node.key

    def room_now(self) -> LobbyRoom | None:
        """The room of the lobby of the settings, whether it is reached or not."""
        address = self._settings.value.lobby.partition("#")[0].strip()
        return None if self._node is None or not address else self._node.lobbies.rooms.get(lobby_address(address))


def _late(_: object, __: float) -> NoReturn:
    raise ConfigError("the lobby does not answer")


def _lost_again(failure: Failure) -> None:
    """The lobby went away meanwhile; it will be asked again when it is back."""
    if not isinstance(failure.value, KontorError):
        failure.raiseException()


def person_data(person: Person) -> dict[str, Any]:
    """Somebody in a lobby as clients see them."""
    return {
        "key": person.key.hex(),
        "name": person.name,
        "mark": person.mark,
        "fingerprint": fingerprint(person.key),
        "here": person.here,
    }


def _row(row: TableRow) -> dict[str, Any]:
    return {
        "id": row.table,
        "where": "lobby",
        "game": row.game,
        "name": row.note,
        "host": row.host.name,
        "mark": row.host.mark,
        "host_is_you": False,
        "fingerprint": fingerprint(row.host.key),
        "phase": row.phase,
        "count": len(row.seats),
        "taken": sum(name is not None for name in row.seats),
        "spectators": row.spectators,
        "at": False,
        "match": None,
    }
