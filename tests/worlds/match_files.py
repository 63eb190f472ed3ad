"""Files of sealed matches for tests: made from a little world, taken apart, changed, signed again, judged."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from kontor_games.net.record.chain_records import records_of
from kontor_games.net.record.transcript import (
    MAGIC,
    EndRecord,
    EntryRecord,
    FrameRecord,
    Placed,
    Record,
    SignedRecord,
    pack,
    read,
)
from kontor_games.net.record.verify import Report, verify_stream
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, encode
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.terms import Terms, decode_terms, encode_terms

from .world import World, identity, make_terms


def named_terms(game: str, names: Sequence[str], tag: str = "", recovery: str = "majority", **options: Any) -> bytes:
    """Terms in which the seats have these names; another tag makes another match."""
    terms = decode_terms(make_terms(game, len(names), recovery=recovery, **options))
    seats = tuple(replace(seat, name=name) for seat, name in zip(terms.seats, names, strict=True))
    peers = tuple(replace(peer, nonce=(tag.encode() + peer.nonce)[:16]) for peer in terms.peers)
    return encode_terms(replace(terms, seats=seats, peers=peers))


def signed_terms(raw: bytes) -> list[bytes]:
    return [identity(peer).sign("terms", raw) for peer in range(len(decode_terms(raw).peers))]


def transcript(world: World, peer: int = 0, finals: bool = True) -> list[Record]:
    """The file that one node of a world would write now."""
    session = world.nodes[peer].session
    return records_of(session.ledger, signed_terms(session.ledger.terms_raw), session.finals() if finals else None)


def packed(records: Sequence[Record]) -> bytes:
    return MAGIC + b"".join(map(pack, records))


def unpacked(data: bytes) -> list[Record]:
    return [placed.record for placed in read(io.BytesIO(data)) if isinstance(placed, Placed)]


def judged(records: Sequence[Record] | bytes) -> Report:
    """What the verifier says to these records, or to these bytes."""
    data = records if isinstance(records, bytes) else packed(records)
    return verify_stream(io.BytesIO(data), "made.kontor")


def evidence(signed: Signed) -> SignedRecord:
    return SignedRecord(signed.kind, signed.peer, signed.raw, signed.sig)


def frame_of(record: Record) -> Frame:
    assert isinstance(record, FrameRecord)
    return decode(Frame, record.raw)


def sign_frame(frame: Frame, author: int) -> FrameRecord:
    raw = encode(frame)
    return FrameRecord(raw, identity(author).sign("frame", raw))


def sign_dealer(message: DealerMessage, author: int) -> tuple[bytes, bytes]:
    raw = encode(message)
    return raw, identity(author).sign("dealer", raw)


def body_of(raw: bytes) -> bodies.Body:
    message = decode(DealerMessage, raw)
    return bodies.decode(message.p, bytes(message.b))


def with_body(message: DealerMessage, body: object) -> DealerMessage:
    return replace(message, b=Raw(bodies.encode(body)))  # type: ignore[arg-type]


def entry_at(records: Sequence[Record], kind: str) -> int:
    """The first entry that holds a message of this kind."""
    for number, record in enumerate(records):
        if isinstance(record, EntryRecord) and any(bodies.kind(body_of(raw)) == kind for raw, _ in record.messages):
            return number
    raise AssertionError(f"no {kind} in this match")


def last_frame(records: Sequence[Record]) -> int:
    return max(number for number, record in enumerate(records) if isinstance(record, FrameRecord))


def without_end(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if not isinstance(record, EndRecord)]


def played(terms: bytes, seed: str = "files", until: Callable[[World], bool] | None = None) -> World:
    """A world that plays these terms to the end, or until something is so and all have heard of it."""
    peers = len(decode_terms(terms).peers)
    world = World(terms, peers, seed)
    world.begin()
    if until is None:
        world.play_on()
        return world
    for _ in range(200_000):
        if until(world):
            world.quiet()
            return world
        world.step()
    raise AssertionError("it never came to that")


def terms_of(records: Sequence[Record]) -> Terms:
    return decode_terms(records[0].raw)  # type: ignore[union-attr]
