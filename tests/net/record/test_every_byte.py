"""Every byte of a file counts: whichever is another one, the file is unreadable, refuted, or proves less."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from kontor_games.engine import KontorError
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Record, SignedRecord, TermsRecord
from kontor_games.net.record.verify import CANNOT_JUDGE, REFUTED, UNREADABLE, VERIFIED
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, frame_tip
from tests.worlds.match_files import entry_at, judged, packed, played, sign_dealer, transcript
from tests.worlds.world import identity

from .test_verdicts import after, short_match


@pytest.fixture(scope="module")
def small() -> list[Record]:
    """A complete match of two with a goodbye: small enough to change every byte of it."""
    world = played(short_match(2), "bytes", until=after(4))
    world.perform(world.nodes[1], world.nodes[1].session.bye())
    world.play_on(ticks=8)
    return transcript(world)


def flipped(data: bytes, place: int) -> bytes:
    """The same with one bit of this byte changed."""
    return data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


def flip_under_repaired_checks(records: list[Record], step: int) -> int:
    """Change bytes inside the records one at a time, each with sound headers around it; how many were tried."""
    tried = 0
    for place, record in enumerate(records):
        payloads = list(_changed(record, step))
        for changed in payloads:
            made = [*records[:place], changed, *records[place + 1 :]]
            report = judged(made)
            unknown = place == 0 and report.code == CANNOT_JUDGE  # terms of another version or deck mode
            assert report.code == REFUTED or unknown, (place, type(record).__name__, report.line)
        tried += len(payloads)
    return tried


def _changed(record: Record, step: int) -> list[Record]:
    """The record with a bit of every `step`-th byte of its fields changed."""
    match record:
        case TermsRecord(raw=raw, signatures=signatures) | EndRecord(raw=raw, signatures=signatures):
            found: list[Record] = [type(record)(flipped(raw, k), signatures) for k in range(0, len(raw), step)]
            for number, mark in enumerate(signatures):
                others = [flipped(mark, k) for k in range(0, len(mark), step)]
                found += [type(record)(raw, (*signatures[:number], m, *signatures[number + 1 :])) for m in others]
            return found
        case FrameRecord(raw=raw, signature=mark):
            return [
                *(FrameRecord(flipped(raw, k), mark) for k in range(0, len(raw), step)),
                *(FrameRecord(raw, flipped(mark, k)) for k in range(0, len(mark), step)),
            ]
        case EntryRecord(messages=messages):
            made: list[Record] = []
            for number, (raw, mark) in enumerate(messages):
                others = [(flipped(raw, k), mark) for k in range(0, len(raw), step)]
                others += [(raw, flipped(mark, k)) for k in range(0, len(mark), step)]
                made += [EntryRecord((*messages[:number], part, *messages[number + 1 :])) for part in others]
            return made
        case _:
            raise AssertionError(record)


def test_a_changed_byte_anywhere_makes_the_file_unreadable(small: list[Record]) -> None:
    data = packed(small)
    for place in range(len(data)):
        assert judged(flipped(data, place)).code == UNREADABLE, place


def test_a_changed_byte_under_repaired_checks_is_refuted(small: list[Record]) -> None:
    assert flip_under_repaired_checks(small, step=41) > 100


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_every_byte_inside_every_record_counts(small: list[Record]) -> None:
    tried = flip_under_repaired_checks(small, step=1)
    print(f"{tried} bytes inside the records of a file of {len(packed(small))}: every one counts")
    assert tried > 5000


def test_bytes_after_a_file_or_missing_from_it_are_found(small: list[Record]) -> None:
    data = packed(small)
    for more in (b"\0", bytes(16), bytes(5000), data[-40:], data[:18]):
        assert judged(data + more).code == UNREADABLE
    for less in range(1, len(data)):
        if less % 149 == 0:
            report = judged(data[:-less])
            assert report.code in (UNREADABLE, VERIFIED) and not report.final


def test_an_entry_of_a_sealed_match_stores_no_action(small: list[Record]) -> None:
    for place, record in enumerate(small):
        if isinstance(record, EntryRecord):
            for action in (b"\0", b"\x92\xa5mixed\x01", b"\xc0"):
                made = [*small[:place], EntryRecord(record.messages, action), *small[place + 1 :]]
                report = judged(made)
                assert report.code == REFUTED and "stores no action" in report.message


def test_a_late_goodbye_must_name_the_state_of_its_tip() -> None:
    """It stands in the chain where its sender is to act, after the tip that it names; nothing compared its digest."""
    world = played(short_match(3), "late bye", until=after(6))
    turn = world.nodes[0].session.ledger.turn
    assert turn is not None
    leaver, stays = world.nodes[(turn + 2) % 3], world.nodes[turn]
    world.perform(leaver, leaver.session.bye())
    world.play_on()
    records = transcript(world, stays.number)
    place = entry_at(records, "bye")
    record, before = records[place], records[place - 1]
    assert isinstance(record, EntryRecord) and isinstance(before, FrameRecord)
    message = decode(DealerMessage, record.messages[0][0])
    assert message.h != frame_tip(decode(Frame, before.raw).h, before.raw), "it came in time"
    assert judged(records[: place + 1]).code == VERIFIED
    for wrong in (bytes(32), flipped(message.d, 0)):
        made = EntryRecord((sign_dealer(replace(message, d=wrong), message.p),))
        report = judged([*records[:place], made])
        assert report.code == REFUTED and "fault" not in report.message, report


def bombs() -> list[bytes]:
    """Bytes that have brought decoders down: nested deeply, claiming huge sizes, of other types, not text."""
    nested = b"\x91" * 20_000 + b"\x00"
    sizes = [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdb\x7f\xff\xff\xff"]
    return [nested, b"\x81" * 20_000, *sizes, b"", b"\xc1", b"\xa2\xff\xfe", b"\xca\x7f\xc0\x00\x00", bytes(60_000)]


def test_hostile_bytes_in_any_record_give_a_verdict_not_a_traceback(small: list[Record]) -> None:
    frame = next(k for k, record in enumerate(small) if isinstance(record, FrameRecord))
    entry = entry_at(small, "bye")
    body = msgspec.msgpack.encode({**msgspec.msgpack.decode(frame_raw(small[frame])), "a": []})
    for bomb in bombs():
        mark, word = identity(0).sign("frame", bomb), identity(0).sign("dealer", bomb)
        made: list[list[Record]] = [
            [TermsRecord(bomb, (mark, mark)), *small[1:]],
            [*small[:frame], FrameRecord(bomb, mark)],
            [*small[:frame], FrameRecord(body[:-1] + b"\x91" + bomb, mark)],
            [*small[:entry], EntryRecord(((bomb, word),))],
            [*small[:entry], EntryRecord(((bomb, word),) * 12)],
            [*small[:-1], EndRecord(bomb, (mark, mark))],
            [*small[:-1], SignedRecord("frame", 0, bomb, mark)],
            [*small[:-1], SignedRecord("dealer", 0, bomb, word)],
        ]
        for records in made:
            report = judged(records)
            assert report.code in (REFUTED, CANNOT_JUDGE) and len(report.line) < 1000, report


def test_a_viewer_of_unverified_files_refuses_what_it_cannot_show(small: list[Record], tmp_path: Path) -> None:
    path = tmp_path / "viewed.kontor"
    for place, record in enumerate(small):
        for changed in _changed(record, 97):
            path.write_bytes(packed([*small[:place], changed, *small[place + 1 :]]))
            with contextlib.suppress(KontorError):  # anything else would be a traceback for whoever looks at it
                Replay(path)


def frame_raw(record: Record) -> bytes:
    assert isinstance(record, FrameRecord)
    return record.raw
