"""Routes of rematches: play a match again with the same people, options and programs, seats rotated by one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred

from kontor_games.net.api.http.api_errors import forbidden, refused
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.shown import ShownMatch
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.network.shown_net import ShownNetMatch

OnAgain = Callable[[str, str | None, str | None], None]  # called with the old match, and its new table or match


class RematchRoutes:
    """What can be asked about playing again."""

    def __init__(self, hub: Hub, network: Network, on_again: OnAgain) -> None:
        self._hub = hub
        self._network = network
        self._on_again = on_again

    def routes(self) -> list[Route]:
        return [Route("POST", "matches/{id}/rematch", self.rematch)]

    def rematch(self, call: ApiCall) -> dict[str, Any] | Deferred[Any]:
        """A new match at once if all of it was played here; else the table where it will be agreed."""
        shown = self._hub.match(call.path["id"])
        if shown.status != "over":
            raise refused("the match is not over yet")
        if not isinstance(shown, ShownNetMatch):
            again = self._here(shown)
            self._on_again(shown.id, None, again.id)
            return {"match": again.id, "table": None}
        if shown.match is None:
            raise forbidden("you only watched this match")
        node, match = self._network.node, shown.ledger.match
        assert node is not None, "it plays the match"

        def shown_table(table: str) -> Deferred[Any]:
            self._on_again(shown.id, table, None)
            return self._network.shown(table).addCallback(lambda _: {"match": None, "table": table})

        return node.rematches.want(match).addCallback(shown_table)

    def _here(self, shown: ShownMatch) -> ShownMatch:
        seats = [(seat.name, seat.kind) for seat in shown.seats]
        return self._hub.new_local(shown.game.id, shown.options, [*seats[1:], *seats[:1]], os.urandom(32))
