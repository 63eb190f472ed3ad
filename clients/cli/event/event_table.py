"""A player's way to the table that was drawn: opened by the first seat, found by the others, agreed to if it is right.

The invitation comes from the event's chain, whose signatures were checked. What a stranger, a wrong host or a lobby
could try: sit on somebody's seat (the node keeps the seats of its own table; in a lobby the first seat sends strangers
away, and they stay away), show other options, or a table without the event. Nothing is agreed to unless every seat,
option and term is what was drawn and declared; and whatever was agreed to otherwise would not count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.cli.match.nearby import enter, wait_for_news
from kontor_games.clients.cli.match.table_flow import TableFlow
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.values import Data

LOOK_SECONDS = 1.0
TERMS = ("game", "options", "recovery", "grace", "spectators")


def why_not_drawn(view: Data, invitation: Data) -> str | None:
    """Why a table is not the one of the invitation, or None; free seats are right."""
    mark = {"mark": invitation["mark"], "organiser": invitation["organiser"]}
    if view["event"] != mark:
        return "it does not belong to this round of the event"
    for name in TERMS:
        if view[name] != invitation[name]:
            return f"{name} is not what the event declared"
    if len(view["seats"]) != len(invitation["seats"]):
        return f"it has {len(view['seats'])} seats, not {len(invitation['seats'])}"
    for number, (seat, drawn) in enumerate(zip(view["seats"], invitation["seats"], strict=True), 1):
        if seat["peer"] is not None and seat["peer"] != drawn["key"]:
            return f"seat {number} is {drawn['name']}'s, and somebody else sits there"
    return None


def open_table(node: NodeClient, invitation: Data, in_lobby: bool) -> str:
    """The first seat opens the table, for exactly these keys."""
    wish = {name: invitation[name] for name in TERMS}
    keys = [seat["key"] for seat in invitation["seats"]]
    wish |= {"seats": len(keys)}
    wish |= {"event": {"mark": invitation["mark"], "organiser": invitation["organiser"], "keys": keys}}
    if in_lobby:
        note = f"{invitation['event']}, round {invitation['round']}, table {invitation['table']}"
        wish |= {"where": "lobby", "visibility": "public", "name": note}
    return str(node.post("tables", wish)["id"])


def find_table(node: NodeClient, terminal: LineTerminal, invitation: Data) -> str:
    """The table that the first seat has opened, as soon as it is there; Ctrl-C ends the wait."""
    host = invitation["seats"][0]
    wrong: set[str] = set()
    while True:
        for row in node.get("tables")["tables"]:
            if row["fingerprint"] != host["fingerprint"] or row["phase"] != "open" or row["id"] in wrong:
                continue
            table = _entered(node, row)
            if table is None:
                continue
            reason = why_not_drawn(node.get(f"tables/{table}"), invitation)
            if reason is None or "somebody else" in reason:
                return table
            wrong.add(table)
            node.post(f"tables/{table}/leave")
        wait_for_news(terminal, time.monotonic() + LOOK_SECONDS)


def _entered(node: NodeClient, row: Data) -> str | None:
    try:
        return enter(node, row)
    except Refused:
        return None  # it was closed just now, or its host is not reached yet


class EventTableFlow(TableFlow):
    """One player at the drawn table, on the drawn seat."""

    def __init__(
        self, node: NodeClient, terminal: LineTerminal, table: str, invitation: Data, kind: str, auto: bool
    ) -> None:
        super().__init__(node, terminal, table, (), auto)
        self._invitation = invitation
        self._kind = kind
        self._sent_away: set[str] = set()

    def _look(self, view: Data) -> None:
        if view["phase"] == "open" and view["host_is_you"]:
            self._send_away(view["seats"])
        super()._look(view)

    def _send_away(self, seats: Sequence[Data]) -> None:
        """Strangers on the seats of others; the lobby does not let them back."""
        for seat, drawn in zip(seats, self._invitation["seats"], strict=False):
            peer = seat["peer"]
            if peer not in (None, drawn["key"]) and not seat["you"] and peer not in self._sent_away:
                self._sent_away.add(peer)
                self._terminal.wrapped(f"{seat['name']} does not belong on this seat, and is sent away.")
                self._do("remove", {"peer": peer})

    def _sit(self) -> None:
        seat = self._view["seats"][self._invitation["seat"]]
        if seat["name"] or self._pending:
            return
        self._pending = True
        wish = {"seat": self._invitation["seat"], "name": self._invitation["seats"][self._invitation["seat"]]["name"]}
        self._do("sit", wish) if self._kind == "person" else self._do("bot", {**wish, "kind": self._kind})

    def _agree(self) -> None:
        reason = why_not_drawn(self._view, self._invitation)
        if reason is not None:
            self._terminal.wrapped(
                f"Not agreed: this is not the table that was drawn. {reason[0].upper()}{reason[1:]}."
            )
            return
        super()._agree()
