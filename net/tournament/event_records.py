"""The records of an event, their one encoding, and the chain that they make.

An event's chain is a text file with one line for each record:

    line = signature (128 hex digits), a space, body, a line end
    body = {"number": …, "before": …, "record": {"kind": …, …}} as JSON in its one encoding

`number` counts from 0, `before` is the hash of the body before (64 zeros in the first), and the signature is the
organiser's over the body. The first record names the organiser's key. So nothing can be changed, left out, put in or
moved without a new signature of the organiser, and whoever has kept an older copy can prove that there were two.

JSON, because people should be able to read what they are asked to believe. Every line is encoded again after it was
decoded and compared, so that there is one file for one event.
"""

from __future__ import annotations

from base64 import b32encode
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import StoreError
from kontor_games.net.wire.identity import Signer, verify
from kontor_games.net.wire.messages import EVENT, Options, Recovery, Word

MAX_CHAIN: Final = 16 * 1024 * 1024
MAX_LINE: Final = 256 * 1024
MAX_PLAYERS: Final = 512
MAX_ROUNDS: Final = 60
NOTHING: Final = "0" * 64  # stands before the first record
_HEAD: Final = 128 + 1  # the signature and a space

Hex32 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Points = Annotated[int, Meta(ge=0, le=1000)]
TableSize = Annotated[int, Meta(ge=2, le=5)]
RoundNumber = Annotated[int, Meta(ge=1, le=MAX_ROUNDS)]
TableNumber = Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
SeatPlace = Annotated[int, Meta(ge=1, le=5)]
EventName = Annotated[str, Meta(min_length=1, max_length=64)]
TieBreak = Literal["opponents", "wins", "seconds", "share", "lot"]
SeatKeys = Annotated[tuple[Hex32, ...], Meta(min_length=2, max_length=5)]


class _EventRecord(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of the records."""


class EventSettings(_EventRecord, frozen=True, tag="settings"):
    """Everything that is declared before the first round; the first record, and never another."""

    version: Literal[1]
    name: EventName
    organiser: Hex32
    game: Word
    rules: Annotated[int, Meta(ge=0, lt=2**31)]
    data: Hex32
    options: Options
    recovery: Recovery
    grace: Annotated[int, Meta(ge=0, le=30 * 86_400)]  # seconds; 0: as the terms have it without
    spectators: bool
    method: Literal["swiss", "robin"]
    rounds: RoundNumber
    sizes: Annotated[tuple[TableSize, ...], Meta(min_length=1, max_length=4)]  # the one that is liked best first
    points: Annotated[tuple[tuple[Points, ...], ...], Meta(min_length=1, max_length=4)]  # by place, for each size
    bye: Points
    late: Points  # for each round before somebody came
    missing: Points  # for everybody at a table of which no file was handed in
    unfinished: Points  # for everybody at a table whose match did not come to its end
    unsigned: Literal["places", "unfinished"]  # how a match counts that is over and not signed by all who stayed
    left: Literal["nothing", "places"]  # what those score who left their match before its end
    tie_breaks: Annotated[tuple[TieBreak, ...], Meta(max_length=5)]
    seed: Annotated[str, Meta(min_length=1, max_length=64)]


class PlayerAdded(_EventRecord, frozen=True, tag="added"):
    """Somebody takes part from the next round on; also somebody who comes back."""

    key: Hex32
    name: Annotated[str, Meta(min_length=1, max_length=64)]


class PlayerDropped(_EventRecord, frozen=True, tag="dropped"):
    """Somebody takes no part in further rounds."""

    key: Hex32


class RoundDrawn(_EventRecord, frozen=True, tag="round"):
    """Who plays whom; the keys of a table in the order of its seats."""

    number: RoundNumber
    tables: Annotated[tuple[SeatKeys, ...], Meta(max_length=MAX_PLAYERS)]
    byes: Annotated[tuple[Hex32, ...], Meta(max_length=MAX_PLAYERS)]


class ResultFiled(_EventRecord, frozen=True, tag="result"):
    """What the file of a table's match says; everything in it follows from that file."""

    round: RoundNumber
    table: TableNumber
    file: Hex32  # the digest of its bytes, which is its name in the folder
    match: Hex32
    finish: Literal["signed", "unsigned", "unfinished"]
    places: Annotated[tuple[SeatPlace, ...], Meta(max_length=5)]  # by seat; empty if the match has no end
    scores: Annotated[tuple[int, ...], Meta(max_length=5)]  # by seat, of the game; empty if there are none
    left: Annotated[tuple[Annotated[int, Meta(ge=0, le=4)], ...], Meta(max_length=5)]  # seats left before the end


class RankedPlayer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A line of the standings: shared ranks are equal numbers; figures are exact, in the units of `standings.py`."""

    rank: Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
    key: Hex32
    points: Annotated[int, Meta(ge=0, lt=2**53)]
    ties: Annotated[tuple[Annotated[int, Meta(ge=0, lt=2**53)], ...], Meta(max_length=5)]


class EventEnded(_EventRecord, frozen=True, tag="ended"):
    """The standings at the end; nothing follows."""

    standings: Annotated[tuple[RankedPlayer, ...], Meta(max_length=MAX_PLAYERS)]


EventRecord: TypeAlias = EventSettings | PlayerAdded | PlayerDropped | RoundDrawn | ResultFiled | EventEnded


class ChainBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A record at its place in the chain."""

    number: Annotated[int, Meta(ge=0, lt=2**31)]
    before: Hex32
    record: EventRecord


_decoder: msgspec.json.Decoder[ChainBody] = msgspec.json.Decoder(ChainBody)
_encode = msgspec.json.Encoder(order="deterministic").encode


class BrokenChain(StoreError):
    """A chain that is not what an organiser signed; the text names the record."""


def body_hash(body: bytes) -> str:
    """What the next record calls this one."""
    return H("event", body, size=32).hex()


def round_mark(body: str) -> str:
    """What the terms of a round's matches name, from the hash of the record that drew it.

    So the players themselves sign which drawing of which event they played: a file cannot be used for another round or
    another event, and an organiser who draws again afterwards has no file that fits. 130 bits, as a word has letters.
    """
    return EVENT + b32encode(bytes.fromhex(body)).decode("ascii").lower()[:26]


def signed_line(number: int, before: str, record: EventRecord, signer: Signer) -> bytes:
    """The next line of a chain."""
    body = _encode(ChainBody(number, before, record))
    return f"{signer.sign('event', body).hex()} ".encode("ascii") + body + b"\n"


def read_line(line: bytes, number: int, before: str, organiser: str | None) -> tuple[EventRecord, str]:
    """The record in a line at this place, and its hash; raises BrokenChain. None: it is the first and names the key."""
    where = f"record {number} of the event"
    if len(line) > MAX_LINE:
        raise BrokenChain(f"{where} is longer than {MAX_LINE} bytes")
    head, raw = line[:_HEAD], line[_HEAD:]
    try:
        signature = bytes.fromhex(head[:-1].decode("ascii"))
        body = _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BrokenChain(f"{where} cannot be read: {ascii(str(error))[1:-1][:200]}") from None
    if head != f"{signature.hex()} ".encode("ascii") or _encode(body) != raw:
        raise BrokenChain(f"{where} is not in the one encoding that a record has")
    if body.number != number:
        raise BrokenChain(f"{where} says that it is record {body.number}: records were moved, left out or put in")
    if body.before != before:
        raise BrokenChain(f"{where} follows another record than the one before it: something was changed afterwards")
    record = body.record
    if organiser is None:
        if not isinstance(record, EventSettings):
            raise BrokenChain("the first record of an event declares its settings")
        organiser = record.organiser
    if not verify(bytes.fromhex(organiser), "event", raw, signature):
        raise BrokenChain(f"{where} is not signed by the organiser")
    return record, body_hash(raw)
