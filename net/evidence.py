"""Evidence of a fault: a file that convinces anybody who runs `kontor verify` on it, and nobody without cause.

It is a transcript up to the place, followed by the offending message or messages as journal records.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.errors import RemoteError

from .archive import records_of, write_transcript
from .chain import DealerMessage, Frame, decode
from .facts import Fault, two_frames
from .identity import verify
from .ledger import Ledger
from .replayer import Differs as Refuted
from .talk import Signed
from .transcript import Placed, Record, SignedRecord


def write_evidence(directory: Path, ledger: Ledger, signatures: Sequence[bytes], fault: Fault) -> Path:
    """Write the evidence file for a fault that the ledger found."""
    directory.mkdir(parents=True, exist_ok=True)
    records: list[Record] = records_of(ledger, signatures)
    held = [signed for signed in ledger.held() if signed not in fault.evidence]
    records += [SignedRecord(s.kind, s.peer, s.raw, s.sig) for s in (*held, *fault.evidence)]
    path = directory / f"fault-peer-{fault.peer}-{fault.code}-ply-{ledger.ply}.kontor"
    write_transcript(path, records)
    return path


def judge(ledger: Ledger, messages: Sequence[Placed]) -> Fault | None:
    """The fault that these messages prove after the chain in `ledger`, or None; raises Refuted for forged ones."""
    for placed in messages:
        record = placed.record
        assert isinstance(record, SignedRecord)
        if record.kind not in ("frame", "dealer") or record.peer >= len(ledger.terms.peers):
            raise Refuted(ledger.ply, placed, "no message that could be evidence")
        if not verify(ledger.terms.peers[record.peer].key, record.kind, record.raw, record.signature):
            raise Refuted(ledger.ply, placed, f"bad signature under a {record.kind} of peer {record.peer}")
        fault = _take(ledger, Signed(record.kind, record.peer, record.raw, record.signature), placed)
        if fault is not None:
            return fault
    return None


def _take(ledger: Ledger, signed: Signed, placed: Placed) -> Fault | None:
    try:
        if signed.kind == "frame":
            frame = decode(Frame, signed.raw)
            if ledger.seat_peer(frame.s) != signed.peer or frame.m != ledger.match:
                raise Refuted(ledger.ply, placed, "the message is not its signer's, or of another match")
            other = ledger.rival(signed, frame) if ledger.place(frame.h) == "late" else None
            if other is not None and decode(Frame, other.raw).d == frame.d:
                return two_frames(other, signed)
            facts = ledger.take_frame(signed, frame) if ledger.place(frame.h) == "now" else []
        else:
            message = decode(DealerMessage, signed.raw)
            if message.p != signed.peer or message.m != ledger.match:
                raise Refuted(ledger.ply, placed, "the message is not its signer's, or of another match")
            facts = ledger.take_dealer(signed, message)
    except RemoteError as error:
        return Fault(signed.peer, f"{signed.kind}.form", str(error), (signed,))
    return next((fact for fact in facts if isinstance(fact, Fault)), None)
