"""What a match writes when the disk is full, read-only, cut off by a power failure, or damaged afterwards."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.net.lockstep.effects import Journal, Pledge
from kontor_games.net.lockstep.match_disk import MatchDisk, load_secret, make_secret
from kontor_games.net.record import own_words, transcript
from kontor_games.net.record.chain_records import write_transcript
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.own_words import HEADER, SLOT, Copy, OwnWords
from kontor_games.net.record.transcript import (
    Placed,
    SignedRecord,
    TermsRecord,
    TranscriptWriter,
    open_file,
    pack,
    read,
)
from kontor_games.net.wire.match_talk import Signed
from tests.worlds.world import identity, make_terms

TERMS = make_terms("osaka", 3)
SIGNATURES = tuple(identity(p).sign("terms", TERMS) for p in range(3))


def word(number: int, peer: int = 0) -> Signed:
    """Some message; the disk does not look into it."""
    return Signed("dealer", peer, f"message {number} of {peer}".encode(), b"\x07" * 64)


def pledge(number: int, *open_words: Signed) -> Pledge:
    return Pledge(number, word(number), (*open_words, word(number)))


def on_disk(path: Path) -> list[bytes]:
    """The messages of a journal as a reader finds them."""
    with open_file(path) as file:
        records = [item.record for item in read(file) if isinstance(item, Placed)]
    return [record.raw for record in records if isinstance(record, SignedRecord)]


class BrokenDisk:
    """Makes writing and syncing fail while `reason` is set; a write then leaves half of its bytes behind."""

    def __init__(self) -> None:
        self.reason = 0
        self.fails_at_sync = False
        self.syncs = 0

    def write(self, file: Any, data: Any) -> int:
        if not self.reason or self.fails_at_sync:
            return int(file.write(data))
        if len(data) > 1:
            return int(file.write(data[: len(data) // 2]))
        raise OSError(self.reason, os.strerror(self.reason))

    def fsync(self, handle: int) -> None:
        self.syncs += 1
        if self.reason:
            raise OSError(self.reason, os.strerror(self.reason))
        os.fsync(handle)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> BrokenDisk:
    broken = BrokenDisk()

    class Os:
        fsync = staticmethod(broken.fsync)

        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

    def write(self: Any, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[broken.write(self._file, view) :]

    monkeypatch.setattr(transcript, "os", Os())
    monkeypatch.setattr(own_words, "os", Os())
    monkeypatch.setattr(TranscriptWriter, "_write", write)
    return broken


@contextmanager
def begun(folder: Path) -> Iterator[tuple[MatchDisk, MatchFiles]]:
    files = MatchFiles.of(folder, b"\x07" * 32)
    made, _ = MatchDisk.create(files, TERMS, SIGNATURES)
    yield made, files
    made.close()


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("fails_at_sync", [False, True])
def test_what_the_disk_refuses_is_written_later_in_order_and_once(
    tmp_path: Path, disk: BrokenDisk, reason: int, fails_at_sync: bool
) -> None:
    with begun(tmp_path) as (match, files):
        match.write(Journal(word(1, peer=1)))
        match.write(pledge(1))
        assert match.take_confirmed() == [1]
        match.write(Journal(word(2, peer=1)))
        disk.reason, disk.fails_at_sync = reason, fails_at_sync
        match.write(pledge(2))
        match.write(Journal(word(3, peer=1)))
        match.write(pledge(3))
        assert match.take_confirmed() == [] and os.strerror(reason) in str(match.trouble)
        match.retry()
        assert match.take_confirmed() == []
        disk.reason = 0
        match.retry()
        assert match.take_confirmed() == [2, 3] and match.trouble is None
        expected = [word(1, 1), word(1), word(2, 1), word(2), word(3, 1), word(3)]
        assert on_disk(files.journal) == [signed.raw for signed in expected]
    resumed, found = MatchDisk.resume(files.journal, identity(0).key)
    resumed.close()
    assert found.doubt is None and found.words[-1] == word(3)


def test_a_failed_write_leaves_no_half_record_behind(tmp_path: Path, disk: BrokenDisk) -> None:
    writer = TranscriptWriter.create(tmp_path / "match.kontor")
    writer.append(TermsRecord(TERMS, SIGNATURES), durable=True)
    size = (tmp_path / "match.kontor").stat().st_size
    disk.reason = errno.ENOSPC
    with pytest.raises(StoreError, match="No space left"):
        writer.append(SignedRecord("dealer", 0, b"x" * 100, bytes(64)))
    disk.reason = 0
    writer.append(SignedRecord("dealer", 0, b"y" * 100, bytes(64)), durable=True)
    writer.close()
    record = pack(SignedRecord("dealer", 0, b"y" * 100, bytes(64)))
    assert (tmp_path / "match.kontor").read_bytes()[size:] == record


def test_after_a_failed_sync_everything_since_the_last_good_one_is_written_again(
    tmp_path: Path, disk: BrokenDisk
) -> None:
    """The system may have thrown the pages away and show them all the same: what was written is not believed."""
    path = tmp_path / "match.kontor"
    writer = TranscriptWriter.create(path)
    writer.append(TermsRecord(TERMS, SIGNATURES), durable=True)
    certain = path.stat().st_size
    writer.append(SignedRecord("dealer", 1, b"of another", bytes(64)))
    disk.reason, disk.fails_at_sync = errno.EIO, True
    with pytest.raises(StoreError):
        writer.append(SignedRecord("dealer", 0, b"ours", bytes(64)), durable=True)
    with path.open("r+b") as file:  # what the disk itself has
        file.seek(certain)
        file.write(bytes(path.stat().st_size - certain))
    disk.reason = 0
    writer.append(SignedRecord("dealer", 0, b"ours", bytes(64)), durable=True)
    writer.close()
    assert on_disk(path) == [b"of another", b"ours"]


def test_a_match_that_cannot_begin_leaves_no_file(tmp_path: Path, disk: BrokenDisk) -> None:
    disk.reason = errno.ENOSPC
    with pytest.raises(StoreError, match="No space left"), begun(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_transcript_that_does_not_fit_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.kontor"
    write_transcript(path, [TermsRecord(TERMS, SIGNATURES)])
    before = path.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kontor_games.net.record.chain_records.os.fsync", full)
    with pytest.raises(StoreError, match=r"match\.kontor: No space left"):
        write_transcript(path, [TermsRecord(TERMS, SIGNATURES), TermsRecord(TERMS, SIGNATURES)])
    assert [file.name for file in tmp_path.iterdir()] == ["match.kontor"] and path.read_bytes() == before


# ---- damage found on resume


def signed_twice(folder: Path) -> MatchFiles:
    """A match with two messages of ours, the second of which is the newest in both places."""
    with begun(folder) as (match, files):
        for effect in (Journal(word(1, 1)), pledge(1), Journal(word(2, 1)), pledge(2, word(1))):
            match.write(effect)
        assert match.take_confirmed() == [1, 2]
    return files


def resumed(files: MatchFiles) -> Any:
    match, found = MatchDisk.resume(files.journal, identity(0).key)
    match.close()
    return found


def spoil(path: Path, offset: int, length: int = 4) -> None:
    data = bytearray(path.read_bytes())
    for at in range(offset, offset + length):
        data[at] ^= 0x55
    path.write_bytes(data)


def test_a_damaged_last_record_costs_nothing_of_ours(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    whole = files.journal.read_bytes()
    spoil(files.journal, len(whole) - 10)
    found = resumed(files)
    assert [signed.raw for signed in found.messages] == [word(1, 1).raw, word(1).raw, word(2, 1).raw]
    assert found.doubt is None and word(2) in found.words
    assert (tmp_path / f"{files.journal.name}.damaged").read_bytes(), "what was cut off is kept"
    assert resumed(files).messages == found.messages, "the journal is whole again"


def test_a_last_record_of_zeros_is_damage_too(tmp_path: Path) -> None:
    """Power failed when the file had grown and half of the record was not there yet."""
    files = signed_twice(tmp_path)
    whole = files.journal.read_bytes()
    files.journal.write_bytes(whole[:-40] + bytes(40))
    found = resumed(files)
    assert len(found.messages) == 3 and found.doubt is None and word(2) in found.words


def test_damage_in_the_middle_costs_what_follows_and_our_own_words_come_from_the_second_place(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    spoil(files.journal, files.journal.read_bytes().index(word(1, 1).raw))
    found = resumed(files)
    assert found.messages == [] and found.words == (word(1), word(2)) and found.doubt is None


def test_a_journal_without_its_terms_is_not_taken_up(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    spoil(files.journal, 60)
    with pytest.raises(StoreError):
        MatchDisk.resume(files.journal, identity(0).key)


def newest_slot(path: Path) -> int:
    """The offset of the slot that was written last."""
    data = path.read_bytes()
    numbers = [int.from_bytes(data[at + 16 : at + 24], "big") for at in (0, SLOT)]
    return SLOT if numbers[1] > numbers[0] else 0


def test_killed_while_the_second_place_was_written_all_is_well(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    spoil(files.signed, newest_slot(files.signed) + 30)
    assert resumed(files).doubt is None, "the journal has the message that was being written"


def test_the_second_place_and_the_journals_tail_damaged_nobody_can_say_what_was_signed(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    spoil(files.signed, newest_slot(files.signed) + 30)
    spoil(files.journal, len(files.journal.read_bytes()) - 10)
    assert resumed(files).doubt is not None


def sign_and_lose_it_in_both_places(files: MatchFiles) -> None:
    match, _ = MatchDisk.resume(files.journal, identity(0).key)
    match.write(pledge(3, word(1), word(2)))
    assert match.take_confirmed() == [3]
    match.close()
    spoil(files.signed, newest_slot(files.signed) + 30)
    spoil(files.journal, len(files.journal.read_bytes()) - 10)


def test_a_slot_damaged_before_does_not_hide_a_message_that_is_lost_later(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    spoil(files.signed, newest_slot(files.signed) + 30)
    sign_and_lose_it_in_both_places(files)
    assert resumed(files).doubt is not None


def test_a_power_cut_between_the_two_places_does_not_hide_a_message_that_is_lost_later(
    tmp_path: Path, disk: BrokenDisk
) -> None:
    with begun(tmp_path) as (match, files):
        match.write(pledge(1))
        match._journal.append(word(2), sync=True)  # then the power failed
    sign_and_lose_it_in_both_places(files)
    assert resumed(files).doubt is not None


def test_a_start_on_a_full_disk_brings_the_second_place_up_to_date_before_anything_else(
    tmp_path: Path, disk: BrokenDisk
) -> None:
    files = signed_twice(tmp_path)
    spoil(files.signed, newest_slot(files.signed) + 30)
    disk.reason = errno.ENOSPC
    match, found = MatchDisk.resume(files.journal, identity(0).key)
    assert found.doubt is None and match.trouble
    match.write(pledge(3, word(1), word(2)))
    assert match.take_confirmed() == []
    disk.reason = 0
    match.retry()
    assert match.trouble is None and match.take_confirmed() == [3]
    match.close()
    with files.signed.open("rb", buffering=0) as file:
        slots = [own_words._read(file, at) for at in (0, SLOT)]
    assert sorted(len(slot[1]) for slot in slots if slot is not None) == [2, 3]


def test_both_slots_damaged_nobody_can_say_what_was_signed(tmp_path: Path) -> None:
    files = signed_twice(tmp_path)
    for slot in (0, SLOT):
        spoil(files.signed, slot + 30)
    assert resumed(files).doubt is not None


@pytest.mark.parametrize("name", ["older", "newer"])
def test_any_bytes_of_the_second_place_are_read_or_refused(tmp_path: Path, name: str) -> None:
    files = signed_twice(tmp_path)
    whole = files.signed.read_bytes()
    slot = newest_slot(files.signed)
    start = slot if name == "newer" else SLOT - slot
    length = HEADER + int.from_bytes(whole[start + 24 : start + 28], "big")
    for offset in range(start, start + length):
        spoil(files.signed, offset, 1)
        words, copy = OwnWords.resume(files.signed)
        words.close()
        assert copy.slots == 1
        files.signed.write_bytes(whole)


def test_a_match_begun_before_there_was_a_second_place_gets_one_and_a_later_one_is_doubted_without(
    tmp_path: Path,
) -> None:
    files = signed_twice(tmp_path)
    files.signed.unlink()
    found = resumed(files)
    assert files.signed.exists()
    assert (found.doubt is None) == (b"version\x01" in found.terms)


def test_a_copy_with_nothing_missing_is_believed() -> None:
    assert Copy((word(1),)).why_doubt([word(1)]) is None
    assert Copy((word(1),), slots=1).why_doubt([word(1), word(2)]) is None
    assert Copy((word(1),), slots=1).why_doubt([word(1)]) is not None
    assert Copy((word(1),), slots=1).why_doubt([word(2)]) is not None


# ---- the secret


def test_a_secret_is_made_once_and_never_by_looking_for_it(tmp_path: Path) -> None:
    path = tmp_path / "match.secret"
    assert load_secret(path) is None and not path.exists()
    secret = make_secret(path)
    assert path.stat().st_mode & 0o777 == 0o600 and load_secret(path) == secret
    with pytest.raises(StoreError):
        make_secret(path)
    path.write_bytes(secret[:31])
    assert load_secret(path) is None, "half a secret is not a secret"
