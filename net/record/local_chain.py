"""The records that only local matches have: their terms, the answers of the local dealer, their end.

Frames and tips are those of every chain (`net/wire/chain.py`); nothing is signed, because nobody else is there.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.value import Bytes32
from kontor_games.engine.errors import KontorError

LOCAL_DECK: Final = "local/1"
MAX_NAME = 40

Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Word = Annotated[str, Meta(min_length=1, max_length=32)]
OptionText = Annotated[str, Meta(max_length=64)]


class MalformedRecord(KontorError):
    """Bytes that are not the terms, an answer or the end of a local match."""


class LocalSeat(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The name shown, and what plays the seat: `person` or the kind of a bot."""

    name: Name
    kind: Word


class LocalTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """What is fixed before a local match; the digest of these bytes is its id."""

    version: Literal[1]
    game: Word
    rules: Annotated[int, Meta(ge=0, lt=2**31)]
    data: Bytes32
    options: Annotated[dict[Word, bool | int | OptionText], Meta(max_length=32)]
    seats: Annotated[tuple[LocalSeat, ...], Meta(min_length=1, max_length=8)]
    nonce: Annotated[bytes, Meta(min_length=16, max_length=16)]
    deck: Literal["local/1"]


class LocalAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The one message of a chance entry: what the local dealer answered, and at which tip and state."""

    h: Bytes32
    d: Bytes32
    a: Raw


class LocalEnd(Struct, frozen=True, forbid_unknown_fields=True):
    """How the match ended; the seed lies open from here on."""

    h: Bytes32
    d: Bytes32
    r: Raw  # the result as the engine encodes it
    z: Bytes32


T = TypeVar("T", LocalTerms, LocalAnswer, LocalEnd)
_DECODERS: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {
    cls: msgspec.msgpack.Decoder(cls) for cls in (LocalTerms, LocalAnswer, LocalEnd)
}


class _Deck(Struct, frozen=True):
    deck: Annotated[str, Meta(max_length=32)]


def deck_mode(raw_terms: bytes) -> str:
    """Which kind of match these terms begin: `local/1` here, `sealed/1` among peers."""
    try:
        return msgspec.msgpack.decode(raw_terms, type=_Deck).deck
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise MalformedRecord(f"no terms: {error}") from None


def decode(cls: type[T], raw: bytes) -> T:
    """The value in `raw`; raises MalformedRecord for anything but its one encoding."""
    try:
        value: T = _DECODERS[cls].decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise MalformedRecord(f"no {cls.__name__}: {error}") from None
    if canonical(value) != raw:
        raise MalformedRecord(f"no {cls.__name__}: not in its one encoding")
    return value


def decode_terms(raw: bytes) -> LocalTerms:
    """Terms whose texts are safe to show."""
    terms = decode(LocalTerms, raw)
    texts = (terms.game, *terms.options, *(value for value in terms.options.values() if isinstance(value, str)))
    for text in texts:
        if not (text.isascii() and text.isprintable()):
            raise MalformedRecord(f"terms: {text!a} is not a word")
    for seat in terms.seats:
        if not is_plain(seat.name) or not is_plain(seat.kind):
            raise MalformedRecord(f"terms: a seat's name holds characters that cannot be shown: {seat.name!a}")
    return terms


def is_plain(text: str) -> bool:
    """Whether a name is one visible line: no control, format, surrogate or private characters."""
    return text.strip() == text != "" and not any(unicodedata.category(char) in _HIDDEN for char in text)


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
