"""The terms of a match: what all peers sign before the first ply. Its id is `net.chain.match_id` of their bytes."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from engine.errors import RemoteError
from net.identity import verify
from net.messages import Digest, Key, Name, Nonce, Options, PeerIndex, Recovery, RulesVersion, SeatKind, Word

MAX_TERMS: Final = 16 * 1024


class TermsPeer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A node: its key and the 16 bytes it made for this match alone."""

    key: Key
    nonce: Nonce


class TermsSeat(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A seat: the index of the peer that plays it, the name shown, and what plays it."""

    peer: PeerIndex
    name: Name
    kind: SeatKind


class Terms(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is fixed before a match; on the wire a map with its keys in this order."""

    version: Literal[1]
    game: Word
    rules: RulesVersion
    data: Digest
    options: Options
    peers: Annotated[tuple[TermsPeer, ...], Meta(min_length=1, max_length=8)]
    seats: Annotated[tuple[TermsSeat, ...], Meta(min_length=1, max_length=8)]
    recovery: Recovery
    spectators: bool
    deck: Literal["sealed/1", "local/1"]

    def seats_of(self, peer: int) -> tuple[int, ...]:
        """The seats that the peer with this index plays."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.peer == peer)

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
    return terms


def why_not_signed(raw: bytes, signatures: tuple[bytes, ...]) -> str | None:
    """Why these signatures do not make `raw` the terms of a match, or None if all peers signed."""
    peers = decode_terms(raw).peers
    if len(signatures) != len(peers):
        return f"{len(signatures)} signatures for {len(peers)} peers"
    for number, (peer, signature) in enumerate(zip(peers, signatures, strict=True)):
        if not verify(peer.key, "terms", raw, signature):
            return f"the signature of peer {number} does not fit the terms"
    return None
