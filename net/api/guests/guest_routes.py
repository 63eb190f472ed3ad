"""Everything that a guest may ask: an explicit list. What is not in it does not exist at the guest door.

The handlers are the owner's own, with the scope of one seat or of a spectator: another match or seat is refused there.
Left out on purpose: positions (for programs), files, hints, chat and votes (the node speaks with one voice), leaving
for good, and everything about the node itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from msgspec import Struct
from twisted.internet.defer import Deferred

from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.routes.about_routes import API_VERSION, AboutRoutes
from kontor_games.net.api.routes.match_routes import MatchRoutes, SeatNumber

from .guest_book import Kind
from .party import GuestScope, Party

ASKED = (  # of the routes of matches
    ("GET", "matches/{id}"),
    ("GET", "matches/{id}/log"),
    ("GET", "matches/{id}/staged"),
    ("POST", "matches/{id}/draft"),
    ("POST", "matches/{id}/undo"),
    ("POST", "matches/{id}/redo"),
    ("POST", "matches/{id}/discard"),
    ("POST", "matches/{id}/commit"),
    ("POST", "matches/{id}/explain"),
)
OWNERS: dict[str, Any] = {"grid": [], "pairs": [], "addresses": [], "file": None, "rematch": None, "hints": False}


class WishBody(Struct, forbid_unknown_fields=True):
    """What a waiting guest wants."""

    seat: SeatNumber | None = None
    watch: bool = False
    screen: bool = False


class GuestRoutes:
    """What guests can ask."""

    def __init__(self, hub: Hub, party: Party, about: AboutRoutes, matches: MatchRoutes) -> None:
        self._hub = hub
        self._party = party
        self._about = about
        self._matches = matches

    def routes(self) -> list[Route]:
        known = {(route.method, route.path): route for route in self._matches.routes()}
        return [
            Route("GET", "hello", self.hello, seat=True),
            Route("GET", "games", self._about.games, seat=True),
            Route("GET", "you", self.you, seat=True),
            Route("POST", "wish", self.wish, WishBody, seat=True),
            *(_for_guests(known[each]) for each in ASKED),
        ]

    def hello(self, call: ApiCall) -> dict[str, Any]:
        return {
            "version": API_VERSION,
            "software": self._hub.setup.software,
            "scope": call.scope.as_dict(),
            "bots": [],
            "recovery": {},
            "last": self._hub.feed.last,
        }

    def you(self, call: ApiCall) -> dict[str, Any]:
        return self._party.about(cast(GuestScope, call.scope).guest)

    def wish(self, call: ApiCall) -> dict[str, Any]:
        wish: WishBody = call.body
        kind: Kind = "watch" if wish.watch else "screen" if wish.screen else "seat"
        return self._party.wish(cast(GuestScope, call.scope).guest, wish.seat, kind)


def _for_guests(route: Route) -> Route:
    assert route.seat, "only what a seat's token may ask"
    return Route(route.method, route.path, _trimmed(route.handler), route.body, seat=True)


def _trimmed(handler: Callable[[ApiCall], Any]) -> Callable[[ApiCall], Any]:
    """A handler whose states lack what is the owner's: addresses, the ways to other machines, files."""

    def trim(data: Any) -> Any:
        if isinstance(data, dict) and "view" in data:
            return {**data, **{key: value for key, value in OWNERS.items() if key in data}, "as_guest": True}
        return data

    def answer(call: ApiCall) -> Any:
        found = handler(call)
        return found.addCallback(trim) if isinstance(found, Deferred) else trim(found)

    return answer
