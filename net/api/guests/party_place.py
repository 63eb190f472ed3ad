"""What a party is at: a table where people gather, then the match that comes of it. Facts about its seats, no I/O.

Which seats may be lent to phones follows from what everybody has agreed to. At a table, a seat is taken for a guest,
and all see it. In a match among peers, only the seats that the terms call guests' may be lent; in a match on this
machine, the seats of all people.
"""

from __future__ import annotations

from typing import Any

from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.shown import ShownMatch
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.network.shown_net import ShownNetMatch
from kontor_games.net.wire.messages import HUMAN, AnyMessage, Rename, Sit, Stand, TableView
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.text import MAX_NAME

_log = Logger(namespace="kontor.guests")


class PartyPlace:
    """A table, a match, or both, one after the other."""

    def __init__(self, hub: Hub, network: Network, table: str | None, match: str | None) -> None:
        self._hub = hub
        self._network = network
        self.table = table
        self.match = match
        self.before: bytes | None = None  # the match among peers that is played again at this table

    @property
    def view(self) -> TableView | None:
        """The table as its keeper shows it; None once the match has begun, or if we are not there."""
        node = self._network.node
        if self.match is not None or self.table is None or node is None or self.table not in node.tables.guests:
            return None
        return node.tables.guests[self.table][0].view

    @property
    def shown(self) -> ShownMatch | None:
        """The match."""
        return None if self.match is None else self._hub.matches.get(self.match)

    def check(self) -> None:
        """ConfigError or a refusal unless phones can come to this table or match."""
        if self.match is None:
            if self.view is None:
                raise ConfigError("you are not at this table")
            if self.view.phase != "open":
                raise ConfigError("the match of this table begins already; invite phones before everybody is ready")
            return
        try:
            shown = self._hub.match(self.match)
        except ApiError as error:
            raise ConfigError(str(error)) from None
        if shown.status == "over":
            raise ConfigError("the match is over")
        if shown.guided is not None:
            raise ConfigError("a guided match is for one person; begin another one for guests")
        if not self.lendable:
            raise ConfigError(
                "no seat of this match was taken for a guest; invite phones at the table, before the match begins"
            )

    @property
    def is_gone(self) -> bool:
        """Whether there is neither a table nor a match any more. A table that its keeper has not shown yet is one."""
        node = self._network.node
        at_table = self.table is not None and node is not None and self.table in node.tables.guests
        return self.match is None and not at_table

    def follow(self) -> bool:
        """Our table is gone: whether the rematch is at another one, where somebody proposed it first, or will be."""
        node = self._network.node
        found = None if node is None or self.before is None else node.rematches.shown(self.before)
        if node is None or found is None or found[0].table == self.table:
            return False
        if found[0].table in node.tables.guests:
            self.table = found[0].table
        return True

    @property
    def game(self) -> str:
        """The id of the game."""
        if self.shown is not None:
            return self.shown.game.id
        return "" if self.view is None else self.view.game

    @property
    def may_watch(self) -> bool:
        """Whether others may look on, as everybody has agreed."""
        if isinstance(self.shown, ShownNetMatch):
            return self.shown.ledger.terms.spectators
        return True if self.match is not None else self.view is not None and self.view.spectators

    @property
    def lendable(self) -> tuple[int, ...]:
        """The seats that a phone may have."""
        shown = self.shown
        if shown is not None:
            people = [seat for seat in shown.mine if seat not in shown.gone]
            return tuple(seat for seat in people if shown.kind == "local" or shown.seats[seat].guest)
        view = self.view
        if view is None:
            return ()
        mine = self._network.key
        return tuple(
            number
            for number, seat in enumerate(view.seats)
            if seat is None or (seat.peer == mine and seat.guest and seat.kind == HUMAN)
        )

    def sits(self, seat: int) -> str | None:
        """The name of the guest of ours on a seat of the table; None if there is none."""
        view = self.view
        taken = view.seats[seat] if view is not None and seat < len(view.seats) else None
        return taken.name if taken is not None and taken.guest and taken.peer == self._network.key else None

    @property
    def kept(self) -> frozenset[int]:
        """The seats at the table where the owner sits, and no guest."""
        seats = () if self.view is None else self.view.seats
        mine = self._network.key
        return frozenset(number for number, seat in enumerate(seats) if seat and seat.peer == mine and not seat.guest)

    def is_taken(self, seat: int) -> bool:
        """Whether somebody sits there, as far as the keeper has shown it."""
        view = self.view
        return view is not None and seat < len(view.seats) and view.seats[seat] is not None

    def seats(self) -> list[dict[str, Any]]:
        """All seats, for people who wait."""
        if self.shown is not None:
            return [{"name": seat.name, "kind": seat.kind, "guest": seat.guest} for seat in self.shown.seats]
        view = self.view
        return [
            {"name": None, "kind": None, "guest": False}
            if seat is None
            else {"name": seat.name, "kind": "person" if seat.kind == HUMAN else seat.kind, "guest": seat.guest}
            for seat in (() if view is None else view.seats)
        ]

    # ---- at the table

    def name_for(self, seat: int, name: str) -> str:
        """The name by which a guest can sit there: its own, with a number if somebody else at the table has it.

        A mark would not do: it is of the key, and all guests of a node play under one.
        """
        view = self.view
        others = () if view is None else (each for number, each in enumerate(view.seats) if number != seat)
        taken = {skeleton(each.name) for each in others if each is not None}
        found, count = name, 2
        while skeleton(found) in taken:
            found = f"{name[: MAX_NAME - 2].rstrip()} {count}"
            count += 1
        return found

    def sit(self, seat: int, name: str) -> None:
        """Take a seat for a guest, or give the one we have taken this name."""
        if self.match is not None or self.table is None or self.sits(seat) == name:
            return
        taken = self.sits(seat) is not None
        self._tell(Rename(self.table, seat, name) if taken else Sit(self.table, seat, name, HUMAN, True))

    def give_back(self, seat: int) -> None:
        """A guest's seat, while nothing has begun."""
        if self.table is None or self.sits(seat) is None:
            return
        try:
            self._tell(Stand(self.table, seat))
        except ConfigError as error:  # all have agreed, or the keeper is away: the owner plays it
            _log.info("a guest's seat stays taken: {error}", error=str(error))

    def _tell(self, message: AnyMessage) -> None:
        node = self._network.node
        assert node is not None and self.table is not None
        self._network.refusal = None
        node.tables.tell(self.table, message)
        if self._network.refusal is not None:  # our own table answers at once
            raise ConfigError(self._network.refusal)
