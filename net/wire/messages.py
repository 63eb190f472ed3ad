"""Every message between two nodes: typed, bounded, and one decoder that refuses everything else.

On the wire a message is a msgpack map whose key `t` holds the tag. A new message is one class here and its name in
`AnyMessage`; nothing else needs to know it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import LocalError, RemoteError

from .frames import BULK, MAX_BULK, MAX_CONTROL

PROTOCOL: Final = 2  # what two nodes of this program speak; terms of version n need protocol n
OLDEST: Final = 1  # what they understand well enough to tell an older node that it has to update

Key = Annotated[bytes, Meta(min_length=32, max_length=32)]
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
Nonce = Annotated[bytes, Meta(min_length=16, max_length=16)]
Signature = Annotated[bytes, Meta(min_length=64, max_length=64)]
Word = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"\A[a-z0-9][a-z0-9_./-]*\Z")]
Reason = Annotated[str, Meta(max_length=400)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
TableId = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"\A[A-Za-z0-9_-]+\Z")]
PeerIndex = Annotated[int, Meta(ge=0, le=7)]
SeatIndex = Annotated[int, Meta(ge=0, le=7)]
Count = Annotated[int, Meta(ge=0, lt=2**31)]
Text = Annotated[str, Meta(max_length=256)]
Line = Annotated[str, Meta(min_length=1, max_length=500)]
Number = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
OptionValue = bool | Number | Text
Options = Annotated[dict[Word, OptionValue], Meta(max_length=32)]
Address = Annotated[str, Meta(min_length=3, max_length=128)]
Addresses = Annotated[tuple[Address, ...], Meta(max_length=8)]
SeatKind = Word  # HUMAN, or the name of the program that plays
HUMAN: Final = "human"
Recovery = Literal["majority", "none"]
RulesVersion = Count
Software = Annotated[str, Meta(max_length=32, pattern=r"\A[A-Za-z0-9_.+/-]*\Z")]
Milliseconds = Annotated[int, Meta(ge=0, lt=2**53)]
Way = Literal["lan", "direct", "punched", "relay"]  # nodes without the feature `moves` do not know "punched"
TalkBytes = Annotated[bytes, Meta(min_length=1, max_length=MAX_BULK - 256)]
Raw = Annotated[bytes, Meta(min_length=1, max_length=64 * 1024)]
Protocol = Annotated[int, Meta(ge=1, lt=2**31)]
DAY: Final = 24 * 3600
Grace = Annotated[int, Meta(ge=1, le=30 * DAY)]
PackageName = Annotated[str, Meta(max_length=64, pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*\Z")]
PackageVersion = Annotated[str, Meta(max_length=64, pattern=r"\A[A-Za-z0-9][A-Za-z0-9._+!-]*\Z")]


class Message(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t"):
    """A message between two nodes."""

    bulk: ClassVar[bool] = False  # whether it may be longer than a control frame


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A record inside a message."""


# A field that came with a later protocol has a default and is left out while it has it (`omit_defaults`), so that
# older nodes can read every message that does not need it. Whoever needs it does not say it to them
# (net/table/keeper.py).


# The link itself.


class Hello(Message, frozen=True, tag="hello"):
    """First message of both sides; a peer counts as linked only after it."""

    versions: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=8)]
    nonce: Nonce  # made once per process: tells a restarted peer from a second link of the same one
    features: Annotated[tuple[Word, ...], Meta(max_length=16)] = ()


class Ping(Message, frozen=True, tag="ping"):
    """Asks for a Pong with the same number."""

    number: Count


class Pong(Message, frozen=True, tag="pong", omit_defaults=True):
    """Answers a Ping."""

    number: Count
    clock: Milliseconds = 0  # since 1970 by the sender's clock; only for those who have the feature `about`


class About(Message, frozen=True, tag="about"):
    """What runs here; sent once after the hellos to those who have the feature `about`."""

    software: Software
    rules: Annotated[dict[Word, RulesVersion], Meta(max_length=32)]  # by game


class WayTo(Part, frozen=True):
    """How the sender reaches another peer of a match."""

    peer: PeerIndex
    way: Way
    round_trip: Count  # milliseconds


class Ways(Message, frozen=True, tag="ways"):
    """Which peers of a match the sender is linked to, so that everybody's grid shows every pair."""

    match: Digest
    ways: Annotated[tuple[WayTo, ...], Meta(max_length=8)]


class LinkBye(Message, frozen=True, tag="bye"):
    """The link ends in order; nothing follows."""

    reason: Reason = ""


class Error(Message, frozen=True, tag="error"):
    """Something asked for cannot be done; the link stays."""

    about: Word
    reason: Reason


# What a table may agree to besides what every table agrees to; the same records stand in the terms (net/wire/terms.py).


class Clause(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A record of the terms: an array with exactly its fields."""


EVENT: Final = "event."  # how the name of a ladder begins that is a round of a tournament


class Ladder(Clause, frozen=True):
    """The match is rated: on which ladder, and the key of the lobby or organiser that keeps it, if one is meant."""

    name: Word
    keeper: Key | None

    @property
    def is_event(self) -> bool:
        """Whether this is a round of a tournament, which counts there and on no lobby's ladder."""
        return self.keeper is not None and self.name.startswith(EVENT)


class Pace(Clause, frozen=True):
    """How long a person may take for one turn: sitting there together, or over days."""

    kind: Literal["live", "days"]
    seconds: Annotated[int, Meta(ge=10, le=30 * DAY)]

    def __post_init__(self) -> None:
        """A pace of days is told in whole days, a live one in at most a day: one way to say each."""
        if self.kind == "live" and self.seconds >= DAY:
            raise ValueError(f"a live pace of {self.seconds} s; at most {DAY - 1} s are allowed")
        if self.kind == "days" and self.seconds % DAY:
            raise ValueError(f"a pace of days is a multiple of {DAY} s, not {self.seconds} s")


class Package(Clause, frozen=True):
    """Where a game comes from that is not part of Kontor: a distribution and the digest of the code that was run."""

    name: PackageName  # normalised: small letters, digits, single hyphens
    version: PackageVersion
    code: Digest


class Clauses(Part, frozen=True, omit_defaults=True):
    """What the host may add to the terms; None instead of a record without any."""

    grace: Grace | None = None  # seconds that a peer may be out of reach before the others may act on it
    rated: Ladder | None = None
    pace: Pace | None = None

    def __post_init__(self) -> None:
        """One way to say nothing."""
        if self.grace is None and self.rated is None and self.pace is None:
            raise ValueError("clauses without a clause")

    @property
    def is_on_ladder(self) -> bool:
        """Whether the match counts on a ladder; one of a tournament counts there alone."""
        return self.rated is not None and not self.rated.is_event


# The table (net/table/keeper.py).


class SeatInfo(Part, frozen=True, omit_defaults=True):
    """Who sits on a seat."""

    peer: Key
    name: Name
    kind: SeatKind
    guest: bool = False  # a person who plays at the node of that peer without one of their own


class MemberInfo(Part, frozen=True, omit_defaults=True):
    """A peer at the table, seated or not."""

    key: Key
    addresses: Addresses
    is_here: bool  # False while its link is lost
    is_ready: bool
    protocol: Protocol = OLDEST  # what its node speaks
    wish: Annotated[str, Meta(max_length=64)] = ""  # the name under which it wanted a seat and could not have one


class TableView(Message, frozen=True, tag="table", omit_defaults=True):
    """The whole table as its keeper sees it; sent to every member after each change."""

    table: TableId
    revision: Count
    phase: Literal["open", "signing", "started", "closed"]
    host: Key
    game: Word
    rules: RulesVersion
    data: Digest
    options: Options
    recovery: Recovery
    spectators: bool
    seats: Annotated[tuple[SeatInfo | None, ...], Meta(min_length=1, max_length=8)]
    members: Annotated[tuple[MemberInfo, ...], Meta(max_length=16)]
    notice: Reason = ""  # why the last start did not come off
    protocol: Protocol = OLDEST  # what one needs to play here
    clauses: Clauses | None = None
    package: Package | None = None  # of a game that is not part of Kontor


class Look(Message, frozen=True, tag="look"):
    """Which tables are kept here where one may sit or watch?"""


class Offers(Message, frozen=True, tag="offers"):
    """The tables that the sender keeps and where others may sit, then those where they may watch."""

    bulk: ClassVar[bool] = True  # eight full tables are longer than a control frame

    tables: Annotated[tuple[TableView, ...], Meta(max_length=8)]


class Rematch(Message, frozen=True, tag="rematch"):
    """The sender, a peer of this match, has opened a table to play it again.

    Only those who have the feature `rematch` get it.
    """

    match: Digest
    table: TableId
    lobby: bool = False  # kept by the lobby at whose table the match began, not by the sender


class Enter(Message, frozen=True, tag="enter"):
    """Come to the table, without a seat yet; says where others can reach this peer."""

    table: TableId
    addresses: Addresses = ()


class Leave(Message, frozen=True, tag="leave"):
    """Go away from the table."""

    table: TableId


class Sit(Message, frozen=True, tag="sit", omit_defaults=True):
    """Take a free seat, for oneself, for a bot that this peer runs, or for a guest at its node."""

    table: TableId
    seat: SeatIndex
    name: Name
    kind: SeatKind = HUMAN
    guest: bool = False


class Stand(Message, frozen=True, tag="stand"):
    """Give a seat of one's own back."""

    table: TableId
    seat: SeatIndex


class Rename(Message, frozen=True, tag="rename"):
    """Change the name on a seat of one's own."""

    table: TableId
    seat: SeatIndex
    name: Name


class Configure(Message, frozen=True, tag="configure", omit_defaults=True):
    """The host changes options, number of seats, recovery, spectators or clauses."""

    table: TableId
    options: Options
    seats: Annotated[int, Meta(ge=1, le=8)]
    recovery: Recovery
    spectators: bool
    clauses: Clauses | None = None


class PassHost(Message, frozen=True, tag="pass-host"):
    """The host makes another member the host."""

    table: TableId
    to: Key


class Remove(Message, frozen=True, tag="remove"):
    """The host sends a member away."""

    table: TableId
    peer: Key


class Ready(Message, frozen=True, tag="ready"):
    """Agreement to play exactly the table of this revision, with 16 fresh bytes for its terms."""

    table: TableId
    revision: Count
    nonce: Nonce


class Unready(Message, frozen=True, tag="unready"):
    """Takes a Ready back."""

    table: TableId


class TableSay(Message, frozen=True, tag="say"):
    """A line for all who are at the table. Only a keeper who has the feature `talk` gets it."""

    table: TableId
    name: Name  # of the speaker; the keeper takes the name on the speaker's seat instead, if there is one
    text: Line


class TableSaid(Message, frozen=True, tag="said"):
    """A line that was said at the table, for members who have the feature `talk`."""

    table: TableId
    number: Count  # rises by one with every line of the table; lines come again after a new link
    author: Key
    name: Name
    text: Line


class Propose(Message, frozen=True, tag="propose"):
    """The assembled terms, for each seated peer to check and sign."""

    table: TableId
    raw: Raw


class Agree(Message, frozen=True, tag="agree"):
    """A peer's signature under the proposed terms."""

    table: TableId
    match: Digest
    sig: Signature


class Object(Message, frozen=True, tag="object"):
    """A peer does not sign, and why."""

    table: TableId
    match: Digest
    reason: Reason


class Start(Message, frozen=True, tag="start"):
    """Terms with the signatures of all peers, in the order of the terms: the match exists."""

    table: TableId
    raw: Raw
    sigs: Annotated[tuple[Signature, ...], Meta(min_length=1, max_length=8)]


# Matches.


class MatchTalk(Message, frozen=True, tag="match"):
    """What peers and spectators of one match say; the match decodes it (net/wire/match_talk.py)."""

    bulk: ClassVar[bool] = True

    match: Digest
    talk: TalkBytes


class Spectate(Message, frozen=True, tag="spectate"):
    """Please let me watch; answered by a Charter and the chain, or by an Error."""

    match: Digest


class Unspectate(Message, frozen=True, tag="unspectate"):
    """No more of this match, please."""

    match: Digest


class Charter(Message, frozen=True, tag="charter"):
    """The terms of a match with all signatures, for somebody who was not at its table."""

    raw: Raw
    sigs: Annotated[tuple[Signature, ...], Meta(min_length=1, max_length=8)]


LinkMessage = Hello | Ping | Pong | About | LinkBye | Error
TableMessage = (
    TableView
    | Look
    | Offers
    | Rematch
    | Enter
    | Leave
    | Sit
    | Stand
    | Rename
    | Configure
    | PassHost
    | Remove
    | Ready
    | Unready
    | TableSay
    | TableSaid
    | Propose
    | Agree
    | Object
    | Start
)
MatchMessage = MatchTalk | Spectate | Unspectate | Charter | Ways
AnyMessage = LinkMessage | TableMessage | MatchMessage

_encoder: Final = msgspec.msgpack.Encoder(order="deterministic")
_decoder: Final[msgspec.msgpack.Decoder[AnyMessage]] = msgspec.msgpack.Decoder(AnyMessage)


def encode(message: AnyMessage) -> bytes:
    """The body of the link frame that carries `message`."""
    body = _encoder.encode(message)
    if len(body) > (MAX_BULK if message.bulk else MAX_CONTROL):
        raise LocalError(f"{type(message).__name__} of {len(body)} bytes is too long for its channel")
    return body


def decode(body: bytes, channel: int = 0) -> AnyMessage:
    """The message in a link frame; RemoteError names the field that is wrong."""
    try:
        message = _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteError(f"malformed message: {ascii(str(error))[1:-1][:200]}") from None
    if channel == BULK and not message.bulk:
        raise RemoteError(f"malformed message: {type(message).__name__} of {len(body)} bytes is too long")
    return message
