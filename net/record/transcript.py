"""The `.kontor` file: a match as records, written as it goes, read strictly and within bounds.

    file    = magic, record*
    record  = 4-byte length, 4-byte check of the length, 8-byte check of the payload, payload
    payload = msgpack array: a kind and its parts (see the classes below)

This module knows bytes and places, not matches: what records say is judged in `verify.py`.

Reading, in order: the magic; a header; its check; the bound of the length; the payload; its check; the decoder; the one
encoding that a record has; the bounds of the file. The first rule that fails ends the reading:

- torn: the file ends inside a record whose header is sound or incomplete, or in nothing but zeros. A process was killed
  or a machine lost power while it wrote. All records before it count, and resuming cuts the tail off.
- damaged: anything else. No record from there on counts, because nobody can tell where the next one begins.

Only the check of the length can tell the two apart: without it a length that was changed to a larger one would look
like a torn tail, and resuming would throw away the rest of a good file.

Writing. A `TranscriptWriter` is sure or in doubt. Sure: all bytes up to the last sync are on the disk, and those after
it are in memory too. A write or a sync that fails puts it in doubt, and it goes back to the last sync and writes again
what came after it. So a record is in the file whole or not at all, in order, and never twice. One process may have a
file open for writing: two that go on with one match would sign two different things for one place.

What an attacker would try: a length of gigabytes (bounded before anything is read), a file without an end (bounds in
bytes and records), arrays in arrays (the decoder stops), a second encoding of the same record to get two files for one
match (each record is encoded again and compared), a pipe or a device in place of a file (refused), something hidden
behind the end (nothing may follow a torn record). The checks are not signatures: they find accidents, not forgers.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

import msgspec
from msgspec import Meta

from kontor_games.engine.errors import StoreError
from kontor_games.net.system import filelock
from kontor_games.net.wire.chain import PeerIndex
from kontor_games.net.wire.match_talk import Kind

MAGIC = b"kontor match 1\r\n\x1a\n"  # the line end and ^Z show transfers that mangled the file
MAX_FILE = 64 * 1024 * 1024
MAX_RECORD = 1024 * 1024
MAX_RECORDS = 200_000
HEADER = 16

Signature = Annotated[bytes, Meta(max_length=64)]
Blob = Annotated[bytes, Meta(max_length=MAX_RECORD)]


class _Record(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of the records."""


class TermsRecord(_Record, frozen=True, tag="terms"):
    raw: Blob
    signatures: Annotated[tuple[Signature, ...], Meta(max_length=8)] = ()


class FrameRecord(_Record, frozen=True, tag="frame"):
    raw: Blob
    signature: Signature = b""


class EntryRecord(_Record, frozen=True, tag="entry"):
    """The messages of a chance entry. `action` is reserved: empty in every file that there is."""

    messages: Annotated[tuple[tuple[Blob, Signature], ...], Meta(min_length=1, max_length=64)]
    action: Blob = b""


class EndRecord(_Record, frozen=True, tag="end"):
    raw: Blob
    signatures: Annotated[tuple[Signature, ...], Meta(max_length=8)] = ()


class SignedRecord(_Record, frozen=True, tag="signed"):
    """One message as it was signed; only journals of network matches have these."""

    kind: Kind
    peer: PeerIndex
    raw: Blob
    signature: Signature


Record: TypeAlias = TermsRecord | FrameRecord | EntryRecord | EndRecord | SignedRecord
_decoder: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(Record)
_encode = msgspec.msgpack.Encoder().encode


class UnreadableFile(StoreError):
    """A file that is not a transcript, or is damaged; the text names the place."""


@dataclass(frozen=True)
class Placed:
    """A record and where it lies in the file."""

    number: int
    offset: int
    record: Record

    def __str__(self) -> str:
        return f"record {self.number} at byte {self.offset}"


@dataclass(frozen=True)
class Torn:
    """An incomplete record at the end: what a killed process leaves."""

    offset: int
    size: int


def _check(data: bytes, size: int) -> bytes:
    return blake2b(data, digest_size=size).digest()


def pack(record: Record) -> bytes:
    """A record as bytes of the file."""
    payload = _encode(record)
    if len(payload) > MAX_RECORD:
        raise StoreError(f"a record has at most {MAX_RECORD} bytes, not {len(payload)}")
    length = len(payload).to_bytes(4, "big")
    return length + _check(MAGIC + length, 4) + _check(payload, 8) + payload


def read(file: BinaryIO) -> Iterator[Placed | Torn]:
    """The records of a file in order, the last of them perhaps `Torn`; raises UnreadableFile at the first damage."""
    found = file.read(len(MAGIC))
    if found != MAGIC:
        if MAGIC.startswith(found):
            raise UnreadableFile("byte 0: the file ends within its first line; no match was begun")
        raise UnreadableFile(f"byte 0: no Kontor match file (it begins with {found[:16]!r})")
    offset = len(MAGIC)
    number = 0
    while header := file.read(HEADER):
        place = f"record {number} at byte {offset}"
        if len(header) < HEADER:
            yield Torn(offset, len(header))
            return
        if header[4:8] != _check(MAGIC + header[:4], 4):
            if not any(header) and _only_zeros(file):  # space that a crash of the machine left unwritten
                yield Torn(offset, file.tell() - offset)
                return
            raise UnreadableFile(f"{place}: the header is damaged")
        length = int.from_bytes(header[:4], "big")
        if length > MAX_RECORD:
            raise UnreadableFile(f"{place}: a record has at most {MAX_RECORD} bytes, not {length}")
        payload = file.read(length)
        if len(payload) < length:
            yield Torn(offset, HEADER + len(payload))
            return
        if header[8:] != _check(payload, 8):
            raise UnreadableFile(f"{place}: the contents are damaged (their check differs)")
        yield Placed(number, offset, _decode(payload, place))
        offset += HEADER + length
        number += 1
        if offset > MAX_FILE:
            raise UnreadableFile(f"{place}: a match file has at most {MAX_FILE} bytes")
        if number > MAX_RECORDS:
            raise UnreadableFile(f"{place}: a match file has at most {MAX_RECORDS} records")


def _only_zeros(file: BinaryIO) -> bool:
    for _ in range(MAX_RECORD // 4096):
        block = file.read(4096)
        if not block:
            return True
        if any(block):
            return False
    return False


def _decode(payload: bytes, place: str) -> Record:
    try:
        record: Record = _decoder.decode(payload)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{place}: {error}") from None
    if _encode(record) != payload:
        raise UnreadableFile(f"{place}: not in the one encoding that a record has")
    return record


def open_file(path: Path) -> BinaryIO:
    """Open a transcript for reading; refuses anything but a plain file within the bounds."""
    try:
        if path.is_dir():
            raise UnreadableFile("not a plain file but a folder; in an archive, one that cannot be looked into")
        if not path.is_file():
            raise UnreadableFile("no such file" if not path.exists() else "not a plain file")
        if path.stat().st_size > MAX_FILE:
            raise UnreadableFile(f"a match file has at most {MAX_FILE} bytes, not {path.stat().st_size}")
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from None


class TranscriptWriter:
    """Appends records to one file, which it alone may write while it is open.

    A record is in the file whole or not at all. What a failed write left is cut off before anything else is written.
    After a failed sync nothing since the last good one is believed, whatever the file shows when it is read: the
    system may have thrown it away. The file is opened anew, cut back to there, and written again from memory.
    """

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self._path = path
        self._file = file
        self._synced = size  # up to here everything is certainly on the disk
        self._since: list[bytes] = []  # what was written after that
        self._is_doubtful = False

    @classmethod
    def create(cls, path: Path) -> TranscriptWriter:
        """A new file with nothing but the magic; raises StoreError if there is one already."""
        try:
            file = path.open("xb", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: cannot be created: {error.strerror}") from None
        writer = cls(path, file, 0)
        try:
            writer._lock()
            writer._append(MAGIC, durable=False)
        except BaseException:
            writer.close()
            path.unlink(missing_ok=True)
            raise
        return writer

    @classmethod
    def resume(cls, path: Path, mend: bool = False) -> tuple[TranscriptWriter, list[Placed], int]:
        """Open a file to go on; cuts off a torn tail. Returns the records and how many bytes were cut.

        With `mend`, damage costs what comes after it instead of the whole file; a copy of that is kept beside it.
        """
        open_file(path).close()
        try:
            file = path.open("r+b", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: cannot be opened: {error.strerror}") from None
        writer = cls(path, file, 0)
        try:
            writer._lock()
            records, end = _whole(path, mend)
            size = path.stat().st_size
            if end < size:
                if mend:
                    _set_aside(path, end)
                file.truncate(end)
            file.seek(end)
            writer._synced = end
        except BaseException:
            writer.close()
            raise
        return writer, records, size - end

    def append(self, record: Record, durable: bool = False) -> None:
        """Write one record; `durable` waits until it is on the disk. After a StoreError nothing of it is there."""
        self._append(pack(record), durable)

    def close(self) -> None:
        self._file.close()

    def _lock(self) -> None:
        if not filelock.try_lock(self._file):
            raise StoreError(f"{self._path}: another process is playing this match")

    def _append(self, data: bytes, durable: bool) -> None:
        try:
            self._mend()
            self._write(data)
            if durable:
                os.fsync(self._file.fileno())
        except (OSError, ValueError) as error:
            self._is_doubtful = True
            with contextlib.suppress(OSError, ValueError, StoreError):
                self._mend()
            raise StoreError(f"{self._path.name}: {getattr(error, 'strerror', None) or error}") from None
        self._since.append(data)
        if durable:
            self._synced += sum(map(len, self._since))
            self._since.clear()

    def _mend(self) -> None:
        """After a failure: back to what is certain, then everything since then once more."""
        if not self._is_doubtful:
            return
        self._file.close()
        self._file = self._path.open("r+b", buffering=0)
        self._lock()
        self._file.truncate(self._synced)
        self._file.seek(self._synced)
        for data in self._since:
            self._write(data)
        os.fsync(self._file.fileno())
        self._synced += sum(map(len, self._since))
        self._since.clear()
        self._is_doubtful = False

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:  # an unbuffered write may take less than it was given
            view = view[self._file.write(view) :]


def _whole(path: Path, mend: bool) -> tuple[list[Placed], int]:
    """The whole records of a file, and where they end; raises UnreadableFile for damage unless it is mended."""
    records: list[Placed] = []
    end = len(MAGIC)
    with path.open("rb") as reader:
        try:
            for item in read(reader):
                if isinstance(item, Torn):
                    break
                records.append(item)
                end = reader.tell()
        except UnreadableFile:
            if not (mend and records):
                raise
    return records, end


def _set_aside(path: Path, end: int) -> None:
    """Keep what is about to be cut off, so that people can look into it; once, and as far as there is room."""
    aside = path.with_name(path.name + ".damaged")
    with contextlib.suppress(OSError), path.open("rb") as reader:
        reader.seek(end)
        rest = reader.read(MAX_FILE)
        aside.write_bytes(rest)
