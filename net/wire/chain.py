"""The links of a match's chain: frames, dealer messages, acknowledgements; their bytes and their tips.

A frame is authored by the seat to act and carries one or more actions. A chance entry is a set of
dealer messages that nobody authors alone. Each names the tip before it, so the order needs no leader.
Hashes and signatures are over the received bytes; a decoder accepts exactly one encoding of a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.stream import H
from kontor_games.engine.core.value import Bytes32, Seat
from kontor_games.engine.errors import RemoteError

MAX_FRAME_BYTES = 64 * 1024
MAX_DEALER_BYTES = 64 * 1024
MAX_ACTIONS = 256
MAX_CHAT_BYTES = 2000

PeerIndex = Annotated[int, Meta(ge=0, le=7)]
Ply = Annotated[int, Meta(ge=0, lt=2**31)]
Parts = Annotated[tuple[Raw, ...], Meta(min_length=1, max_length=MAX_ACTIONS)]


class _Map(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A msgpack map with exactly these keys, in this order."""


class Frame(_Map, frozen=True):
    """What one seat did: actions that apply wholly or not at all."""

    m: Bytes32  # match id
    s: Seat  # author
    h: Bytes32  # chain tip before
    n: Ply  # ply before the first action
    d: Bytes32  # state digest before the first action
    a: Parts  # actions
    u: Parts | None = None  # openings, one for each action that shows hidden cards, in order


class DealerMessage(_Map, frozen=True):
    """One peer's part of a chance entry."""

    m: Bytes32
    p: PeerIndex
    h: Bytes32  # the tip before the entry
    d: Bytes32  # state digest at that tip
    b: Raw  # body, see net/sealed


class Mark(_Map, frozen=True):
    """A peer's word on where it stands: an acknowledgement, or (kind `final`) its signature under the end."""

    m: Bytes32
    p: PeerIndex
    h: Bytes32
    d: Bytes32


class Chat(_Map, frozen=True):
    """A line of talk among the peers; outside the chain. `n` counts the author's lines."""

    m: Bytes32
    p: PeerIndex
    n: Ply
    t: Annotated[str, Meta(min_length=1, max_length=500)]


T = TypeVar("T", Frame, DealerMessage, Mark, Chat)
_DECODERS: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {
    cls: msgspec.msgpack.Decoder(cls) for cls in (Frame, DealerMessage, Mark, Chat)
}
_BOUNDS: dict[type[Any], int] = {
    Frame: MAX_FRAME_BYTES,
    DealerMessage: MAX_DEALER_BYTES,
    Mark: 256,
    Chat: MAX_CHAT_BYTES,
}


def decode(cls: type[T], raw: bytes) -> T:
    """The message in `raw`; raises RemoteError for anything but its one canonical encoding."""
    if len(raw) > _BOUNDS[cls]:
        raise RemoteError(f"{cls.__name__}: {len(raw)} bytes, at most {_BOUNDS[cls]} are allowed")
    try:
        message: T = _DECODERS[cls].decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteError(f"{cls.__name__}: {error}") from None
    if canonical(message) != raw:
        raise RemoteError(f"{cls.__name__}: not the canonical encoding")
    return message


def encode(message: Frame | DealerMessage | Mark | Chat) -> bytes:
    """The canonical bytes of a message."""
    return canonical(message)


def parts(values: Iterable[object]) -> tuple[Raw, ...]:
    """Values as the raw parts of a frame."""
    return tuple(Raw(canonical(value)) for value in values)


def match_id(terms: bytes) -> bytes:
    """The match id, which is also the chain's first tip."""
    return H("terms", terms, size=32)


def frame_tip(tip: bytes, raw: bytes) -> bytes:
    """The tip after a frame."""
    return H("frame", tip, raw, size=32)


def entry_tip(tip: bytes, raws: Sequence[bytes]) -> bytes:
    """The tip after a chance entry, from its dealer messages in their fixed order."""
    return H("entry", tip, *(H("msg", raw, size=32) for raw in raws), size=32)
