"""The rest of a file, signed again so that it follows from a record that is another.

Otherwise the first message after a changed record would not fit its tip, and a verifier that overlooked the change
itself would stumble over that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from msgspec import Raw
from msgspec.structs import replace

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.stream import H
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import decode_end, item_of
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Placed, Record
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, Mark, decode, encode, entry_tip, frame_tip
from kontor_games.net.wire.terms import Terms
from tests.worlds.match_files import sign_dealer, sign_frame, terms_of
from tests.worlds.world import identity


@dataclass(frozen=True)
class Course:
    """The tip before each record of the chain, and how many entries close by themselves after it."""

    tips: tuple[bytes, ...]
    closings: tuple[int, ...]


@cache
def course_of(records: tuple[Record, ...]) -> Course:
    """The course of a file that holds."""
    ledger = Ledger(records[0].raw, inline=True)  # type: ignore[union-attr]
    tips, closings = [ledger.match], [0]
    for number, record in enumerate(records[1:], 1):
        tips.append(ledger.tip)
        if not isinstance(record, EndRecord):
            ledger.take_item(item_of(Placed(number, 0, record), ledger), trusted=True)
            closings.append(_steps(_tip_after(tips[-1], record), ledger.tip))
    return Course(tuple(tips), tuple(closings))


def _steps(tip: bytes, last: bytes) -> int:
    """How many entries without messages lie between two tips."""
    count = 0
    while tip != last:
        tip, count = entry_tip(tip, []), count + 1
        assert count < 100, "these tips do not belong together"
    return count


def _tip_after(tip: bytes, record: Record) -> bytes:
    if isinstance(record, FrameRecord):
        return frame_tip(tip, record.raw)
    assert isinstance(record, EntryRecord)
    return entry_tip(tip, [raw for raw, _ in record.messages])


def signed_on(records: tuple[Record, ...], place: int, changed: Record) -> list[Record]:
    """The file with another record at this place, and everything after it signed again on top of that."""
    course = course_of(records)
    again = _Again(records)
    made, tip = [*records[:place], changed], course.tips[place]
    for number in range(place, len(records)):
        if number > place:
            made.append(again.record(records[number]))
        if isinstance(records[number], EndRecord):
            break
        old, tip = _tip_after(course.tips[number], records[number]), _tip_after(tip, made[number])
        again.tips[old] = tip
        for _ in range(course.closings[number]):
            old, tip = entry_tip(old, []), entry_tip(tip, [])
            again.tips[old] = tip
    return made


class _Again:
    """Signs messages again with the tips that they have now."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.tips: dict[bytes, bytes] = {}  # old -> new
        self._terms: Terms = terms_of(records)
        self._raws = {H("msg", raw, size=32): raw for raw in _dealer_raws(records)}

    def record(self, record: Record) -> Record:
        """The same record on top of what is new before it."""
        if isinstance(record, FrameRecord):
            frame = decode(Frame, record.raw)
            return sign_frame(replace(frame, h=self._tip(frame.h)), self._terms.seats[frame.s].peer)
        if isinstance(record, EntryRecord):
            return EntryRecord(tuple(self._signed(raw) for raw, _ in record.messages))
        assert isinstance(record, EndRecord)
        return self._end(record)

    def _tip(self, old: bytes) -> bytes:
        return self.tips.get(old, old)

    def _signed(self, raw: bytes) -> tuple[bytes, bytes]:
        message = self._message(raw)
        return sign_dealer(message, message.p)

    def _message(self, raw: bytes) -> DealerMessage:
        message = decode(DealerMessage, raw)
        body = bodies.decode(message.p, bytes(message.b))
        if isinstance(body, bodies.Gon):
            body = replace(body, f=tuple(None if name is None else self._hash(name) for name in body.f))
        elif isinstance(body, bodies.Giv):
            names = [body.g[k : k + 32] for k in range(0, len(body.g), 32)]
            body = replace(body, g=b"".join(map(self._hash, names)))
        return replace(message, h=self._tip(message.h), b=Raw(bodies.encode(body)))

    def _hash(self, old: bytes) -> bytes:
        """What a message that was named by this hash is named by now."""
        raw = self._raws.get(old)
        return old if raw is None else H("msg", encode(self._message(raw)), size=32)

    def _end(self, record: EndRecord) -> EndRecord:
        end = decode_end(record.raw)
        end = replace(end, h=self._tip(end.h))
        match = next(iter(self._raws.values()))
        marks = [Mark(decode(DealerMessage, match).m, peer, end.h, end.d) for peer in range(len(record.signatures))]
        signed = (identity(mark.p).sign("final", encode(mark)) for mark in marks)
        return EndRecord(
            canonical(end), tuple(new if old else b"" for old, new in zip(record.signatures, signed, strict=True))
        )


def _dealer_raws(records: Sequence[Record]) -> Iterator[bytes]:
    for record in records:
        if isinstance(record, EntryRecord):
            yield from (raw for raw, _ in record.messages)
