"""The owner's routes of the party: open, look, answer guests, close."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from twisted.internet.defer import Deferred

from kontor_games.net.api.http.api_errors import bad_request
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.routes.match_routes import SeatNumber

from .party import Party

Id = Annotated[str, Meta(max_length=64)]


class OpenParty(Struct, forbid_unknown_fields=True):
    """For which table or match; the port (0: any) and the address to use, left out: the usual ones."""

    table: Id | None = None
    match: Id | None = None
    port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    address: Annotated[str, Meta(max_length=60)] = ""
    tls: bool = False


class GuestBody(Struct, forbid_unknown_fields=True):
    """A guest, by id."""

    guest: Annotated[str, Meta(max_length=32)]


class YesBody(Struct, forbid_unknown_fields=True):
    """A guest, and the seat that it asked for when the owner said yes; none for watching."""

    guest: Annotated[str, Meta(max_length=32)]
    seat: SeatNumber | None = None


class SeatBody(Struct, forbid_unknown_fields=True):
    """A seat."""

    seat: SeatNumber


class PartyRoutes:
    """What the owner can ask about the party."""

    def __init__(self, party: Party, network: Network) -> None:
        self._party = party
        self._network = network

    def routes(self) -> list[Route]:
        return [
            Route("GET", "party", self.show),
            Route("POST", "party", self.open, OpenParty),
            Route("DELETE", "party", self.close),
            Route("POST", "party/accept", self.accept, YesBody),
            Route("POST", "party/remove", self.remove, GuestBody),
            Route("POST", "party/invite", self.invite, SeatBody),
            Route("POST", "party/renew", self.renew),
        ]

    def show(self, call: ApiCall) -> dict[str, Any]:
        return self._party.data()

    def open(self, call: ApiCall) -> Deferred[Any] | dict[str, Any]:
        wish: OpenParty = call.body
        if (wish.table is None) == (wish.match is None):
            raise bad_request("a party is for one table or for one match: name one of them")

        def opened(_: object) -> dict[str, Any]:
            self._party.open(wish.table, wish.match, wish.port, wish.address, wish.tls)
            return self._party.data()

        return opened(None) if wish.table is None else self._network.open().addCallback(opened)

    def close(self, call: ApiCall) -> dict[str, Any]:
        self._party.close()
        return self._party.data()

    def accept(self, call: ApiCall) -> dict[str, Any]:
        self._party.accept(call.body.guest, call.body.seat)
        return self._party.data()

    def remove(self, call: ApiCall) -> dict[str, Any]:
        self._party.remove(call.body.guest)
        return self._party.data()

    def invite(self, call: ApiCall) -> dict[str, Any]:
        self._party.invite(call.body.seat)
        return self._party.data()

    def renew(self, call: ApiCall) -> dict[str, Any]:
        self._party.new_code()
        return self._party.data()
