"""The blocking calls of a node that are about finding each other: the local network, lobbies, the state of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from twisted.internet.defer import Deferred

from .desk import Desk
from .grid import match_rows
from .identity import parse_fingerprint
from .lobby_messages import Queue, Reply, Say, SignedIn, Unqueue
from .lobby_room import LobbyRoom
from .news import Data, mark_data, offer_data, row_data

PATIENCE: Final = 20  # seconds for a lobby's answer


class LobbyFront:
    """Calls from a client's thread; each is carried out in the reactor's."""

    _reactor: Any
    _desk: Desk
    _call: Callable[..., Any]

    def lan_tables(self) -> list[Data]:
        """The tables that are seen on the local network now."""

        def found() -> list[Data]:
            return [] if self._desk.lan is None else [offer_data(offer) for offer in self._desk.lan.offers.values()]

        return list(self._call(found))

    def lan_trouble(self) -> str | None:
        """Why the local network cannot be looked at, or None."""
        trouble: str | None = self._call(lambda: None if self._desk.lan is None else self._desk.lan.why_not)
        return trouble

    def lobby(self, address: str, name: str, mark: str | None) -> Data:
        """Sign in to a lobby and stay there; who it is, and how it sees us."""
        wanted = None if mark is None else parse_fingerprint(mark)

        def enter() -> Deferred[Data]:
            room = self._desk.node.lobbies.open(address, name, wanted)
            return room.reached().addTimeout(PATIENCE, self._reactor).addCallback(told, room)

        def told(answer: SignedIn, room: LobbyRoom) -> Data:
            return {
                "lobby": room.address,
                "new": room.is_new,
                "seen": answer.seen,
                "mark": answer.you.mark,
                "queued": answer.is_queued,
                "skew": room.skew or 0.0,
                **mark_data(room.key),
            }

        return dict(self._call(enter))

    def _ask(self, lobby: str, what: Callable[[LobbyRoom], Deferred[Any]]) -> Any:
        return self._call(lambda: what(self._desk.node.lobbies.rooms[lobby]).addTimeout(PATIENCE, self._reactor))

    def lobby_tables(self, lobby: str) -> list[Data]:
        """The public tables of a lobby that we are in."""
        return [row_data(row) for row in self._ask(lobby, lambda room: room.list_tables())]

    def host_in_lobby(
        self,
        lobby: str,
        game: str,
        options: Mapping[str, Any],
        seats: int,
        recovery: Any,
        spectators: bool,
        visibility: Any,
    ) -> Data:
        """Make a table there: its id, and its invite code if it has one."""

        def make(room: LobbyRoom) -> Deferred[Data]:
            made = room.make_table(game, options, seats, recovery, spectators, visibility)
            return made.addCallback(lambda table: {"table": table, "code": code(room, table)})

        def code(room: LobbyRoom, table: str) -> str:
            card = room.cards.get(table)
            return "" if card is None else card.code

        return dict(self._ask(lobby, make))

    def enter_in_lobby(self, lobby: str, code: str) -> str:
        """Go to a table there by its invite code or id; returns its id."""
        return str(self._ask(lobby, lambda room: room.enter_as_told(code)))

    def queue(self, lobby: str, games: Sequence[str], seats: Sequence[int]) -> None:
        """Look for others; offers come as news."""
        addresses = self._desk.node.addresses
        self._ask(lobby, lambda room: room.ask(Queue(tuple(games), tuple(seats), addresses)))

    def unqueue(self, lobby: str) -> None:
        """Look no longer."""
        self._ask(lobby, lambda room: room.ask(Unqueue()))

    def reply(self, lobby: str, offer: str, yes: bool) -> None:
        """Take or decline what the queue offers."""
        self._ask(lobby, lambda room: room.ask(Reply(offer, yes)))

    def say(self, lobby: str, place: str, text: str) -> None:
        """A line for a table of the lobby or for its hall."""
        self._ask(lobby, lambda room: room.ask(Say(place, text)))

    def grid(self) -> list[Data]:
        """How every peer of the matches that go on is reached."""

        def found() -> list[Data]:
            node = self._desk.node
            rows: list[Data] = []
            for match in node.matches.values():
                if match.is_served_only:
                    continue
                session = match.session
                rows += [
                    {**row, "match": match.id.hex(), "who": row["name"], "path": row["way"], "ms": row["rtt_ms"]}
                    for row in match_rows(node, session.ledger, session.missing)
                ]
            return rows

        return list(self._call(found))
