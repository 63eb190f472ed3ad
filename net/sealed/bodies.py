"""Bodies of dealer messages: one record per type, and a decoder that refuses everything malformed.

Bodies are msgpack maps with `t` first, then exactly the fields below in this order. Byte strings are bounded
here; their exact lengths follow from public state and are compared in `table`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.value import Bytes32
from kontor_games.engine.errors import RemoteError

from .algebra.mix import MAX_CARDS

MAX_PEERS = 8
Number = Annotated[int, Meta(ge=0, lt=2**31)]
PeerIndex = Annotated[int, Meta(ge=0, lt=MAX_PEERS)]
Bytes64 = Annotated[bytes, Meta(min_length=64, max_length=64)]
Some = Annotated[bytes, Meta(max_length=32 * MAX_PEERS)]  # one piece per peer at most
Cards = Annotated[bytes, Meta(max_length=32 * MAX_CARDS)]
Outputs = Annotated[bytes, Meta(max_length=64 * MAX_CARDS)]
Answers = Annotated[bytes, Meta(max_length=32 * (2 * MAX_CARDS + 4))]
Peers = Annotated[tuple[PeerIndex, ...], Meta(max_length=MAX_PEERS)]
Hashes = Annotated[tuple[Bytes32 | None, ...], Meta(max_length=MAX_PEERS)]


class Cheat(RemoteError):
    """A signed message that cannot come from an honest peer; anyone can reproduce the verdict."""

    def __init__(self, peer: int, code: str) -> None:
        super().__init__(f"peer {peer}: {code}")
        self.peer = peer
        self.code = code


class _Body(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t"):
    """A msgpack map with exactly these keys."""


class Key(_Body, frozen=True, tag="key"):
    """The public keys of a peer for this table, with proof of possession."""

    Y: Bytes32
    T: Bytes32
    c: Bytes32
    s: Bytes64


class Esc(_Body, frozen=True, tag="esc"):
    """The sender's deck key in shares, each masked for its member."""

    e: Number
    F: Some
    R: Bytes32
    E: Some
    c: Bytes32
    s: Bytes32


class Cmp(_Body, frozen=True, tag="cmp"):
    """A complaint: dealer `d` gave the sender a share that does not fit."""

    e: Number
    d: PeerIndex
    K: Bytes32
    c: Bytes32
    s: Bytes32


class Rdy(_Body, frozen=True, tag="rdy"):
    """All shares of this epoch were good."""

    e: Number


class MixBody(_Body, frozen=True, tag="mix"):
    """One shuffle: outputs, commitment, chain, proof."""

    r: Number
    o: Outputs
    p: Cards
    h: Cards
    c: Bytes32
    s: Answers


class Shr(_Body, frozen=True, tag="shr"):
    """Decryption shares for everything the sender owes in this request, under one proof."""

    r: Number
    S: Cards
    c: Bytes32
    s: Bytes32


class Rky(_Body, frozen=True, tag="rky"):
    """The same card under a new holder set."""

    r: Number
    A: Bytes32
    B: Bytes32
    c: Bytes32
    s: Bytes64


class Gon(_Body, frozen=True, tag="gon"):
    """A vote that the peers in `w` are gone; `f` names the message of each that the sender holds."""

    v: Number
    w: Peers
    f: Hashes


class Giv(_Body, frozen=True, tag="giv"):
    """The sender's shares of the keys of all who are gone; `g` names the votes it rests on."""

    e: Number
    g: Some
    f: Some


class Bye(_Body, frozen=True, tag="bye"):
    """The sender leaves in order and hands over its deck key."""

    x: Bytes32


class Opn(_Body, frozen=True, tag="opn"):
    """The match is over: the sender's deck key."""

    x: Bytes32


Body: TypeAlias = Key | Esc | Cmp | Rdy | MixBody | Shr | Rky | Gon | Giv | Bye | Opn
TYPES: tuple[type[Body], ...] = (Key, Esc, Cmp, Rdy, MixBody, Shr, Rky, Gon, Giv, Bye, Opn)


class Opening(Struct, frozen=True, forbid_unknown_fields=True):
    """Shares that show hidden cards inside an action frame (one element of its field `u`)."""

    r: Number
    S: Cards
    c: Bytes32
    s: Bytes32


T = TypeVar("T")
_BODY: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)
_OPENING = msgspec.msgpack.Decoder(Opening)
_LOOSE = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.msgpack.Decoder(str)
_NAMES = frozenset(str(cls.__struct_config__.tag) for cls in TYPES)


def kind(body: Body) -> str:
    """The type word of a body."""
    return str(body.__struct_config__.tag)


def told_apart(body: Body) -> int | bytes:
    """What lets an honest peer sign several messages of this kind for one tip and digest; empty if nothing does."""
    match body:
        case Gon(v=v):
            return v  # numbered: people change their minds, and the newest counts
        case Giv(g=g):
            return g  # shares follow from the votes they rest on, and those may change
        case _:
            return b""


def encode(body: Body | Opening) -> bytes:
    """The one encoding of a body."""
    return canonical(body)


def decode(peer: int, raw: bytes) -> Body:
    """The body that `peer` signed, or Cheat(peer, «….form»)."""
    return _strict(_BODY, peer, raw, None)


def decode_opening(peer: int, raw: bytes) -> Opening:
    """One opening inside a frame of `peer`, or Cheat(peer, «shr.form»)."""
    return _strict(_OPENING, peer, raw, "shr")


def _strict(decoder: msgspec.msgpack.Decoder[T], peer: int, raw: bytes, name: str | None) -> T:
    try:
        value = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Cheat(peer, f"{name or _name(raw)}.form") from None
    if canonical(value) != raw:  # one encoding only: two readers must never see two things
        raise Cheat(peer, f"{name or _name(raw)}.form")
    return value


def _name(raw: bytes) -> str:
    """The type word of a malformed body as far as it can be made out."""
    try:
        name = _TEXT.decode(_LOOSE.decode(raw).get("t", b"\xa0"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "body"
    return name if name in _NAMES else "body"
