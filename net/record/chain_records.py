"""Files of a network match: the journal while it is played, and the transcript that proves it afterwards.

The journal holds the terms and every message as it was signed or became part of the chain; a killed node goes
on from it. The transcript holds the same bytes in the order of the chain, and the final signatures.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.value import Bytes32
from kontor_games.engine.errors import RemoteError, StoreError
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import DealerMessage, Frame, Mark, decode, encode
from kontor_games.net.wire.match_talk import Item, Signed

from .transcript import (
    MAGIC,
    EndRecord,
    EntryRecord,
    FrameRecord,
    Placed,
    Record,
    SignedRecord,
    TermsRecord,
    TranscriptWriter,
    pack,
)

How = Annotated[str, Meta(max_length=16)]


class SealedEnd(Struct, frozen=True, forbid_unknown_fields=True):
    """How the chain ended, for readers in a hurry; everything in it follows from the chain."""

    h: Bytes32
    d: Bytes32
    how: How
    r: Raw  # the result as the engine encodes it, nil if there is none


_end_decoder = msgspec.msgpack.Decoder(SealedEnd)


def decode_end(raw: bytes) -> SealedEnd:
    """The end in `raw`; RemoteError unless it is in its one encoding."""
    try:
        end = _end_decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RemoteError(f"no end of a match: {error}") from None
    if canonical(end) != raw:
        raise RemoteError("the end is not in its canonical encoding")
    return end


class MatchJournal:
    """The journal of one match, append-only; the table secret lies beside it in a file of its own."""

    def __init__(self, writer: TranscriptWriter) -> None:
        self._writer = writer

    @classmethod
    def create(cls, path: Path, terms: bytes, signatures: Sequence[bytes]) -> MatchJournal:
        """A new journal; the terms are on the disk when this returns."""
        writer = TranscriptWriter.create(path)
        writer.append(TermsRecord(terms, tuple(signatures)), durable=True)
        return cls(writer)

    @classmethod
    def resume(cls, path: Path) -> tuple[MatchJournal, bytes, tuple[bytes, ...], list[Signed]]:
        """Go on with a journal: its terms, their signatures and all messages up to the first damage."""
        writer, records, _ = TranscriptWriter.resume(path, mend=True)
        if not records or not isinstance(records[0].record, TermsRecord):
            writer.close()
            raise StoreError(f"{path}: the journal does not begin with the terms")
        terms = records[0].record
        messages = [_signed(placed.record) for placed in records[1:] if isinstance(placed.record, SignedRecord)]
        return cls(writer), terms.raw, terms.signatures, messages

    def append(self, signed: Signed, sync: bool) -> None:
        """Write one message; with `sync` it is on the disk when this returns. StoreError: nothing of it is there."""
        self._writer.append(SignedRecord(signed.kind, signed.peer, signed.raw, signed.sig), durable=sync)

    def close(self) -> None:
        self._writer.close()


def _signed(record: SignedRecord) -> Signed:
    return Signed(record.kind, record.peer, record.raw, record.signature)


def records_of(ledger: Ledger, signatures: Sequence[bytes], finals: Mapping[int, Signed] | None = None) -> list[Record]:
    """The transcript of a match: terms, chain, and (once it is over) the end with the final signatures."""
    records: list[Record] = [TermsRecord(ledger.terms_raw, tuple(signatures))]
    records += [record_of(item) for item in ledger.items]
    if ledger.is_over and finals is not None:
        end = SealedEnd(ledger.tip, ledger.digest, ledger.how_ended, Raw(canonical(ledger.result)))
        marks = tuple(finals[p].sig if p in finals else b"" for p in range(len(ledger.terms.peers)))
        records.append(EndRecord(canonical(end), marks))
    return records


def record_of(item: Item) -> Record:
    """An item of the chain as a record."""
    if item.kind == "frame":
        return FrameRecord(item.parts[0].raw, item.parts[0].sig)
    return EntryRecord(tuple((part.raw, part.sig) for part in item.parts))


def item_of(placed: Placed, ledger: Ledger) -> Item:
    """A record as an item of the chain; the authors are those that the messages name."""
    match placed.record:
        case FrameRecord(raw=raw, signature=sig):
            author = ledger.seat_peer(decode(Frame, raw).s)
            if author is None:
                raise RemoteError("a frame of a seat that does not exist")
            return Item("frame", (Signed("frame", author, raw, sig),))
        case EntryRecord(messages=messages, action=action):
            if action:
                raise RemoteError("an entry of a sealed match stores no action: it follows from the messages")
            parts = [Signed("dealer", decode(DealerMessage, raw).p, raw, sig) for raw, sig in messages]
            return Item("entry", tuple(parts))
        case _:
            raise RemoteError("neither a frame nor an entry")


def write_transcript(path: Path, records: Sequence[Record]) -> None:
    """Write the file at once and put it in place only when it is complete."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(MAGIC)
            for record in records:
                file.write(pack(record))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise StoreError(f"{path.name}: {error.strerror}") from None


def final_mark(ledger: Ledger, peer: int) -> bytes:
    """The bytes that a peer signs under the end of the chain."""
    return encode(Mark(ledger.match, peer, ledger.tip, ledger.digest))
