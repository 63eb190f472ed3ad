"""Every message between a node and a lobby: typed, bounded, and one decoder per direction.

The frames are those of net/wire/frames.py. The lobby speaks first (`Welcome`), the node signs in, and from then on it
sends numbered requests; each is answered once, by `Answer` or `Refusal`, and not before what it changed is safe.
Everything else the lobby says by itself. What concerns one table is said in the table messages of net/wire/messages.py,
so that the same two machines (net/table/keeper.py, net/table/guest.py) serve a LAN host and a lobby.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from kontor_games.engine.errors import LocalError, RemoteError

from .frames import MAX_CONTROL
from .ladder_messages import HandIn, HandWord, LadderWord
from .messages import (
    OLDEST,
    PROTOCOL,
    Address,
    Addresses,
    Agree,
    Clauses,
    Configure,
    Count,
    Digest,
    Enter,
    Key,
    Leave,
    Message,
    Name,
    Object,
    Options,
    Part,
    PassHost,
    Ping,
    Pong,
    Propose,
    Ready,
    Reason,
    Recovery,
    Remove,
    Rename,
    Signature,
    Sit,
    Software,
    Stand,
    Start,
    TableId,
    TableView,
    Unready,
    Word,
)
from .people_messages import AboutPerson, Appear, AskProfile, FriendSeen, FriendsHere, Invite, Invited, ReportKey
from .people_messages import Person as Person  # others import it from here
from .way_messages import AskPunch, AskRelay, Millis, PunchPass, RelayPass, Signal

PUNCH_VERSION: Final = 3  # the first in which nodes may ask for a hole; their peer protocol is that of version 2
PEOPLE_VERSION: Final = 4  # the first with friends, and in which players tell at once that a match is over
LADDER_VERSION: Final = 5  # the first in which files can be handed in for a ladder
MOVE_VERSION: Final = 5  # the first in which nodes learn where the lobby's other processes are
WORD_VERSION: Final = 6  # the first in which a node tells that its machine differs, and learns links to pages
LOBBY_VERSIONS: Final = tuple(range(OLDEST, WORD_VERSION + 1))
MAX_REQUEST: Final = 16 * 1024  # the longest frame from a node that has signed in
MAX_ELSEWHERE: Final = 8
MAX_PAGE: Final = 25  # so that a page of the longest rows fits into a frame

Challenge = Annotated[bytes, Meta(min_length=32, max_length=32)]
Note = Annotated[str, Meta(max_length=200)]
Line = Annotated[str, Meta(min_length=1, max_length=500)]
Code = Annotated[str, Meta(min_length=8, max_length=24)]
OfferId = TableId
Place = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"\A[A-Za-z0-9_-]+\Z")]  # a table's id, or HALL_PLACE
HALL_PLACE: Final = "hall"
Visibility = Literal["public", "unlisted", "invite"]
Mark = Literal["none", "mute", "block"]
SeatNumber = Annotated[int, Meta(ge=2, le=8)]


def protocol_of(version: int) -> int:
    """The peer protocol of a node that signs in with this version."""
    return min(version, PROTOCOL)


def sign_in_bytes(lobby: bytes, challenge: bytes) -> bytes:
    """What a node signs (kind `lobby`): of use to this lobby only, and only once."""
    return lobby + challenge


# Before and at the door.


class Welcome(Message, frozen=True, tag="welcome"):
    """The lobby's first message; the node goes on only if `lobby` is the key that TLS showed."""

    versions: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=8)]
    lobby: Key
    challenge: Challenge
    title: Annotated[str, Meta(max_length=80)]


class SignIn(Message, frozen=True, tag="sign-in", omit_defaults=True):
    """A node names itself and proves it; `port` is where it listens for peers, 0 if it does not.

    `home`, from version 4 on, tells two nodes with one key apart: a number that is not copied with the key.
    """

    version: Count
    key: Key
    name: Name
    sig: Signature
    port: Annotated[int, Meta(ge=0, le=65535)] = 0
    software: Software = ""
    home: Annotated[str, Meta(max_length=32)] = ""


class TurnedAway(Message, frozen=True, tag="turned-away"):
    """The lobby will not have this node, and why; the link ends. `until` 0 means no end is known."""

    code: Word
    reason: Reason
    until: Millis = 0


class Marked(Part, frozen=True):
    """A key that this person does not want to hear (mute) or to meet (block)."""

    key: Key
    mark: Mark


class SignedIn(Message, frozen=True, tag="signed-in", omit_defaults=True):
    """Accepted: what the lobby remembers about this node."""

    you: Person
    seen: Address  # where the lobby sees this node; with its port if it listens
    tables: Annotated[tuple[TableId, ...], Meta(max_length=64)]
    marks: Annotated[tuple[Marked, ...], Meta(max_length=512)]
    is_queued: bool
    ping_every: Millis  # the lobby forgets a node that is silent for three times as long
    now: Millis
    elsewhere: Annotated[tuple[Address, ...], Meta(max_length=MAX_ELSEWHERE)] = ()  # this lobby's other processes


class Elsewhere(Message, frozen=True, tag="elsewhere"):
    """Where this lobby's other processes are, whenever one comes or goes; said from MOVE_VERSION on."""

    addresses: Annotated[tuple[Address, ...], Meta(max_length=MAX_ELSEWHERE)]


class Notice(Message, frozen=True, tag="notice"):
    """Something a person should read: from the operators, or about the lobby itself."""

    kind: Literal["warning", "mute", "ban", "announcement", "shutdown", "elsewhere"]
    text: Reason
    until: Millis = 0


# Requests about tables; besides these the table messages themselves.


class MakeTable(Message, frozen=True, tag="make-table", omit_defaults=True):
    """Open a table; answered by Made, followed by its TableCard and TableView."""

    game: Word
    options: Options
    seats: Annotated[int, Meta(ge=1, le=8)]
    visibility: Visibility = "public"
    note: Note = ""
    recovery: Recovery = "majority"
    spectators: bool = False
    addresses: Addresses = ()
    clauses: Clauses | None = None


class EnterByCode(Message, frozen=True, tag="enter-by-code"):
    """Come to the table with this invite code; answered by Made."""

    code: Code
    addresses: Addresses = ()


class Describe(Message, frozen=True, tag="describe"):
    """The host changes the note, or who may find the table; a new code comes with every change to `invite`."""

    table: TableId
    note: Note
    visibility: Visibility


class ListTables(Message, frozen=True, tag="list-tables"):
    """Public tables in order of id behind `after`; answered by TableList."""

    game: Word | None = None
    after: Annotated[str, Meta(max_length=32)] = ""


class Finish(Message, frozen=True, tag="finish"):
    """The match of this table is over, and how; the lobby keeps the table no longer."""

    table: TableId
    match: Digest
    result: Reason


class MatchOver(Message, frozen=True, tag="match-over"):
    """The match of this table is over; it leaves every list at once. From version 4 on."""

    table: TableId
    match: Digest


class Made(Message, frozen=True, tag="made"):
    """The table that was opened or entered."""

    table: TableId


class TableRow(Part, frozen=True):
    """A public table as the list shows it."""

    table: TableId
    game: Word
    phase: Literal["open", "signing", "started", "closed"]
    host: Person
    seats: Annotated[tuple[Name | None, ...], Meta(max_length=8)]
    spectators: bool
    note: Note
    since: Millis


class TableList(Message, frozen=True, tag="tables"):
    """A page of public tables; if `more` follow, ask again with `after`."""

    rows: Annotated[tuple[TableRow, ...], Meta(max_length=MAX_PAGE)]
    more: bool
    after: Annotated[str, Meta(max_length=32)] = ""


class TableCard(Message, frozen=True, tag="table-card"):
    """What a member knows about a table besides its TableView: who the members are and how others get in."""

    table: TableId
    visibility: Visibility
    note: Note
    code: Annotated[str, Meta(max_length=24)]  # empty unless the table is by invite
    people: Annotated[tuple[Person, ...], Meta(max_length=16)]


class TableGone(Message, frozen=True, tag="table-gone"):
    """The table is no longer kept here, or no longer for this member."""

    table: TableId
    reason: Reason


# Matchmaking.


class Queue(Message, frozen=True, tag="queue"):
    """Look for people to play any of these games with any of these numbers of players."""

    games: Annotated[tuple[Word, ...], Meta(min_length=1, max_length=8)]
    seats: Annotated[tuple[SeatNumber, ...], Meta(min_length=1, max_length=7)]
    addresses: Addresses = ()


class Unqueue(Message, frozen=True, tag="unqueue"):
    """Look no longer."""


class Proposal(Message, frozen=True, tag="offer"):
    """The lobby found enough people; say yes before `until`."""

    offer: OfferId
    game: Word
    people: Annotated[tuple[Person, ...], Meta(min_length=2, max_length=8)]
    until: Millis


class Reply(Message, frozen=True, tag="reply"):
    """Yes or no to an offer; no gives up the place in the queue."""

    offer: OfferId
    yes: bool


class OfferOver(Message, frozen=True, tag="offer-over"):
    """The offer came to nothing; `is_queued` says whether this person still waits."""

    offer: OfferId
    reason: Reason
    is_queued: bool


# People and chat.


class Say(Message, frozen=True, tag="say"):
    """A line for a table or for the hall."""

    place: Place
    text: Line


class Said(Message, frozen=True, tag="said"):
    """A line that somebody said."""

    place: Place
    author: Person
    text: Line
    at: Millis


class Recall(Message, frozen=True, tag="recall"):
    """The last lines of a table or of the hall; answered by Lines."""

    place: Place


class Lines(Message, frozen=True, tag="lines"):
    """Lines in the order in which they were said."""

    place: Place
    lines: Annotated[tuple[Said, ...], Meta(max_length=100)]


class MarkKey(Message, frozen=True, tag="mark"):
    """Mute or block a key, or take that back; answered by Marks."""

    key: Key
    mark: Mark


class Marks(Message, frozen=True, tag="marks"):
    """All keys that this person has muted or blocked."""

    marks: Annotated[tuple[Marked, ...], Meta(max_length=512)]


class WatchHall(Message, frozen=True, tag="watch-hall"):
    """Send HallNews from now on, or no more."""

    on: bool


class ListPeople(Message, frozen=True, tag="list-people"):
    """Who is here, in order of key behind `after`; answered by PeopleList."""

    after: Key | None = None


class PeopleList(Message, frozen=True, tag="people"):
    """A page of people and how many there are in all."""

    people: Annotated[tuple[Person, ...], Meta(max_length=MAX_PAGE)]
    more: bool
    total: Count


class HallNews(Message, frozen=True, tag="hall-news"):
    """What changed in the hall since the last one; `stale` if so much that listing again is shorter."""

    rows: Annotated[tuple[TableRow, ...], Meta(max_length=100)] = ()
    gone: Annotated[tuple[TableId, ...], Meta(max_length=100)] = ()
    people: Annotated[tuple[Person, ...], Meta(max_length=100)] = ()
    lines: Annotated[tuple[Said, ...], Meta(max_length=100)] = ()
    stale: bool = False


TableCommand = Enter | Leave | Sit | Stand | Rename | Configure | PassHost | Remove | Ready | Unready | Agree | Object
Command = (
    TableCommand
    | MakeTable
    | EnterByCode
    | Describe
    | ListTables
    | Finish
    | MatchOver
    | Queue
    | Unqueue
    | Reply
    | Say
    | Recall
    | MarkKey
    | WatchHall
    | ListPeople
    | Appear
    | AskProfile
    | Invite
    | ReportKey
    | AskRelay
    | AskPunch
    | Signal
    | HandIn
    | HandWord
)
Result = Made | TableList | Lines | Marks | PeopleList | FriendsHere | AboutPerson | RelayPass | PunchPass | LadderWord


class Request(Message, frozen=True, tag="do"):
    """A numbered request."""

    n: Count
    do: Command


class Answer(Message, frozen=True, tag="done"):
    """Request `n` is done and safe."""

    n: Count
    result: Result | None = None


class RawLines(Struct, frozen=True, tag_field="t", tag="lines"):
    """Lines, taken from the store as they were written."""

    place: str
    lines: tuple[Raw, ...]


class RawAnswer(Struct, frozen=True, tag_field="t", tag="done"):
    """The same with a result that is encoded in part already."""

    n: int
    result: RawLines


class Refusal(Message, frozen=True, tag="refused"):
    """Request `n` changed nothing, and why; `wait` milliseconds before it makes sense to ask again."""

    n: Count
    code: Word
    reason: Reason
    wait: Millis = 0


Event = (
    Notice
    | Elsewhere
    | TableView
    | TableCard
    | TableGone
    | Propose
    | Start
    | Proposal
    | OfferOver
    | Said
    | Marks
    | HallNews
    | RelayPass
    | PunchPass
    | Signal
    | FriendSeen
    | Invited
)
ToLobby = SignIn | Request | Ping
FromLobby = Welcome | TurnedAway | SignedIn | Answer | Refusal | Pong | Event


class RawHallNews(Struct, frozen=True, tag_field="t", tag="hall-news"):
    """HallNews made of parts that are encoded already; the lobby sends thousands of them."""

    rows: tuple[Raw, ...] = ()
    gone: tuple[str, ...] = ()
    people: tuple[Raw, ...] = ()
    lines: tuple[Raw, ...] = ()
    stale: bool = False


_encoder: Final = msgspec.msgpack.Encoder(order="deterministic")
_to_lobby: Final[msgspec.msgpack.Decoder[ToLobby]] = msgspec.msgpack.Decoder(ToLobby)
_from_lobby: Final[msgspec.msgpack.Decoder[FromLobby]] = msgspec.msgpack.Decoder(FromLobby)


def encode(message: ToLobby | FromLobby | RawHallNews | RawAnswer | Part) -> bytes:
    """The body of the frame that carries `message`."""
    body = _encoder.encode(message)
    if len(body) > (MAX_REQUEST if isinstance(message, Request) else MAX_CONTROL):
        raise LocalError(f"{type(message).__name__} of {len(body)} bytes is too long")
    return body


def decode_to_lobby(body: bytes) -> ToLobby:
    """What a node said; RemoteError names the field that is wrong."""
    try:
        return _to_lobby.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteError(f"malformed message: {ascii(str(error))[1:-1][:200]}") from None


def decode_from_lobby(body: bytes) -> FromLobby:
    """What a lobby said; RemoteError names the field that is wrong."""
    try:
        return _from_lobby.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteError(f"malformed message: {ascii(str(error))[1:-1][:200]}") from None
