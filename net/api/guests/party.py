"""A party: the guest door of one table or match, its guests, and what the owner sees of them.

The owner opens it (`kontor party`, or the button at a table). From then on the door listens, links are made for every
seat that a phone may have, and phones knock. What happens to whom:

* A phone that comes by link or code is a guest that waits. The owner says yes or no.
* With a yes, the seat is taken at the table for a guest, where all peers see it and agree to it, or, in a match that
  runs, it is lent: from then on the owner's own screens show it no more (`Hub.here`). Whoever owns the node could still
  look, because its process holds the cards; the table says so to everybody.
* Another phone for the same seat takes it over with the owner's yes; the old one is out at that moment.
* The table becomes a match: everybody keeps the seat. The owner plays it again: everybody goes along, one seat further
  as all seats do; among peers by way of the table where the rematch is agreed on.
* The party ends: seats that were lent go back to the owner's screens, so that the match can be played to its end, and
  every phone is told.

What is needed to come back after a restart of the node lies in `party.json`, mode 0600: it holds secrets of guests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError, KontorError
from kontor_games.net.api.http.router import Router
from kontor_games.net.api.http.tokens import OWNER, Scope
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.network.shown_net import ShownNetMatch
from kontor_games.net.system.buckets import Buckets, Rate
from kontor_games.net.system.networks import household_of
from kontor_games.net.system.private_file import read_private, write_private

from .door_bundle import DoorBundle
from .door_files import door_files
from .door_ports import USUAL_PORT, DoorPorts, door_addresses
from .door_tls import door_certificate
from .guest_book import GuestBook, Kind, PhoneGuest
from .guest_door import GuestDoor
from .guest_links import links_data
from .guest_session import GuestSession
from .guest_stream import FirstWords
from .party_place import PartyPlace
from .sealed_channel import Credential, DoorEnd

PARTY_FILE: Final = "party.json"
TAKEN_UP_SECONDS: Final = 30.0  # after a restart
WISHES: Final = Rate(0.5, 8.0)  # of one guest: everybody hears of them, and they are written down
_log = Logger(namespace="kontor.guests")


@dataclass(frozen=True)
class GuestScope(Scope):
    """What a guest may ask: as a seat's token, and it is known who asks."""

    guest: str = ""

    def as_dict(self) -> dict[str, object]:
        """For `hello`."""
        return {"kind": "guest", "match": self.match or None, "seat": self.seat}


class Written(msgspec.Struct, forbid_unknown_fields=True):
    """The file of a party."""

    match: str
    port: int
    tls: bool
    book: msgspec.Raw
    address: str = ""  # the only one to listen on, if the owner said so
    kept: frozenset[int] = frozenset()


class Party:
    """The one party of this node, open or not."""

    def __init__(self, hub: Hub, network: Network, home: Path) -> None:
        self.router = Router([])  # of guests; set once the routes are there
        self._hub = hub
        self._network = network
        self._home = home
        self._place: PartyPlace | None = None
        self._book = GuestBook()
        self._door: GuestDoor | None = None
        self._bundle = DoorBundle(home, lambda: network.called, self._changed, hub.reactor)
        self._ports = DoorPorts(hub.reactor)
        self._tls = ""  # the fingerprint of the certificate, if there is one
        self._address = ""  # the only one that it listens on, if the owner said so
        self._sessions: dict[str, GuestSession] = {}
        self._asked_for: set[str] = set()  # guests with a yes whose seat the keeper of a far table has not shown yet
        self._moving: set[str] = set()  # guests whose seats at the table of a rematch have not been shown yet
        self._wishes = Buckets(WISHES)
        self._wanted: set[int] = set()  # seats with a phone for which another link was asked for
        self._kept: frozenset[int] = frozenset()  # seats of the owner's own, with links only where one was asked for
        self._heard = hub.feed.last
        self._unlisten: Callable[[], None] | None = None
        network.on_begun = self._begun

    # ---- life

    @property
    def is_open(self) -> bool:
        """Whether phones can come."""
        return self._place is not None

    def open(self, table: str | None, match: str | None, port: int | None, address: str, tls: bool) -> None:
        """Open the door for a table or a match; ConfigError says why not."""
        place = PartyPlace(self._hub, self._network, table, match)
        place.check()
        if self._place is not None:
            if (self._place.table, self._place.match) == (table, match) or match == self._place.match is not None:
                return
            raise ConfigError("there is a party already; end it before you invite people to another table")
        self._book, self._kept = GuestBook(), frozenset()
        self._listen(place, (USUAL_PORT, 0) if port is None else (port,), address, tls)
        self._refresh()

    def restore(self) -> None:
        """After a restart of the node: the party of a match goes on; tables do not outlive the node."""
        path = self._home / PARTY_FILE
        try:
            written = msgspec.json.decode(read_private(path), type=Written)
            self._book, self._kept = GuestBook.load(bytes(written.book)), written.kept
            place = PartyPlace(self._hub, self._network, None, written.match)
            self._listen(place, (written.port, 0), written.address, written.tls)
        except FileNotFoundError:
            return
        except (KontorError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.warn("the party does not go on: {error}", error=str(error))
            path.unlink(missing_ok=True)
            return
        self._hub.lent[written.match] = self._book.held  # the match itself may come a moment later
        self._hub.reactor.callLater(TAKEN_UP_SECONDS, self._check_match)

    def _check_match(self) -> None:
        """A match that was not taken up after a restart is over, or its files are gone: there is nothing to play."""
        if self._place is not None and self._place.match is not None and self._place.shown is None:
            self.close()

    def _listen(self, place: PartyPlace, ports: tuple[int, ...], address: str, tls: bool) -> None:
        door = GuestDoor(self, door_files(self._hub.setup.web), self._bundle, self._hub.reactor)
        context, fingerprint = door_certificate(self._home) if tls else (None, "")
        self._ports.open(door, door_addresses(self._hub.setup.bind, address), ports, context)
        door.listening(self._ports.hosts, "https" if tls else "http")
        self._door, self._place, self._tls, self._address = door, place, fingerprint, address
        self._heard = self._hub.feed.last
        self._unlisten = self._hub.feed.listen(self._news)

    def close(self, why: str = "closed") -> None:
        """End the party: every phone is told, and lent seats go back to the owner's screens."""
        place = self._place
        (self._home / PARTY_FILE).unlink(missing_ok=True)
        if place is None:
            return
        for guest in self._book.guests:
            if guest.is_accepted and guest.seat is not None and place.match is None:
                place.give_back(guest.seat)
        self._end(why)
        self._book = GuestBook()
        if place.match is not None and self._hub.lent.pop(place.match, frozenset()) and place.shown is not None:
            self._hub.match_changed(place.shown)
        self._hub.feed.add("party", open=False)

    def play_again(self, old: str, table: str | None, match: str | None) -> None:
        """The owner wants a match once more, at this table, or in this match if all of it is here: guests go along."""
        before = self._place
        if before is None or before.match != old:
            return
        place = PartyPlace(self._hub, self._network, table, match)
        if isinstance(before.shown, ShownNetMatch):
            place.before = before.shown.ledger.match
        count = len(before.seats())
        self._book.move({seat: (seat - 1) % count for seat in range(count)})
        self._moving = {guest.id for guest in self._book.guests if guest.is_accepted and guest.seat is not None}
        self._wanted.clear()
        self._kept = frozenset((seat - 1) % count for seat in self._kept) if match is not None else frozenset()
        self._place = place
        if match is None:
            (self._home / PARTY_FILE).unlink(missing_ok=True)  # tables do not outlive the node
        self._lend()
        self._hub.reactor.callLater(0, self._refresh)

    def stop(self) -> Deferred[Any]:
        """The node stops; the party goes on with its next start."""
        return self._end("")

    def _end(self, why: str) -> Deferred[Any]:
        for session in self._sessions.values():
            if why:
                session.end(why)
        self._sessions.clear()
        self._wanted.clear()
        self._asked_for.clear()
        self._moving.clear()
        if self._unlisten is not None:
            self._unlisten()
            self._unlisten = None
        closed = self._ports.close()
        door, self._door, self._place = self._door, None, None
        if door is not None:  # what was said last must leave first
            self._hub.reactor.callLater(0.5 if why else 0, door.stop)
        return closed

    # ---- phones

    def secret_of(self, credential: Credential, id: bytes) -> bytes | None:
        """For the channel."""
        return self._book.secret_of(credential, id)

    def enter(self, end: DoorEnd, words: FirstWords, address: str) -> GuestSession:
        """A phone has proven what it knows."""
        assert end.hello is not None and end.agreed is not None
        match end.hello.credential:
            case Credential.LINK:
                guest = self._book.came_by_link(end.hello.id, end.agreed.device, words.name)
            case Credential.CODE:
                before = (self._book.code, self._book.shut_out)
                where = household_of(address)
                try:
                    guest = self._book.came_by_code(words.code, end.agreed.device, words.name, end.agreed.words, where)
                finally:
                    if before != (self._book.code, self._book.shut_out):  # the host sees both
                        self._changed()
            case Credential.DEVICE:
                found = self._book.guest(end.hello.id.hex())
                if found is None:
                    raise ConfigError("this phone is not part of the party any more")
                return self._session(found)
        session = self._session(guest)
        self._hub.reactor.callLater(0, self._refresh)  # once the phone has its session
        return session

    def _session(self, guest: PhoneGuest) -> GuestSession:
        if guest.id not in self._sessions:
            self._sessions[guest.id] = GuestSession(
                self.router,
                self._hub.feed,
                lambda: self._scope(guest.id),
                lambda: self.about(guest.id),
                self._changed,
                self._hub.reactor.seconds,
            )
        return self._sessions[guest.id]

    def _scope(self, id: str) -> GuestScope:
        guest = self._book.guest(id)
        place = self._place
        if guest is None or not guest.is_accepted or place is None or place.match is None:
            return GuestScope("", None, id)
        if guest.kind != "seat":
            return GuestScope(place.match if place.may_watch else "", None, id)
        return GuestScope(place.match, guest.seat, id)

    def wish(self, id: str, seat: int | None, kind: Kind) -> dict[str, Any]:
        """A waiting guest chooses."""
        place = self._here()
        if kind != "seat" and not place.may_watch:
            raise ConfigError("nobody may watch at this table")
        if seat is not None and seat not in place.lendable:
            raise ConfigError("that seat is not free")
        if self._wishes.take(id, self._hub.reactor.seconds()) > 0:
            raise ConfigError("you change your mind too often; wait a little")
        self._book.wish(id, seat, kind)
        self._refresh()
        return self.about(id)

    def about(self, id: str) -> dict[str, Any]:
        """What a guest is told about itself and its table."""
        guest, place = self._book.guest(id), self._place
        if guest is None or place is None:
            return {"guest": id, "accepted": False, "seat": None, "kind": "seat", "match": None}
        match = self._scope(id).match or None
        told = {
            "guest": id,
            "name": guest.name,
            "kind": guest.kind,
            "seat": guest.seat,
            "accepted": guest.is_accepted,
            "words": list(guest.words),
            "match": match,
            "game": place.game,
            "host": self._network.called,
            "seats": place.seats(),
            "free": sorted(self._offered(place)),
            "may_watch": place.may_watch,
            "bundle": self._bundle.is_there,
        }
        return {**told, **self._links()} if guest.kind == "screen" and guest.is_accepted else told

    # ---- the owner

    def accept(self, id: str, seat: int | None) -> None:
        """Yes, to this guest and this seat; at a table of another machine as soon as its keeper says so too."""
        place, guest = self._here(), self._book.guest(id)
        if guest is not None and guest.seat != seat:  # it asked for another one while the owner was reading
            raise ConfigError(f"{guest.name}'s phone does not ask for that seat any more; look again")
        if guest is not None and guest.kind == "seat" and not guest.is_accepted and guest.seat is not None:
            if guest.seat not in place.lendable:
                raise ConfigError("that seat is not free any more")
            if place.match is None:
                name = place.name_for(guest.seat, guest.name)
                self._book.rename(id, name)
                place.sit(guest.seat, name)
                if place.sits(guest.seat) != name:
                    self._asked_for.add(id)
                    return
        self._accepted(id)
        self._refresh()

    def _accepted(self, id: str) -> None:
        guest, before = self._book.accept(id)
        if before is not None:
            self._out(before.id, "replaced")
        if guest.seat is not None:
            self._wanted.discard(guest.seat)

    def remove(self, id: str) -> None:
        """No, or no longer: the phone is out at once."""
        place, guest = self._here(), self._book.remove(id)
        self._out(id, "removed" if guest.is_accepted else "refused")
        self._save()  # whatever else happens: a restart must not let it in again
        if guest.is_accepted and guest.seat is not None:
            place.give_back(guest.seat)
        self._refresh()

    def invite(self, seat: int) -> None:
        """Another link for a seat that a phone has: whoever uses it takes the seat over, if the owner says yes."""
        if seat not in self._here().lendable:
            raise ConfigError("that seat cannot be played on a phone")
        self._wanted.add(seat)
        self._refresh()

    def new_code(self) -> None:
        """Another code, and other links: whoever has photographed the old ones comes too late."""
        self._here()
        self._book.renew_code()
        self._book.withdraw(lambda each: True)
        self._refresh()

    def data(self) -> dict[str, Any]:
        """What the owner sees."""
        place = self._place
        if place is None:
            return {"open": False}
        guests = [
            {
                "id": guest.id,
                "name": guest.name,
                "kind": guest.kind,
                "seat": guest.seat,
                "accepted": guest.is_accepted,
                "here": guest.id in self._sessions and self._sessions[guest.id].is_here,
                "words": list(guest.words),
            }
            for guest in self._book.guests
        ]
        return {
            "open": True,
            "table": place.table,
            "match": place.match,
            "game": place.game,
            "tls": self._tls,
            "addresses": [self._url(host) for host in self._ports.hosts],
            "guests": guests,
            "shut_out": list(self._book.shut_out),
            "names": [seat["name"] for seat in place.seats()],
            **self._links(),
        }

    def _links(self) -> dict[str, Any]:
        """Address, code and open links: what somebody needs who wants to come in."""
        url = self._url(self._ports.hosts[0])
        seats = enumerate(self._here().seats())
        own = {number for number, seat in seats if seat["name"] == self._network.called}
        return {
            "url": url,
            "code": self._book.code,
            **self._bundle.told(url),
            "links": links_data(url, self._book.invitations, own),
        }

    def _url(self, host: str) -> str:
        return f"{'https' if self._tls else 'http'}://{host}/"

    # ---- what changes

    def _here(self) -> PartyPlace:
        if self._place is None:
            raise ConfigError("there is no party; open one first")
        return self._place

    def _out(self, id: str, why: str) -> None:
        session = self._sessions.pop(id, None)
        if session is not None:
            session.end(why)

    def _begun(self, table: str, match: str) -> None:
        """A table has become a match."""
        if self._place is not None and self._place.table == table and self._place.match is None:
            self._kept = self._place.kept
            self._place.match = match
            self._lend()
            self._hub.reactor.callLater(0, self._refresh)

    def _news(self) -> None:
        """Something happened in the node: guests hear what is theirs, and the table may have changed."""
        for session in list(self._sessions.values()):
            session.pump()
        if self._place is None:
            return
        missed = self._hub.feed.after(self._heard, OWNER)
        self._heard = self._hub.feed.last
        about = ("table", "tables") if self._place.match is None else ("matches",)
        if missed is None or any(event["kind"] in about for event in missed):
            self._hub.reactor.callLater(0, self._refresh)

    def _refresh(self) -> None:
        """Bring seats, links and loans into line with table, match and guests; tell everybody."""
        place = self._place
        if place is None or (place.match is not None and place.shown is None):
            return  # there is no party, or its match is still being taken up
        if place.is_gone:
            if not place.follow():
                self.close("table")
                return
            if place.is_gone:
                return  # on its way to the table that others go to
        self._settle(place)
        self._make_links(place)
        self._lend()
        self._save()
        self._changed()

    def _settle(self, place: PartyPlace) -> None:
        """At a table: who was promised a seat has it once the keeper shows it; who has lost it chooses again."""
        if place.match is not None:
            return
        for guest in self._book.guests:
            if guest.seat is None or guest.kind != "seat":
                continue
            sits = place.sits(guest.seat)
            if guest.id in self._asked_for and sits == guest.name:
                self._asked_for.discard(guest.id)
                self._accepted(guest.id)
            elif sits is not None:
                self._moving.discard(guest.id)
            elif guest.is_accepted and (guest.id not in self._moving or place.is_taken(guest.seat)):
                self._book.unseat(guest.id)

    def _offered(self, place: PartyPlace) -> set[int]:
        """The seats for which a phone may ask: free ones, and those for which the owner wants another phone."""
        taken = self._book.held | self._kept
        return {seat for seat in place.lendable if seat in self._wanted or seat not in taken}

    def _make_links(self, place: PartyPlace) -> None:
        waited_for = {guest.seat for guest in self._book.guests if not guest.is_accepted}
        seats = self._offered(place) - (waited_for - self._wanted)
        self._book.withdraw(lambda each: each.kind == "seat" and each.seat not in seats)
        for seat in sorted(seats):
            self._book.invite("seat", seat)
        if place.may_watch:
            self._book.invite("watch")
            self._book.invite("screen")
        else:
            self._book.withdraw(lambda each: each.kind != "seat")

    def _lend(self) -> None:
        place = self._place
        if place is None or place.match is None:
            return
        lent = self._book.held
        if self._hub.lent.get(place.match, frozenset()) != lent:
            self._hub.lent[place.match] = lent
            if place.shown is not None:
                self._hub.match_changed(place.shown)

    def _save(self) -> None:
        place = self._place
        if place is None or place.match is None:
            return
        book = msgspec.Raw(self._book.dump())
        written = Written(place.match, self._ports.number, bool(self._tls), book, self._address, self._kept)
        write_private(self._home / PARTY_FILE, msgspec.json.encode(written).decode())

    def _changed(self) -> None:
        for session in list(self._sessions.values()):
            session.changed()
        self._hub.feed.add("party", open=self.is_open)
