"""What an adversary would do to a match file: each way gives a file that must not be verified.

All work on records and repair every check of the file; those that need a signature have the keys of all players but
cannot sign what honest players would never have signed together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgpack
from msgspec import Raw
from msgspec.structs import replace

from kontor_games.engine.core.stream import Stream
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Record, TermsRecord
from kontor_games.net.wire.chain import DealerMessage, decode
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.worlds.match_files import frame_of, packed, sign_dealer, sign_frame, signed_terms

Records = list[Record]
Doctor = Callable[[Records, Records, Stream], Sequence[Record] | bytes]


def _frames(records: Records) -> list[int]:
    return [number for number, record in enumerate(records) if isinstance(record, FrameRecord)]


def _pick(places: Sequence[int], stream: Stream) -> int:
    return places[stream.below(len(places))]


def _with(records: Records, number: int, record: Record) -> Records:
    return [*records[:number], record, *records[number + 1 :]]


def _renamed(raw: bytes, number: int) -> bytes:
    """The terms with another name in a seat."""
    terms = decode_terms(raw)
    seats = list(terms.seats)
    name = seats[number].name
    seats[number] = replace(seats[number], name=name[:-1] + ("e" if name[-1] != "e" else "a"))
    return encode_terms(replace(terms, seats=tuple(seats)))


def another_result(records: Records, other: Records, stream: Stream) -> Records:
    """The loser has won; whoever signed the end signed tip and state, not this."""
    end = records[-1]
    assert isinstance(end, EndRecord)
    said = msgpack.unpackb(end.raw)
    said["r"][1] = [1] if said["r"][1] == [0] else [0]
    return [*records[:-1], replace(end, raw=msgpack.packb(said))]


def foreign_turn(records: Records, other: Records, stream: Stream) -> Records:
    """A turn of another match, truly signed."""
    return _with(records, _pick(_frames(records), stream), other[_pick(_frames(other), stream)])


def turn_left_out(records: Records, other: Records, stream: Stream) -> Records:
    number = _pick(_frames(records)[:-1], stream)
    return [*records[:number], *records[number + 1 :]]


def turns_exchanged(records: Records, other: Records, stream: Stream) -> Records:
    frames = _frames(records)
    place = stream.below(len(frames) - 1)
    one, two = frames[place], frames[place + 1]
    return _with(_with(records, one, records[two]), two, records[one])


def nothing_after_a_changed_turn(records: Records, other: Records, stream: Stream) -> Records:
    """A turn with the ply of the next one, signed by its author; everything after it is cut off."""
    number = _pick(_frames(records), stream)
    frame = frame_of(records[number])
    changed = replace(frame, n=frame.n + 1)
    return [*records[:number], sign_frame(changed, frame.s)]


def another_name(records: Records, other: Records, stream: Stream) -> Records:
    """Somebody else's name in the terms, signed anew by everybody: the chain hangs on the old terms."""
    first = records[0]
    assert isinstance(first, TermsRecord)
    raw = _renamed(first.raw, 0)
    return [TermsRecord(raw, tuple(signed_terms(raw))), *records[1:]]


def another_name_unsigned(records: Records, other: Records, stream: Stream) -> Records:
    first = records[0]
    assert isinstance(first, TermsRecord)
    return [replace(first, raw=_renamed(first.raw, 1)), *records[1:]]


def signature_of_another(records: Records, other: Records, stream: Stream) -> Records:
    """A turn under the signature of another turn."""
    frames = _frames(records)
    place = stream.below(len(frames) - 1)
    one, two = records[frames[place]], records[frames[place + 1]]
    assert isinstance(one, FrameRecord) and isinstance(two, FrameRecord)
    return _with(records, frames[place], replace(one, signature=two.signature))


def one_final_signature_twice(records: Records, other: Records, stream: Stream) -> Records:
    end = records[-1]
    assert isinstance(end, EndRecord)
    return [*records[:-1], replace(end, signatures=(end.signatures[1], *end.signatures[1:]))]


def foreign_end(records: Records, other: Records, stream: Stream) -> Records:
    return [*records[:-1], other[-1]]


def changed_share(records: Records, other: Records, stream: Stream) -> Records:
    """A message of the dealer with one changed bit, signed by its author all the same."""
    entries = [number for number, record in enumerate(records) if isinstance(record, EntryRecord)]
    number = _pick(entries, stream)
    entry = records[number]
    assert isinstance(entry, EntryRecord)
    message = decode(DealerMessage, entry.messages[0][0])
    body = bytearray(bytes(message.b))
    body[-1] ^= 1
    part = sign_dealer(replace(message, b=Raw(bytes(body))), message.p)
    return _with(records, number, replace(entry, messages=(part, *entry.messages[1:])))


def flipped_bit(records: Records, other: Records, stream: Stream) -> bytes:
    data = bytearray(packed(records))
    data[18 + stream.below(len(data) - 18)] ^= 1 << stream.below(8)
    return bytes(data)


def cut_within(records: Records, other: Records, stream: Stream) -> bytes:
    return packed(records)[: -1 - stream.below(20)]


def another_seed(records: Records, other: Records, stream: Stream) -> Records:
    """A local match whose cards came from elsewhere than its seed."""
    end = records[-1]
    assert isinstance(end, EndRecord)
    said = msgpack.unpackb(end.raw)
    said["z"] = bytes(reversed(said["z"]))
    return [*records[:-1], replace(end, raw=msgpack.packb(said))]


def another_seat(records: Records, other: Records, stream: Stream) -> Records:
    """A turn of a local match that another seat is said to have played."""
    number = _pick(_frames(records), stream)
    record = records[number]
    assert isinstance(record, FrameRecord)
    said: dict[str, Any] = msgpack.unpackb(record.raw)
    said["s"] ^= 1
    return _with(records, number, replace(record, raw=msgpack.packb(said)))


SEALED: tuple[Doctor, ...] = (
    another_result,
    foreign_turn,
    turn_left_out,
    turns_exchanged,
    nothing_after_a_changed_turn,
    another_name,
    another_name_unsigned,
    signature_of_another,
    one_final_signature_twice,
    foreign_end,
    changed_share,
    flipped_bit,
    cut_within,
)
LOCAL: tuple[Doctor, ...] = (
    another_result,
    foreign_turn,
    turn_left_out,
    turns_exchanged,
    foreign_end,
    another_seed,
    another_seat,
    flipped_bit,
    cut_within,
)
