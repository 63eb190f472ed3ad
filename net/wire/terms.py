"""The terms of a match: what all peers sign before the first ply. Its id is `net.wire.chain.match_id` of their bytes.

Version 2 adds fields that may be absent; absent they are left out, so that everything has one encoding. A match that
was begun under version 1 stays a match of version 1 for ever: its bytes, its id and its signatures never change.
Nothing unknown is ever skipped: a field that this program does not know makes terms that it cannot read.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import RemoteError

from .chain import DealerMessage, Frame, decode
from .identity import verify
from .match_talk import Signed
from .messages import (
    HUMAN,
    Clauses,
    Digest,
    Grace,
    Key,
    Ladder,
    Name,
    Nonce,
    Options,
    Pace,
    Package,
    PeerIndex,
    Recovery,
    RulesVersion,
    SeatIndex,
    SeatKind,
    Word,
)

MAX_TERMS: Final = 16 * 1024
TERMS_VERSION: Final = 2  # of every match that begins now
LATER: Final = ("grace", "guests", "rated", "pace", "package")  # the fields of version 2


class TermsPeer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A node: its key and the 16 bytes it made for this match alone."""

    key: Key
    nonce: Nonce


class TermsSeat(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A seat: the index of the peer that plays it, the name shown, and what plays it."""

    peer: PeerIndex
    name: Name
    kind: SeatKind


class Terms(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that is fixed before a match; on the wire a map with its keys in this order."""

    version: Literal[1, 2]
    game: Word
    rules: RulesVersion
    data: Digest
    options: Options
    peers: Annotated[tuple[TermsPeer, ...], Meta(min_length=1, max_length=8)]
    seats: Annotated[tuple[TermsSeat, ...], Meta(min_length=1, max_length=8)]
    recovery: Recovery
    spectators: bool
    deck: Literal["sealed/1", "local/1"]
    grace: Grace | None = None
    guests: Annotated[tuple[SeatIndex, ...], Meta(min_length=1, max_length=8)] | None = None
    rated: Ladder | None = None
    pace: Pace | None = None
    package: Package | None = None

    @property
    def clauses(self) -> Clauses | None:
        """What the host added, as the table shows it."""
        if self.grace is None and self.rated is None and self.pace is None:
            return None
        return Clauses(self.grace, self.rated, self.pace)

    def seats_of(self, peer: int) -> tuple[int, ...]:
        """The seats that the peer with this index plays."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.peer == peer)

    def peer_of(self, seat: int) -> int | None:
        """The peer that plays a seat, None if there is no such seat."""
        return self.seats[seat].peer if seat < len(self.seats) else None

    def index_of(self, key: bytes) -> int | None:
        """The index of the peer with this key, or None."""
        return next((number for number, peer in enumerate(self.peers) if peer.key == key), None)


_encoder: Final = msgspec.msgpack.Encoder(order="deterministic")
_decoder: Final = msgspec.msgpack.Decoder(Terms)


def encode_terms(terms: Terms) -> bytes:
    """The one encoding of these terms: keys of the record in order, keys of the options sorted."""
    return _encoder.encode(terms)


def decode_terms(raw: bytes) -> Terms:
    """The terms in `raw`; RemoteError unless they are well formed, consistent and in their one encoding."""
    if len(raw) > MAX_TERMS:
        raise RemoteError(f"terms of {len(raw)} bytes; at most {MAX_TERMS} are allowed")
    try:
        terms = _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RemoteError(f"malformed terms: {ascii(str(error))[1:-1][:200]}") from None
    if encode_terms(terms) != raw:
        raise RemoteError("malformed terms: not in canonical encoding")
    keys = [peer.key for peer in terms.peers]
    if len(set(keys)) != len(keys):
        raise RemoteError("malformed terms: a peer is listed twice")
    if len({peer.nonce for peer in terms.peers}) != len(keys):
        raise RemoteError("malformed terms: two peers have the same nonce")
    if {seat.peer for seat in terms.seats} != set(range(len(keys))):
        raise RemoteError("malformed terms: every peer needs a seat and every seat a peer of the list")
    if reason := why_not_consistent(terms):
        raise RemoteError(f"malformed terms: {reason}")
    return terms


def why_not_consistent(terms: Terms) -> str | None:
    """Why these fields do not go together, or None; version 1 has nothing to check that it did not have always."""
    if terms.version == 1:
        return next((f"version 1 has no field {name}" for name in LATER if getattr(terms, name) is not None), None)
    order = list(dict.fromkeys(seat.peer for seat in terms.seats))
    if order != list(range(len(terms.peers))):
        return "the peers are not in the order of their first seats"
    guests = terms.guests or ()
    if list(guests) != sorted(set(guests)) or any(seat >= len(terms.seats) for seat in guests):
        return "the guests' seats are not seats of the table in ascending order"
    if any(terms.seats[seat].kind != HUMAN for seat in guests):
        return "a guest is a person, not a program"
    if terms.rated is not None and (guests or len(terms.seats) != len(terms.peers)):
        return "a rated match has one seat for each peer and no guests: ratings belong to keys"
    return why_not_clauses(terms.clauses, terms.recovery)


def why_not_clauses(clauses: Clauses | None, recovery: Recovery) -> str | None:
    """Why a table cannot have these clauses, or None."""
    if clauses is not None and clauses.grace is not None and recovery == "none" and clauses.rated is None:
        return "a grace time needs recovery by majority or a rated match; else nobody is ever put out"
    return None


def why_not_signed(raw: bytes, signatures: tuple[bytes, ...]) -> str | None:
    """Why these signatures do not make `raw` the terms of a match, or None if all peers signed."""
    peers = decode_terms(raw).peers
    if len(signatures) != len(peers):
        return f"{len(signatures)} signatures for {len(peers)} peers"
    for number, (peer, signature) in enumerate(zip(peers, signatures, strict=True)):
        if not verify(peer.key, "terms", raw, signature):
            return f"the signature of peer {number} does not fit the terms"
    return None


def why_not_authored(terms: Terms, signed: Signed) -> str | None:
    """Why a frame or a dealer message is not the word of the author that it names, or None."""
    if signed.kind == "frame":
        return why_not_word_of(terms, signed, terms.peer_of(decode(Frame, signed.raw).s))
    return why_not_word_of(terms, signed, decode(DealerMessage, signed.raw).p)


def why_not_word_of(terms: Terms, signed: Signed, author: int | None) -> str | None:
    """Why a message is not its author's word, or None; `author` is the peer that the message itself names, if it does.

    Whoever passes a message on says whose it is. That counts for nothing: the name inside and the signature must agree.
    """
    if author is None or author >= len(terms.peers):
        return f"the author of a {signed.kind} is not a peer of this match"
    if author != signed.peer:
        return f"peer {signed.peer} passes off a message of peer {author}"
    if not verify(terms.peers[author].key, signed.kind, signed.raw, signed.sig):
        return f"bad signature under a {signed.kind} of peer {author}"
    return None
