"""People for clients: who is in the lobby, friends and blocked people of the owner, profiles, invitations, reports.

The lists of friends and blocked people belong to the node (people_book.py). With every connection the lobby is told
to whom the owner appears and whom to look out for; what the owner blocked is marked there too, so that a blocked person
cannot come to the owner's tables. The node filters by itself besides: lines, tables and invitations of blocked people
are shown to nobody here, whatever a lobby does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure

from kontor_games.engine.errors import KontorError
from kontor_games.net.api.http.api_errors import refused
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.lobbies.lobbies import LobbyChanged, LobbyNews, LobbyTold
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import HallNews, ListPeople, MarkKey, PeopleList
from kontor_games.net.wire.people_messages import (
    MAX_REPORTED,
    AboutPerson,
    Appear,
    Appears,
    AskProfile,
    ClaimedLine,
    FriendSeen,
    FriendsHere,
    Invite,
    Invited,
    Person,
    ReportKey,
)

from .lobby_side import LobbySide, person_data
from .people_book import Acquaintance, PeopleBook, Standing

MAX_PAGES: Final = 8  # of the list of people that are fetched at once
MARK: Final = 19  # four groups of the fingerprint, as a lobby marks people
MAX_TOLD: Final = 100  # friends that a lobby looks out for by default
OLDER: Final = "this lobby is older and knows no friends, invitations or reports; its operator has to update it"


class PeopleSide:
    """People, for clients."""

    def __init__(self, feed: Feed, home: Path, lobby: LobbySide, wall: Callable[[], float] = time.time) -> None:
        self.book = PeopleBook(home)
        self._feed = feed
        self._lobby = lobby
        self._wall = wall
        self._seen: dict[bytes, Person] = {}  # friends who are here
        lobby.is_blocked = self.book.is_blocked

    # ---- what clients ask

    def data(self) -> Deferred[dict[str, Any]]:
        """Everybody whom the owner may see."""
        return self._here().addCallback(self._data)

    def _data(self, listed: PeopleList) -> dict[str, Any]:
        room = self._lobby.room_now()
        return {
            "appears": self.book.appears,
            "up": room is not None and room.seen is not None,
            "older": room is not None and room.seen is not None and not room.knows_people,
            "friends": [self._friend(person) for person in self.book.all("friend")],
            "blocked": [_named(person) for person in self.book.all("block")],
            "here": [self._shown(person) for person in listed.people if self._is_other(person.key)],
            "total": max(0, listed.total - 1),  # the owner is one of them
        }

    def _is_other(self, key: bytes) -> bool:
        return key != self._lobby.own_key and not self.book.is_blocked(key)

    def _here(self) -> Deferred[PeopleList]:
        """Who shows themselves to everybody in the lobby; nobody if it is not reached."""
        room = self._lobby.room_now()
        nobody = PeopleList((), False, 0)
        if room is None or room.seen is None:
            return succeed(nobody)
        people: list[Person] = []

        def page(result: Any) -> Any:
            if not isinstance(result, PeopleList):
                return nobody
            people.extend(result.people)
            pages.append(1)
            if result.more and result.people and len(pages) < MAX_PAGES:
                return room.ask(ListPeople(result.people[-1].key)).addCallback(page)
            return PeopleList(tuple(people), result.more, result.total)

        pages: list[int] = []
        asked: Deferred[Any] = room.ask(ListPeople()).addCallback(page)
        return asked.addErrback(_nobody, nobody)

    def name(self, key: bytes, name: str, standing: Standing | None) -> None:
        """Make somebody a friend, block them, or neither."""
        if key == self._lobby.own_key:
            raise refused("that is your own key")
        was_blocked = self.book.is_blocked(key)
        if standing is None:
            self.book.drop(key)
        else:
            self.book.put(key, name, standing, int(self._wall()))
        if standing != "friend":
            self._seen.pop(key, None)
        room = self._lobby.room_now()
        if room is not None and room.seen is not None and was_blocked != (standing == "block"):
            room.ask(MarkKey(key, "block" if standing == "block" else "none")).addErrback(_later)
        self._say_again()
        self._feed.add("people")
        self._feed.add("tables")

    def appear(self, to: Appears) -> None:
        """Appear to others in the lobby, or not."""
        self.book.appear(to)
        self._say_again()
        self._feed.add("people")

    def profile(self, key: bytes) -> Deferred[dict[str, Any]]:
        """What the lobby knows of somebody, and what they are to the owner."""

        def shown(about: Any) -> dict[str, Any]:
            if not isinstance(about, AboutPerson):
                raise refused("the lobby did not say who this is")
            since, games = about.since // 1000, [{"game": game, "matches": count} for game, count in about.games]
            return {**self._shown(about.person), "since": since, "matches": about.matches, "games": games}

        return self._asking(lambda room: room.ask(AskProfile(key))).addCallback(shown)

    def invite(self, key: bytes, table: str) -> Deferred[Any]:
        """Invite somebody to a table of the lobby at which the owner is."""
        if self._lobby.about(table) is None:
            raise refused("only people in the lobby can be invited, to a table of that lobby")
        return self._asking(lambda room: room.ask(Invite(table, key)))

    def report(self, key: bytes, reason: str, place: str) -> Deferred[Any]:
        """Tell the operators about somebody, with what they said last at this place."""
        theirs = [said for said in self._lobby.said.get(place, []) if said.author.key == key][-MAX_REPORTED:]
        lines = tuple(ClaimedLine(said.author.key, said.author.name, said.text, said.at) for said in theirs)
        asked = self._asking(lambda room: room.ask(ReportKey(key, reason, place, lines)))
        return asked.addCallback(lambda _: {"lines": len(lines)})

    def _asking(self, ask: Callable[[LobbyRoom], Deferred[Any]]) -> Deferred[Any]:
        def able(room: LobbyRoom) -> Deferred[Any]:
            if not room.knows_people:
                raise refused(OLDER)
            return ask(room)

        return self._lobby.room().addCallback(able)

    # ---- what the lobby says

    def on_news(self, news: LobbyNews) -> None:
        """The lobby was reached or lost, or it said something."""
        match news:
            case LobbyChanged(is_up=is_up):
                self._seen.clear()
                if is_up:
                    self._mark_blocked()
                    self._say_again()
                self._feed.add("people")
            case LobbyTold(event=FriendSeen(person=person)):
                self._friend_seen(person)
            case LobbyTold(event=HallNews(people=people)):
                if people:
                    self._feed.add("people")
            case LobbyTold(event=Invited() as invited):
                if not self.book.is_blocked(invited.by.key):
                    by = self._shown(invited.by)
                    self._feed.add("invited", by=by, table=invited.table, game=invited.game, code=invited.code)
            case _:
                pass

    def _friend_seen(self, person: Person) -> None:
        if self.book.standing_of(person.key) != "friend":
            return  # a lobby does not decide who is a friend
        if person.here:
            self._seen[person.key] = person
        else:
            self._seen.pop(person.key, None)
        self._feed.add("people", friend=self._shown(person))

    def _say_again(self) -> None:
        """Tell the lobby to whom the owner appears and whom to look out for."""
        room = self._lobby.room_now()
        if room is None or room.seen is None or not room.knows_people:
            return
        friends = self.book.keys("friend")[:MAX_TOLD]
        room.ask(Appear(self.book.appears, friends)).addCallbacks(self._friends_here, _later)

    def _friends_here(self, result: Any) -> None:
        if isinstance(result, FriendsHere):
            friends = set(self.book.keys("friend"))
            self._seen = {person.key: person for person in result.people if person.key in friends}
            self._feed.add("people")

    def _mark_blocked(self) -> None:
        """What the owner blocked here is blocked there; marks of other nodes of the owner are left alone."""
        room = self._lobby.room_now()
        if room is None or room.seen is None:
            return
        known = {marked.key for marked in room.seen.marks if marked.mark == "block"}
        for key in self.book.keys("block"):
            if key not in known:
                room.ask(MarkKey(key, "block")).addErrback(_later)

    # ---- how they are shown

    def _friend(self, person: Acquaintance) -> dict[str, Any]:
        seen = self._seen.get(bytes.fromhex(person.key))
        called, mark = (person.name, "") if seen is None else (seen.name, seen.mark)
        return {**_named(person), "online": seen is not None, "called": called, "mark": mark}

    def _shown(self, person: Person) -> dict[str, Any]:
        """Somebody with what they are to the owner; whoever is called like a friend and is not, is marked."""
        data = {**person_data(person), "standing": self.book.standing_of(person.key)}
        if not data["mark"] and self.book.poses_as(person.key, person.name):
            data["mark"] = data["fingerprint"][:MARK]
        return data


def _named(person: Acquaintance) -> dict[str, Any]:
    key = bytes.fromhex(person.key)
    return {"key": person.key, "name": person.name, "fingerprint": fingerprint(key), "since": person.since}


def _nobody(failure: Failure, nobody: PeopleList) -> PeopleList:
    _later(failure)
    return nobody


def _later(failure: Failure) -> None:
    """The lobby refused or went away; it is told again when it is back."""
    if not isinstance(failure.value, KontorError):
        failure.raiseException()
