"""What the lobby keeps: one record type per kind, and how each is found and when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from kontor_games.net.table.table_state import MemberState, TableState
from kontor_games.net.wire.lobby_messages import Mark, Visibility
from kontor_games.net.wire.messages import OLDEST
from kontor_games.net.wire.people_messages import Appears


class Stored(Struct, frozen=True, array_like=True):
    """Base of all records. Fields are only ever added at the end, with a default: old files stay readable."""


class Presence(Stored, frozen=True):
    """Somebody who is here, or was a moment ago; holds the address no longer than that."""

    key: bytes
    name: str
    mark: str  # the fingerprint shown beside a name that another key used first
    session: str
    process: str
    address: str  # the host alone, as seen by the lobby
    port: int
    since: int
    away: int | None = None  # until when the place is kept after a lost connection
    protocol: int = OLDEST  # the version in which its node signed in
    appears: Appears = "nobody"  # to whom; who never said it appears to nobody
    friends: tuple[bytes, ...] = ()  # keys that this person named
    home: str = ""  # tells two nodes with one key apart


class WatchRecord(Stored, frozen=True):
    """Somebody looks out for a friend; as long as they are here."""

    friend: bytes
    by: bytes


class Known(Stored, frozen=True):
    """What the lobby knows of a key for good: since when, and the matches that came to their end here."""

    since: int = 0
    matches: int = 0
    games: tuple[tuple[str, int], ...] = ()
    seen: int = 0


class ReportedLine(Stored, frozen=True):
    """A line in a report; `is_kept` if the lobby itself has it, otherwise only the reporter says so."""

    key: bytes
    name: str
    text: str
    at: int
    is_kept: bool


class ReportRecord(Stored, frozen=True):
    """What somebody told the operators about somebody else; the last word of each about each."""

    number: str
    key: bytes
    name: str
    by: bytes
    by_name: str
    reason: str
    place: str
    lines: tuple[ReportedLine, ...]
    since: int
    at: int


class NameClaim(Stored, frozen=True):
    """The key that used a name, or one that looks like it, first."""

    key: bytes
    name: str
    seen: int
    since: int = 0


class Profile(Stored, frozen=True):
    """What a person chose, and warnings not read yet; made only when there is something to keep."""

    marks: tuple[tuple[bytes, Mark], ...] = ()
    warnings: tuple[str, ...] = ()
    seen: int = 0


class LastSeen(Stored, frozen=True):
    """Where a key came from during the last day, so that operators can act on what just happened."""

    address: str
    name: str
    at: int


class Member(MemberState, Stored, frozen=True):
    """A member of a table, with what the lobby knows about the person."""

    name: str = ""
    mark: str = ""


class TableRecord(TableState, Stored, frozen=True):
    """A table: the value that its keeper works on (net/table/table_state.py), and what the lobby adds to it."""

    members: tuple[Member, ...] = ()
    wake_at: int | None = None  # when the keeper wants to be ticked, in milliseconds
    visibility: Visibility = "public"
    code: str = ""
    note: str = ""
    since: int = 0
    active: int = 0  # the last change by a person; a table that nobody touches ends
    removed: tuple[bytes, ...] = ()  # sent away by the host; they stay away
    ends: int = 0  # when it ends if nobody does anything

    @property
    def is_listed(self) -> bool:
        """Whether the hall shows it: it is public, its match is not over, and somebody is there."""
        is_left = self.phase == "started" and all(member.lost_at is not None for member in self.members)
        return self.visibility == "public" and not self.is_over and not is_left


class CodeRecord(Stored, frozen=True):
    """An invite code's table."""

    table: str


class PlaceRecord(Stored, frozen=True):
    """The tables that a key is at."""

    tables: tuple[str, ...]


class QueueRecord(Stored, frozen=True):
    """Somebody who looks for people to play with."""

    key: bytes
    name: str
    mark: str
    games: tuple[str, ...]
    seats: tuple[int, ...]
    addresses: tuple[str, ...]
    since: int
    offer: str = ""
    away: int | None = None
    blocked: tuple[bytes, ...] = ()


class OfferRecord(Stored, frozen=True):
    """People found by the queue, who still have to say yes."""

    id: str
    game: str
    keys: tuple[bytes, ...]
    yes: tuple[bytes, ...]
    until: int


class Sanction(Stored, frozen=True):
    """A ban or mute, with the reason that the person is told."""

    what: Literal["ban", "mute"]
    reason: str
    at: int
    until: int | None = None


class Share(Stored, frozen=True):
    """Something that the lobby keeps for somebody: what, and for whom."""

    of: str
    network: str
    household: str
    key: bytes


class RelayUse(Stored, frozen=True):
    """Bytes that the relay carried for a key in the current day."""

    used: int
    until: int


class ProcessRecord(Stored, frozen=True):
    """One of several processes that are this lobby; it lives while it puts `until` off."""

    name: str
    run: str  # drawn at its start: a restart is another one
    address: str  # where nodes reach it, host:port; empty if only a balancer knows
    key: bytes  # the lobby's, which all of them must have
    since: int
    until: int


class LeaseRecord(Stored, frozen=True):
    """Which run of a process does what only one should do, and until when it may."""

    run: str
    until: int


T = TypeVar("T", bound=Stored)


@dataclass(frozen=True)
class RecordKind(Generic[T]):
    """How records of one type are stored."""

    name: str
    type: type[T]
    group: Callable[[T], str] = lambda _: ""
    expires: Callable[[T], int | None] = lambda _: None

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decoder", msgspec.msgpack.Decoder(self.type))

    def decode(self, data: bytes) -> T:
        """The record in `data`."""
        record: T = self._decoder.decode(data)  # type: ignore[attr-defined]
        return record


HOUR = 3600 * 1000
DAY = 24 * HOUR
NAME_KEPT = 90 * DAY
REPORT_KEPT = 30 * DAY

PRESENCE = RecordKind(
    "presence",
    Presence,
    group=lambda r: "listed" if r.appears == "everybody" else "",
    expires=lambda r: r.away,
)
NAME = RecordKind(
    "name",
    NameClaim,
    group=lambda r: "once" if r.seen == r.since else "kept",
    expires=lambda r: r.seen + NAME_KEPT,
)
PROFILE = RecordKind("profile", Profile, expires=lambda r: r.seen + 4 * NAME_KEPT)
SEEN = RecordKind("seen", LastSeen, expires=lambda r: r.at + DAY)
TABLE = RecordKind(
    "table",
    TableRecord,
    group=lambda r: "public" if r.is_listed else "",
    expires=lambda r: r.ends if r.wake_at is None else min(r.ends, r.wake_at),
)
CODE = RecordKind("code", CodeRecord)
PLACE = RecordKind("place", PlaceRecord)
QUEUE = RecordKind("queue", QueueRecord, group=lambda r: "offered" if r.offer else "waiting", expires=lambda r: r.away)
OFFER = RecordKind("offer", OfferRecord, expires=lambda r: r.until)
SANCTION = RecordKind("sanction", Sanction, group=lambda r: r.what, expires=lambda r: r.until)
RELAY_USE = RecordKind("relay-use", RelayUse, expires=lambda r: r.until)
TABLE_SHARE = RecordKind("table-share", Share, group=lambda r: r.network)
WATCH = RecordKind("watch", WatchRecord, group=lambda r: r.friend.hex())
KNOWN = RecordKind("known", Known, expires=lambda r: r.seen + 4 * NAME_KEPT)
REPORT = RecordKind("report", ReportRecord, expires=lambda r: r.at + REPORT_KEPT)
REPORT_SHARE = RecordKind("report-share", Share, group=lambda r: r.network)
PROCESS = RecordKind("process", ProcessRecord, expires=lambda r: r.until + HOUR)
LEASE = RecordKind("lease", LeaseRecord)
QUEUE_SHARE = RecordKind("queue-share", Share, group=lambda r: r.network)
