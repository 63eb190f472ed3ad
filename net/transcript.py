"""The `.kontor` file: a match as records, written as it goes, read strictly and within bounds.

    file   = magic, record*
    record = 4-byte length, 4-byte check of the length, 8-byte check of the payload, payload
    payload = msgpack array: a kind and its parts (see the classes below)

The check of the length tells a torn tail (a process was killed while it wrote) from damage: only a
tail whose header is sound or incomplete is cut off on resume.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias

import msgspec
from msgspec import Meta

from engine.errors import StoreError

from . import filelock
from .chain import PeerIndex
from .talk import Kind

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
    """The signed messages of a chance entry, and the chance action that follows from them (empty: none)."""

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


class Unreadable(StoreError):
    """A file that is no transcript, or is damaged; the text names the place."""


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
    """The records of a file in order, the last of them perhaps `Torn`; raises Unreadable at the first damage."""
    found = file.read(len(MAGIC))
    if found != MAGIC:
        if MAGIC.startswith(found):
            raise Unreadable("byte 0: the file ends within its first line; no match was begun")
        raise Unreadable(f"byte 0: no Kontor match file (it begins with {found[:16]!r})")
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
            raise Unreadable(f"{place}: the header is damaged")
        length = int.from_bytes(header[:4], "big")
        if length > MAX_RECORD:
            raise Unreadable(f"{place}: a record has at most {MAX_RECORD} bytes, not {length}")
        payload = file.read(length)
        if len(payload) < length:
            yield Torn(offset, HEADER + len(payload))
            return
        if header[8:] != _check(payload, 8):
            raise Unreadable(f"{place}: the contents are damaged (their check differs)")
        yield Placed(number, offset, _decode(payload, place))
        offset += HEADER + length
        number += 1
        if offset > MAX_FILE:
            raise Unreadable(f"{place}: a match file has at most {MAX_FILE} bytes")
        if number > MAX_RECORDS:
            raise Unreadable(f"{place}: a match file has at most {MAX_RECORDS} records")


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
        raise Unreadable(f"{place}: {error}") from None
    if _encode(record) != payload:
        raise Unreadable(f"{place}: not in the one encoding that a record has")
    return record


def open_file(path: Path) -> BinaryIO:
    """Open a transcript for reading; refuses what is no plain file, or too large."""
    try:
        if not path.is_file():
            raise Unreadable("no such file" if not path.exists() else "not a plain file")
        if path.stat().st_size > MAX_FILE:
            raise Unreadable(f"a match file has at most {MAX_FILE} bytes, not {path.stat().st_size}")
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise Unreadable(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from None


class Writer:
    """Appends records to one file, which it alone may write while it is open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    @classmethod
    def create(cls, path: Path) -> Writer:
        """A new file with nothing but the magic; raises StoreError if there is one already."""
        try:
            file = path.open("xb", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: cannot be created: {error.strerror}") from None
        writer = cls(file)
        writer._lock(path)
        writer._write(MAGIC, durable=False)
        return writer

    @classmethod
    def resume(cls, path: Path) -> tuple[Writer, list[Placed], int]:
        """Open a file to go on; cuts off a torn tail. Returns the records and how many bytes were cut."""
        open_file(path).close()
        try:
            file = path.open("r+b", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: cannot be opened: {error.strerror}") from None
        writer = cls(file)
        try:
            writer._lock(path)
            records: list[Placed] = []
            cut = 0
            with path.open("rb") as reader:
                for item in read(reader):
                    if isinstance(item, Torn):
                        cut = item.size
                        file.truncate(item.offset)
                    else:
                        records.append(item)
            file.seek(0, os.SEEK_END)
        except BaseException:
            writer.close()
            raise
        return writer, records, cut

    def append(self, record: Record, durable: bool = False) -> None:
        """Write one record with one call; `durable` waits until it is on the disk."""
        self._write(pack(record), durable)

    def close(self) -> None:
        self._file.close()

    def _lock(self, path: Path) -> None:
        if not filelock.try_lock(self._file):
            raise StoreError(f"{path}: another process is playing this match")

    def _write(self, data: bytes, durable: bool) -> None:
        view = memoryview(data)
        while view:  # an unbuffered write may take less than it was given
            view = view[self._file.write(view) :]
        if durable:
            os.fsync(self._file.fileno())
