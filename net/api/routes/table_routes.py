"""Routes of tables among peers: look, open, join, sit, agree; and what only matches among peers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from twisted.internet.defer import Deferred, succeed

from kontor_games.net.api.http.api_errors import ApiError, bad_request, refused
from kontor_games.net.api.http.router import ApiCall, Route, place_number
from kontor_games.net.api.matches.chain_data import chain_data
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.network.shown_net import ShownNetMatch
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.node.node import Node
from kontor_games.net.table.guest import sight_of
from kontor_games.net.wire.identity import fingerprint, fingerprint_words, parse_fingerprint
from kontor_games.net.wire.ladder_messages import LAN_CLAUSE, lobby_clause
from kontor_games.net.wire.messages import (
    DAY,
    HUMAN,
    AnyMessage,
    Clauses,
    Configure,
    Ladder,
    PassHost,
    Remove,
    Rename,
    Sit,
    Stand,
)
from kontor_games.net.wire.text import why_not_name

from .match_routes import Name, OptionValue, SeatNumber, Word

Recovery = Literal["majority", "none"]
Count = Annotated[int, Meta(ge=1, le=8)]
Options = Annotated[dict[Word, OptionValue], Meta(max_length=32)]
KeyHex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]

GraceSeconds = Annotated[int, Meta(ge=0, le=30 * DAY)]  # 0: nobody waits for anybody
GRACE = 120


class EventTable(Struct, forbid_unknown_fields=True):
    """A table of a tournament: the mark of its round, the organiser, and whose seats they are."""

    mark: Annotated[str, Meta(max_length=32, pattern=r"\Aevent\.[a-z2-7]+\Z")]
    organiser: KeyHex
    keys: Annotated[list[KeyHex], Meta(min_length=2, max_length=8)]


class NewTable(Struct, forbid_unknown_fields=True):
    """A table of one's own; `lan` lets the local network know, others join by address."""

    game: Word
    seats: Count
    options: Options = {}
    recovery: Recovery = "majority"
    spectators: bool | None = None  # None: on a local network they may watch, in a lobby not
    where: Literal["lan", "lobby"] = "lan"
    visibility: Literal["public", "unlisted", "invite"] = "public"
    name: Annotated[str, Meta(max_length=200)] = ""
    grace: GraceSeconds = GRACE
    rated: bool = False
    event: EventTable | None = None


class Join(Struct, forbid_unknown_fields=True):
    """Another node by its address, and the fingerprint that its owner has told."""

    address: Annotated[str, Meta(max_length=128)] = ""
    fingerprint: Annotated[str, Meta(max_length=80)] = ""
    code: Annotated[str, Meta(max_length=24)] = ""


class TakeSeat(Struct, forbid_unknown_fields=True):
    """A seat at the table; without a number the first free one."""

    seat: SeatNumber | None = None
    name: Name | None = None


class SeatBot(Struct, forbid_unknown_fields=True):
    """A bot of this node on a seat."""

    kind: Word | None = None  # None: the first of those that this node has
    seat: SeatNumber | None = None
    name: Name | None = None


class LeaveSeat(Struct, forbid_unknown_fields=True):
    """A seat of one's own to give back."""

    seat: SeatNumber


class NewName(Struct, forbid_unknown_fields=True):
    """Another name on a seat of one's own."""

    seat: SeatNumber
    name: Name


class ChangeTable(Struct, forbid_unknown_fields=True):
    """What the host changes; what is not given stays."""

    options: Options | None = None
    seats: Count | None = None
    recovery: Recovery | None = None
    spectators: bool | None = None
    grace: GraceSeconds | None = None


class Agreement(Struct, forbid_unknown_fields=True):
    """What the person looked at (`sight` of the table); without it the newest table is agreed to."""

    sight: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")] | None = None


class MemberBody(Struct, forbid_unknown_fields=True):
    """Somebody at the table, by key."""

    peer: KeyHex


class Watch(Struct, forbid_unknown_fields=True):
    """A match to watch: its full id, and a node that plays it."""

    match: KeyHex
    address: Annotated[str, Meta(max_length=128)]
    fingerprint: Annotated[str, Meta(max_length=80)] = ""


class LineBody(Struct, forbid_unknown_fields=True):
    """A line of chat."""

    text: Annotated[str, Meta(min_length=1, max_length=500)]


class QueueBody(Struct, forbid_unknown_fields=True):
    """Games and numbers of players that would do."""

    games: Annotated[list[Word], Meta(min_length=1, max_length=8)]
    seats: Annotated[list[Annotated[int, Meta(ge=2, le=8)]], Meta(min_length=1, max_length=7)]


class ReplyBody(Struct, forbid_unknown_fields=True):
    """Yes or no to an offer of the queue."""

    offer: Annotated[str, Meta(max_length=32, pattern=r"\A[A-Za-z0-9_-]+\Z")]
    yes: bool


class Vote(Struct, forbid_unknown_fields=True):
    """Peers to be declared gone."""

    peers: Annotated[list[SeatNumber], Meta(max_length=8)]


class TableRoutes:
    """What can be asked about tables and matches among peers."""

    def __init__(self, hub: Hub, network: Network, settings: SettingsFile) -> None:
        self._hub = hub
        self._network = network
        self._settings = settings

    def routes(self) -> list[Route]:
        return [
            Route("GET", "tables", self.list),
            Route("POST", "tables", self.create, NewTable),
            Route("GET", "tables/{id}", self.show),
            Route("POST", "join", self.join, Join),
            Route("POST", "watch", self.watch, Watch),
            Route("POST", "tables/{id}/enter", self.enter),
            Route("POST", "tables/{id}/sit", self.sit, TakeSeat),
            Route("POST", "tables/{id}/bot", self.bot, SeatBot),
            Route(
                "POST", "tables/{id}/stand", lambda call: self._tell(call, Stand(_id(call), call.body.seat)), LeaveSeat
            ),
            Route("POST", "tables/{id}/rename", self.rename, NewName),
            Route("POST", "tables/{id}/configure", self.configure, ChangeTable),
            Route("POST", "tables/{id}/ready", self.ready, Agreement),
            Route("POST", "tables/{id}/start", self.ready, Agreement),
            Route("POST", "tables/{id}/unready", self.unready),
            Route("POST", "tables/{id}/remove", self.remove, MemberBody),
            Route("POST", "tables/{id}/pass", self.pass_host, MemberBody),
            Route("POST", "tables/{id}/leave", self.leave),
            Route("POST", "tables/{id}/chat", self.table_chat, LineBody),
            Route("GET", "lobby", self.lobby),
            Route("POST", "lobby", self.reach_lobby),
            Route("POST", "lobby/chat", self.hall_chat, LineBody),
            Route("POST", "queue", self.queue, QueueBody),
            Route("DELETE", "queue", lambda call: self._network.lobby.unqueue()),
            Route("POST", "queue/reply", self.reply, ReplyBody),
            Route("GET", "matches/{id}/chain", self.chain),
            Route("POST", "matches/{id}/chat", self.chat, LineBody),
            Route("POST", "matches/{id}/vote", self.vote, Vote),
            Route("POST", "matches/{id}/wait", self.wait),
            Route("POST", "matches/{id}/unwatch", self.unwatch),
        ]

    # ---- tables

    def list(self, call: ApiCall) -> Deferred[Any]:
        def listed(rows: list[dict[str, Any]]) -> dict[str, Any]:
            known = self._network.tables()
            ours = {row["id"] for row in known}
            found = known + [row for row in rows if row["id"] not in ours]
            return {"tables": found, "lan": self._network.listening()}

        return self._network.open().addCallback(lambda _: self._network.lobby.rows()).addCallback(listed)

    def create(self, call: ApiCall) -> Deferred[Any]:
        new: NewTable = call.body
        if new.event is not None and len(new.event.keys) != new.seats:
            raise bad_request("a tournament's table has a key for each seat")
        if new.where == "lobby":
            return self._make_in_lobby(new)

        def host(node: Node) -> dict[str, Any]:
            watched, clauses = new.spectators is not False, _clauses_of(new, LAN_CLAUSE)
            kept_for = [] if new.event is None else [bytes.fromhex(key) for key in new.event.keys]
            options = (new.game, new.options, new.seats, new.recovery, watched, clauses)
            return {"id": node.tables.host(*options, kept_for=kept_for)}

        return self._network.open().addCallback(host)

    def _make_in_lobby(self, new: NewTable) -> Deferred[Any]:
        def make(room: LobbyRoom) -> Deferred[str]:
            watched, clauses = bool(new.spectators), _clauses_of(new, lobby_clause(room.key))
            return room.make_table(
                new.game, new.options, new.seats, new.recovery, watched, new.visibility, new.name, clauses
            )

        return self._network.lobby.room().addCallback(make).addCallback(lambda table: {"id": table})

    def show(self, call: ApiCall) -> Deferred[Any]:
        if _id(call) in self._network.begun_here:
            return succeed(self._network.table(self._network.begun_here[_id(call)]))
        self._at(call)
        return self._network.shown(_id(call))

    def join(self, call: ApiCall) -> Deferred[Any]:
        wish: Join = call.body
        if wish.code:
            code = wish.code
            entered = self._network.lobby.room().addCallback(lambda room: room.enter_as_told(code))
            return entered.addCallback(lambda table: {"id": table})
        if not wish.address:
            raise bad_request("give an address (host:port) or the code of a lobby's table")
        mark = parse_fingerprint(wish.fingerprint) if wish.fingerprint else None

        def met(key: bytes) -> Any:
            _, views = self._network.met[key]
            found = {
                "peer": key.hex(),
                "fingerprint": fingerprint(key),
                "words": fingerprint_words(key),
                "tables": [self._network.table(view) for view in views],
            }
            free = [view.table for view in views if view.phase == "open"]
            if len(free) != 1:
                return {**found, "id": None}  # the person chooses
            self._enter(free[0])
            return self._network.shown(free[0]).addCallback(lambda _: {**found, "id": free[0]})

        return self._network.meet(wish.address, mark).addCallback(met)

    def watch(self, call: ApiCall) -> Deferred[Any]:
        wish: Watch = call.body
        mark = parse_fingerprint(wish.fingerprint) if wish.fingerprint else None

        def met(key: bytes) -> Deferred[Any]:
            shown = self._network.watch(bytes.fromhex(wish.match), key)
            return shown.addCallback(lambda _: {"id": wish.match[:32]})

        return self._network.meet(wish.address, mark).addCallback(met)

    def enter(self, call: ApiCall) -> Deferred[Any]:
        if self._network.lobby.keeps(_id(call)):
            entered = self._network.lobby.room().addCallback(lambda room: room.enter(_id(call)))
            return entered.addCallback(self._network.shown)

        def enter(_: Node) -> Deferred[Any]:
            self._enter(_id(call))
            return self._network.shown(_id(call))

        return self._network.open().addCallback(enter)

    def _enter(self, table_id: str) -> None:
        node = self._network.node
        assert node is not None
        if table_id not in node.tables.guests:
            keeper, addresses = self._network.keeper_of(table_id)
            node.tables.enter(keeper, table_id, addresses)

    def sit(self, call: ApiCall) -> Deferred[Any]:
        return self._seat(call, call.body.seat, call.body.name or self._settings.called, HUMAN)

    def bot(self, call: ApiCall) -> Deferred[Any]:
        wish: SeatBot = call.body
        kinds = self._hub.setup.bot_kinds
        kind = wish.kind or kinds[0]
        if kind not in kinds:
            raise bad_request(f"a bot is one of {', '.join(kinds)}")
        return self._seat(call, wish.seat, wish.name or kind.capitalize(), kind)

    def _seat(self, call: ApiCall, seat: int | None, name: str, kind: str) -> Deferred[Any]:
        guest, _ = self._at(call)
        reason = why_not_name(name)
        if reason:
            raise bad_request(reason)
        if seat is None:
            free = [] if guest.view is None else [n for n, taken in enumerate(guest.view.seats) if taken is None]
            if not free:
                raise refused("no seat is free")
            seat = free[0]
        return self._tell(call, Sit(_id(call), seat, name, kind))

    def rename(self, call: ApiCall) -> Deferred[Any]:
        return self._tell(call, Rename(_id(call), call.body.seat, call.body.name))

    def configure(self, call: ApiCall) -> Deferred[Any]:
        guest, _ = self._at(call)
        view, wish = guest.view, call.body
        if view is None:
            raise refused("the table has not been seen yet")
        recovery = wish.recovery or view.recovery
        agreed = view.clauses.grace if view.clauses is not None else None
        grace = wish.grace if wish.grace is not None else agreed if wish.recovery is None else agreed or GRACE
        return self._tell(
            call,
            Configure(
                _id(call),
                dict(view.options) if wish.options is None else {**view.options, **wish.options},
                wish.seats or len(view.seats),
                recovery,
                view.spectators if wish.spectators is None else wish.spectators,
                _with_grace(view.clauses, recovery, wish.seats or len(view.seats), grace or 0),
            ),
        )

    def remove(self, call: ApiCall) -> Deferred[Any]:
        return self._tell(call, Remove(_id(call), bytes.fromhex(call.body.peer)))

    def pass_host(self, call: ApiCall) -> Deferred[Any]:
        return self._tell(call, PassHost(_id(call), bytes.fromhex(call.body.peer)))

    def leave(self, call: ApiCall) -> dict[str, Any]:
        self._at(call)
        self._network.leave(_id(call))
        return {}

    def ready(self, call: ApiCall) -> Deferred[Any]:
        guest, _ = self._at(call)
        sight = call.body.sight
        if guest.view is not None and sight in (None, sight_of(guest.view)) and self._network.start_here(guest.view):
            return self.show(call)
        return self._said(call, lambda node: node.tables.ready(_id(call), sight))

    def unready(self, call: ApiCall) -> Deferred[Any]:
        self._at(call)
        return self._said(call, lambda node: node.tables.unready(_id(call)))

    def _said(self, call: ApiCall, say: Callable[[Node], None]) -> Deferred[Any]:
        assert self._network.node is not None
        self._network.refusal = None
        say(self._network.node)
        if self._network.refusal is not None:  # our own table answers at once
            raise refused(self._network.refusal)
        return self._network.shown(_id(call))

    def _tell(self, call: ApiCall, message: AnyMessage) -> Deferred[Any]:
        """Say it to the keeper, which may be far away: what comes of it arrives as a `table` or as a `notice`."""
        self._at(call)
        return self._said(call, lambda node: node.tables.tell(_id(call), message))

    def _at(self, call: ApiCall) -> Any:
        node = self._network.node
        if node is None or _id(call) not in node.tables.guests:
            raise ApiError(404, "not-found", "you are not at this table")
        return node.tables.guests[_id(call)]

    # ---- the lobby

    def table_chat(self, call: ApiCall) -> Deferred[Any]:
        self._at(call)
        if self._network.lobby.about(_id(call)) is not None:
            return self._network.lobby.say(_id(call), call.body.text).addCallback(lambda _: {})
        assert self._network.node is not None, "we are at the table"
        self._network.node.talk.say(_id(call), self._settings.called, call.body.text)
        return succeed({})

    def lobby(self, call: ApiCall) -> dict[str, Any]:
        return self._network.lobby.status()

    def reach_lobby(self, call: ApiCall) -> Deferred[Any]:
        return self._network.lobby.room().addCallback(lambda _: self._network.lobby.status())

    def hall_chat(self, call: ApiCall) -> Deferred[Any]:
        return self._network.lobby.say("hall", call.body.text).addCallback(lambda _: {})

    def queue(self, call: ApiCall) -> Deferred[Any]:
        return self._network.lobby.queue(tuple(call.body.games), tuple(call.body.seats))

    def reply(self, call: ApiCall) -> Deferred[Any]:
        return self._network.lobby.reply(call.body.offer, call.body.yes).addCallback(lambda _: {})

    # ---- matches among peers

    def chain(self, call: ApiCall) -> dict[str, Any]:
        return chain_data(self._match(call).ledger, place_number(call.query.get("from", "0")))

    def chat(self, call: ApiCall) -> dict[str, Any]:
        self._match(call).say(call.body.text)
        return {}

    def vote(self, call: ApiCall) -> dict[str, Any]:
        self._match(call).vote(call.body.peers)
        return {}

    def wait(self, call: ApiCall) -> dict[str, Any]:
        self._match(call).vote(())
        return {}

    def unwatch(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        if shown.match is not None:
            raise refused("you play in this match; use bye to leave it")
        self._network.unwatch(shown)
        return {}

    def _match(self, call: ApiCall) -> ShownNetMatch:
        shown = self._hub.match(_id(call))
        if not isinstance(shown, ShownNetMatch):
            raise refused("a match on this machine has no other peers")
        return shown


def _clauses_of(new: NewTable, ladder: Ladder) -> Clauses | None:
    """What a new table agrees on besides the rest; a match counts for an event or on a ladder, not both."""
    if new.rated and new.event is not None:
        raise bad_request("a match of a tournament cannot be rated by a ladder too")
    if new.event is not None:
        ladder = Ladder(new.event.mark, bytes.fromhex(new.event.organiser))
    counts = new.rated or new.event is not None
    return _with_grace(Clauses(rated=ladder) if counts else None, new.recovery, new.seats, new.grace)


def _with_grace(clauses: Clauses | None, recovery: Recovery, seats: int, seconds: int) -> Clauses | None:
    """The clauses with this time of grace; where nobody can be put out there is none."""
    rated = None if clauses is None else clauses.rated
    pace = None if clauses is None else clauses.pace
    grace = seconds if seconds and seats > 2 and recovery == "majority" else None
    return Clauses(grace, rated, pace) if (grace, rated, pace) != (None, None, None) else None


def _id(call: ApiCall) -> str:
    return call.path["id"]
