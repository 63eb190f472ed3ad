"""The chain of a match: terms, frames and chance entries, and the tip that binds them in order.

Everything is hashed as the bytes that were received or written, never as a re-encoding.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from engine.core.stream import H
from engine.core.value import Bytes32, Seat
from engine.errors import KontorError

MAX_NAME = 40
MAX_FRAME_ACTIONS = 256
LOCAL_DECK = "local/1"
SEALED_DECK = "sealed/1"

Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Word = Annotated[str, Meta(min_length=1, max_length=32)]
Ply = Annotated[int, Meta(ge=0, lt=2**31)]


class MalformedRecord(KontorError):
    """Bytes that are no terms, frame or entry."""


class Peer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A node: its identity key (empty in a local match) and its fresh bytes."""

    key: Annotated[bytes, Meta(max_length=32)]
    nonce: Annotated[bytes, Meta(min_length=16, max_length=16)]


class SeatTerms(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Which peer plays a seat, under what name, and what kind of player it is (`person`, `greedy`, `random`)."""

    peer: Seat
    name: Name
    kind: Word


class Terms(Struct, frozen=True, forbid_unknown_fields=True):
    """What everybody agreed on before the first ply; the match id is the digest of these bytes."""

    game: Word
    rules: Annotated[int, Meta(ge=0, lt=2**31)]
    data: Bytes32
    options: Annotated[dict[Word, bool | int | Annotated[str, Meta(max_length=64)]], Meta(max_length=32)]
    deck: Word
    peers: Annotated[tuple[Peer, ...], Meta(min_length=1, max_length=8)]
    seats: Annotated[tuple[SeatTerms, ...], Meta(min_length=1, max_length=8)]
    recovery: Word = "none"
    spectators: bool = False


class Frame(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One or more actions of one seat, tied to the tip, the ply and the state before the first of them."""

    m: Bytes32  # match id
    s: Seat
    h: Bytes32  # tip before
    n: Ply
    d: Bytes32  # state digest before
    a: Annotated[tuple[msgspec.Raw, ...], Meta(min_length=1, max_length=MAX_FRAME_ACTIONS)]
    u: msgspec.Raw | None = None  # openings of hidden cards, in sealed matches


class LocalAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The one message of a chance entry in a local match: what the local dealer answered, and where."""

    h: Bytes32
    d: Bytes32
    a: msgspec.Raw


class End(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the chain ended; the seed of a local match lies open from here on."""

    h: Bytes32
    d: Bytes32
    r: msgspec.Raw  # the result as the engine encodes it
    z: Bytes32 | None = None


T = TypeVar("T", bound=Struct)
encode = msgspec.msgpack.Encoder().encode
_decoders: dict[type[Struct], msgspec.msgpack.Decoder[Any]] = {
    cls: msgspec.msgpack.Decoder(cls) for cls in (Terms, Frame, LocalAnswer, End)
}


def decode(cls: type[T], raw: bytes) -> T:
    """The value in `raw`; raises MalformedRecord with field and complaint."""
    try:
        value: T = _decoders[cls].decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise MalformedRecord(f"no {cls.__name__.lower()}: {error}") from None
    return value


def decode_terms(raw: bytes) -> Terms:
    """Terms whose texts are safe to show and whose seats name existing peers."""
    terms = decode(Terms, raw)
    for text in (terms.game, terms.deck, terms.recovery, *terms.options):
        if not (text.isascii() and text.isprintable()):
            raise MalformedRecord(f"terms: {text!a} is no word")
    for seat in terms.seats:
        if not is_plain(seat.name) or not is_plain(seat.kind):
            raise MalformedRecord(f"terms: a seat's name holds characters that cannot be shown: {seat.name!a}")
        if seat.peer >= len(terms.peers):
            raise MalformedRecord(f"terms: seat {seat.name!a} names peer {seat.peer} of {len(terms.peers)}")
    return terms


def is_plain(text: str) -> bool:
    """Whether a name is one visible line: no control, format, surrogate or private characters."""
    return text.strip() == text != "" and not any(unicodedata.category(char) in _HIDDEN for char in text)


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def match_id(raw_terms: bytes) -> bytes:
    """The first tip of the chain."""
    return H("terms", raw_terms, size=32)


def tip_after_frame(tip: bytes, raw: bytes) -> bytes:
    return H("frame", tip, raw, size=32)


def tip_after_entry(tip: bytes, messages: Iterable[bytes]) -> bytes:
    """The tip after a chance entry made of these messages, in their order."""
    return H("entry", tip, *(H("msg", raw, size=32) for raw in messages), size=32)
