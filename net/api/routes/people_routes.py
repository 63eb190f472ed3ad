"""Routes of people: who is here, friends, blocks, profiles, invitations, reports."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from twisted.internet.defer import Deferred

from kontor_games.net.api.http.api_errors import bad_request
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.network.people_side import PeopleSide
from kontor_games.net.wire.text import why_not_chat, why_not_name

_KEY = re.compile(r"\A[0-9a-f]{64}\Z")


class NamePerson(Struct, forbid_unknown_fields=True):
    """Somebody by key, and what they are to the owner; `none` takes them out of the list."""

    key: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    standing: Literal["friend", "block", "none"]
    name: Annotated[str, Meta(max_length=24)] = ""


class AppearTo(Struct, forbid_unknown_fields=True):
    """To whom the owner appears in a lobby."""

    to: Literal["nobody", "friends", "everybody"]


class InviteTo(Struct, forbid_unknown_fields=True):
    """The table to which somebody is invited."""

    table: Annotated[str, Meta(min_length=1, max_length=32)]


class ReportPerson(Struct, forbid_unknown_fields=True):
    """Why somebody is reported, and where they said what is in question: `hall` or a table's id."""

    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    place: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,32}\Z")] = "hall"


class PeopleRoutes:
    """What can be asked about people; only the owner may."""

    def __init__(self, people: PeopleSide) -> None:
        self._people = people

    def routes(self) -> list[Route]:
        return [
            Route("GET", "people", self.list),
            Route("POST", "people", self.name, NamePerson),
            Route("PUT", "people/appears", self.appear, AppearTo),
            Route("GET", "people/{id}", self.profile),
            Route("POST", "people/{id}/invite", self.invite, InviteTo),
            Route("POST", "people/{id}/report", self.report, ReportPerson),
        ]

    def list(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """Friends, blocked people, and who shows themselves to everybody in the lobby."""
        return self._people.data()

    def name(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """Make somebody a friend, block them, or neither."""
        wish: NamePerson = call.body
        if wish.name and (reason := why_not_name(wish.name)):
            raise bad_request(reason)
        self._people.name(bytes.fromhex(wish.key), wish.name, None if wish.standing == "none" else wish.standing)
        return self._people.data()

    def appear(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """Appear to others, or not."""
        self._people.appear(call.body.to)
        return self._people.data()

    def profile(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """Somebody's profile."""
        return self._people.profile(_key(call))

    def invite(self, call: ApiCall) -> Deferred[Any]:
        """Invite somebody to a table."""
        return self._people.invite(_key(call), call.body.table).addCallback(lambda _: {})

    def report(self, call: ApiCall) -> Deferred[Any]:
        """Tell the operators of the lobby about somebody."""
        if reason := why_not_chat(call.body.reason):
            raise bad_request(reason)
        return self._people.report(_key(call), call.body.reason, call.body.place)


def _key(call: ApiCall) -> bytes:
    text = call.path["id"]
    if not _KEY.match(text):
        raise bad_request("a person is named by the key, 64 hexadecimal digits")
    return bytes.fromhex(text)
