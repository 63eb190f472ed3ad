"""The `.kontor` file: strict, bounded, and cut off only where a process was killed."""

from __future__ import annotations

import io
from pathlib import Path

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.engine import canonical
from kontor_games.engine.errors import StoreError
from kontor_games.net.record import transcript
from kontor_games.net.record.local_chain import LocalTerms, MalformedRecord, deck_mode, decode, decode_terms
from kontor_games.net.record.transcript import (
    HEADER,
    MAGIC,
    MAX_RECORD,
    EndRecord,
    EntryRecord,
    FrameRecord,
    Placed,
    TermsRecord,
    Torn,
    TranscriptWriter,
    UnreadableFile,
    pack,
    read,
)
from kontor_games.net.wire.chain import match_id

RECORDS = (TermsRecord(b"terms"), EntryRecord(((b"roll", b""),), b""), FrameRecord(b"frame"), EndRecord(b"end"))
FILE = MAGIC + b"".join(map(pack, RECORDS))


def everything(data: bytes) -> list[Placed | Torn]:
    return list(read(io.BytesIO(data)))


def test_what_is_written_is_read_back_with_its_place() -> None:
    found = everything(FILE)
    assert [item.record for item in found if isinstance(item, Placed)] == list(RECORDS)
    assert [str(item) for item in found][:2] == [
        f"record 0 at byte {len(MAGIC)}",
        f"record 1 at byte {len(MAGIC) + len(pack(RECORDS[0]))}",
    ]


def test_the_msgpack_package_reads_every_payload() -> None:
    payload = pack(RECORDS[1])[HEADER:]
    assert msgpack.unpackb(payload) == ["entry", [[b"roll", b""]], b""]


@pytest.mark.parametrize("bit", [1, 128])
def test_a_flipped_bit_anywhere_is_found(bit: int) -> None:
    for place in range(len(FILE)):
        damaged = bytearray(FILE)
        damaged[place] ^= bit
        with pytest.raises(UnreadableFile):
            everything(bytes(damaged))


def test_a_file_cut_anywhere_gives_the_whole_records_before_the_cut() -> None:
    ends = [len(MAGIC)]
    for record in RECORDS:
        ends.append(ends[-1] + len(pack(record)))
    for cut in range(len(MAGIC), len(FILE)):
        found = everything(FILE[:cut])
        whole = sum(end <= cut for end in ends) - 1
        assert [item.record for item in found if isinstance(item, Placed)] == list(RECORDS[:whole])
        assert isinstance(found[-1] if found else None, Torn) == (cut not in ends)


def test_a_tail_of_zeros_counts_as_torn_but_zeros_before_data_do_not() -> None:
    assert everything(FILE + bytes(5000))[-1] == Torn(len(FILE), 5000)
    with pytest.raises(UnreadableFile, match="header is damaged"):
        everything(FILE + bytes(100) + b"x")


def test_a_record_that_claims_too_much_is_refused_before_it_is_read() -> None:
    length = (MAX_RECORD + 1).to_bytes(4, "big")
    header = length + transcript._check(MAGIC + length, 4) + bytes(8)
    with pytest.raises(UnreadableFile, match="at most"):
        everything(MAGIC + header)


def test_too_many_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MAX_RECORDS", 10)
    with pytest.raises(UnreadableFile, match="at most 10 records"):
        everything(MAGIC + pack(RECORDS[0]) * 11)


def test_too_long_a_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(transcript, "MAX_FILE", 100)
    (tmp_path / "a.kontor").write_bytes(bytes(101))
    with pytest.raises(UnreadableFile, match="at most 100 bytes"):
        transcript.open_file(tmp_path / "a.kontor")
    with pytest.raises(UnreadableFile, match="at most 100 bytes"):
        everything(FILE + FILE[len(MAGIC) :])


def test_another_encoding_of_the_same_record_is_refused() -> None:
    payload = msgpack.packb(["frame", b"frame"])  # the signature left out
    length = len(payload).to_bytes(4, "big")
    raw = length + transcript._check(MAGIC + length, 4) + transcript._check(payload, 8) + payload
    with pytest.raises(UnreadableFile, match="one encoding"):
        everything(MAGIC + raw)


@given(st.binary(max_size=200))
def test_any_payload_is_a_record_or_refused(payload: bytes) -> None:
    length = len(payload).to_bytes(4, "big")
    raw = MAGIC + length + transcript._check(MAGIC + length, 4) + transcript._check(payload, 8) + payload
    try:
        everything(raw)
    except UnreadableFile as error:
        assert "record 0" in str(error)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_file_or_refused(data: bytes) -> None:
    for start in (b"", MAGIC):
        try:
            everything(start + data)
        except UnreadableFile as error:
            assert "byte" in str(error)


def test_directories_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="not a plain file"):
        transcript.open_file(tmp_path)
    with pytest.raises(UnreadableFile, match="no such file"):
        transcript.open_file(tmp_path / "none")
    with pytest.raises(UnreadableFile):
        transcript.open_file(Path("a\0b"))


def test_a_resumed_file_loses_its_torn_tail_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    path.write_bytes(FILE + pack(RECORDS[2])[:-1])
    writer, records, cut = TranscriptWriter.resume(path)
    assert len(records) == 4 and cut == len(pack(RECORDS[2])) - 1
    writer.append(RECORDS[2], durable=True)
    writer.close()
    assert path.read_bytes() == FILE + pack(RECORDS[2])


def test_a_damaged_file_is_not_resumed_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    damaged = bytearray(FILE)
    damaged[len(MAGIC) + 3] ^= 1  # the length of the first record: looks like a tear, is none
    path.write_bytes(damaged)
    with pytest.raises(UnreadableFile):
        TranscriptWriter.resume(path)
    assert path.read_bytes() == damaged


def test_one_file_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    writer = TranscriptWriter.create(path)
    with pytest.raises(StoreError, match="another process"):
        TranscriptWriter.resume(path)
    writer.close()
    with pytest.raises(StoreError, match="cannot be created"):
        TranscriptWriter.create(path)


def test_a_record_too_large_is_not_written() -> None:
    with pytest.raises(StoreError, match="at most"):
        pack(FrameRecord(bytes(MAX_RECORD)))


def terms(**changes: object) -> bytes:
    fields: dict[str, object] = {
        "version": 1,
        "game": "toy",
        "rules": 1,
        "data": bytes(32),
        "options": {"rounds": 6},
        "seats": [["Ada", "person"], ["Bob", "random"]],
        "nonce": bytes(16),
        "deck": "local/1",
    }
    return bytes(msgpack.packb({**fields, **changes}))


def test_terms_are_read_as_msgpack_wrote_them() -> None:
    raw = terms()
    assert canonical(decode_terms(raw)) == raw
    assert len(match_id(raw)) == 32


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "t\x1boy"},
        {"game": ""},
        {"rules": -1},
        {"rules": 1.0},
        {"data": bytes(31)},
        {"options": {"rounds": 1.5}},
        {"options": {"rounds": None}},
        {"options": {f"o{n}": 1 for n in range(33)}},
        {"options": {"map": "\x1b[2J"}},
        {"nonce": bytes(15)},
        {"version": 2},
        {"deck": "sealed/1"},
        {"seats": []},
        {"seats": [["A\x1b[2J", "person"]]},
        {"seats": [["A\u202eB", "person"]]},
        {"seats": [[" A", "person"]]},
        {"seats": [["A" * 41, "person"]]},
        {"seats": [["", "person"]]},
        {"seats": [["Ada"]]},
        {"more": 1},
    ],
)
def test_terms_that_do_not_fit_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedRecord):
        decode_terms(terms(**changes))


def test_deep_nesting_is_refused_without_a_traceback() -> None:
    with pytest.raises(MalformedRecord):
        decode(LocalTerms, b"\x91" * 100_000)
    with pytest.raises(MalformedRecord):
        deck_mode(b"\x91" * 100_000)
