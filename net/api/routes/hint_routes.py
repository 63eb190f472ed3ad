"""The route of hints, for the owner of the node alone."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.hub import Hub


class HintRoutes:
    """What would you do?"""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def routes(self) -> list[Route]:
        return [Route("POST", "matches/{id}/hint", self.hint)]

    def hint(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """The first choice of the line that an expert would play; nothing is drafted."""
        shown = self._hub.match(call.path["id"])
        return self._hub.hints.ask(shown, self._hub.here(shown))
