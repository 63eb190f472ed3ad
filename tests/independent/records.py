"""The outer form of a match file (docs/transcript.md, «File»): magic, then records with two checks each."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

from .errors import Unreadable
from .packing import Malformed, unpack

MAGIC = b"kontor match 1\r\n\x1a\n"
HEADER = 16
MAX_PAYLOAD = 1 << 20
MAX_FILE = 64 << 20
MAX_RECORDS = 200_000
MAX_MESSAGES = 64
MAX_SIGNATURE = 64
MAX_PEERS = 8
KINDS = ("frame", "dealer", "ack", "final", "chat")  # of loose records


@dataclass(frozen=True)
class SignedBytes:
    """Raw bytes and a signature under them, not yet verified."""

    raw: bytes
    signature: bytes


@dataclass(frozen=True)
class TermsRecord:
    """The terms and one signature for each peer."""

    raw: bytes
    signatures: tuple[bytes, ...]


@dataclass(frozen=True)
class FrameRecord:
    """One or more actions of one seat."""

    message: SignedBytes


@dataclass(frozen=True)
class EntryRecord:
    """The messages of a chance entry or of a departure."""

    messages: tuple[SignedBytes, ...]
    action: bytes = b""  # reserved: must be empty


@dataclass(frozen=True)
class EndRecord:
    """How the match ended, and the final signatures."""

    raw: bytes
    signatures: tuple[bytes, ...]


@dataclass(frozen=True)
class LooseRecord:
    """One message as it was signed (`signed` in the file), outside the chain."""

    kind: str
    peer: int
    message: SignedBytes


Record: TypeAlias = TermsRecord | FrameRecord | EntryRecord | EndRecord | LooseRecord


@dataclass(frozen=True)
class Contents:
    """All whole records of a file; `torn` if it ends inside a further one or in zeros."""

    records: tuple[Record, ...]
    torn: bool


def split(data: bytes) -> Contents:
    """The records of a file; raises Unreadable for anything that is not a match file."""
    if len(data) > MAX_FILE:
        raise Unreadable("a match file has at most 64 MiB")
    if data[: len(MAGIC)] != MAGIC:
        raise Unreadable("this is not a match file: it does not begin with the magic")
    records: list[Record] = []
    at = len(MAGIC)
    content = len(data.rstrip(b"\0"))  # nothing but zeros from here on
    torn = False
    while at < len(data):
        payload = _payload(data, at, len(records)) if at < content else None
        if payload is None:
            torn = True
            break
        if len(records) == MAX_RECORDS:
            raise Unreadable(f"a match file has at most {MAX_RECORDS} records")
        try:
            records.append(_record(unpack(payload)))
        except Malformed as error:
            raise Unreadable(f"record {len(records)} at byte {at}: {error}") from None
        at += HEADER + len(payload)
    if not records:
        raise Unreadable("the file holds not one whole record")
    return Contents(tuple(records), torn)


def _payload(data: bytes, at: int, number: int) -> bytes | None:
    """The payload of the record at byte `at`, or None if a crash cut the file there."""
    where = f"record {number} at byte {at}"
    header = data[at : at + HEADER]
    if len(header) < 8:
        return None
    if blake2b(MAGIC + header[:4], digest_size=4).digest() != header[4:8]:
        raise Unreadable(f"{where}: the header is damaged")
    length = int.from_bytes(header[:4], "big")
    if length > MAX_PAYLOAD:
        raise Unreadable(f"{where}: a payload has at most {MAX_PAYLOAD} bytes, not {length}")
    payload = data[at + HEADER : at + HEADER + length]
    if len(header) < HEADER or len(payload) < length:
        return None
    if blake2b(payload, digest_size=8).digest() != header[8:]:
        raise Unreadable(f"{where}: the payload is damaged")
    return payload


def _record(value: Any) -> Record:
    match value:
        case ["terms", bytes(raw), list(signatures)]:
            return TermsRecord(raw, _signatures(signatures))
        case ["frame", bytes(raw), signature]:
            return FrameRecord(SignedBytes(raw, _signature(signature)))
        case ["entry", list(messages), bytes(action)] if 1 <= len(messages) <= MAX_MESSAGES:
            return EntryRecord(tuple(map(_message, messages)), action)
        case ["end", bytes(raw), list(signatures)]:
            return EndRecord(raw, _signatures(signatures))
        case ["signed", str(kind), int(peer), bytes(raw), signature] if kind in KINDS and _is_peer(peer):
            return LooseRecord(kind, peer, SignedBytes(raw, _signature(signature)))
        case _:
            raise Malformed("the payload is none of the records that a match file may hold")


def _message(value: Any) -> SignedBytes:
    match value:
        case [bytes(raw), signature]:
            return SignedBytes(raw, _signature(signature))
        case _:
            raise Malformed("a message in an entry is its bytes and a signature")


def _is_peer(value: int) -> bool:
    return type(value) is int and 0 <= value < MAX_PEERS


def _signature(value: Any) -> bytes:
    if not isinstance(value, bytes) or len(value) > MAX_SIGNATURE:
        raise Malformed(f"a signature has at most {MAX_SIGNATURE} bytes")
    return value


def _signatures(values: list[Any]) -> tuple[bytes, ...]:
    if len(values) > MAX_PEERS:
        raise Malformed(f"there are at most {MAX_PEERS} signatures")
    return tuple(map(_signature, values))
