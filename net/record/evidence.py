"""Evidence of a fault: a file that convinces anybody who runs `kontor verify` on it, and nobody without cause.

It is a transcript up to the place, followed by the offending message or messages as journal records. The chain stands
still there: they are judged where the transcript ends, and none of them closes an entry or makes a turn. Every one of
them must be its signer's word in this very match and have to do with the place, and the last one must complete the
proof.
A message that cannot be read proves nothing: nobody can tell for which match it was signed. Nor does one that rests on
what another peer said in the same open entry without naming it: a shuffle on top of another's, a complaint about
another's shares. That other peer may have signed two versions and show the one that its victim never saw. Nor does a
message for an entry that was open when somebody departed: its author may have closed another departure there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kontor_games.net.ledger.facts import Fact, Fault, FrameRefused, two_frames
from kontor_games.net.ledger.frame_judge import RightFrame
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.terms import why_not_authored

from .chain_records import records_of, write_transcript
from .rerun import Refuted, judging
from .transcript import Placed, Record, SignedRecord

_COMPLAINTS = ("cmp.proof", "cmp.complaint")


def write_evidence(directory: Path, ledger: Ledger, signatures: Sequence[bytes], fault: Fault) -> Path:
    """Write the evidence file for a fault that the ledger found."""
    directory.mkdir(parents=True, exist_ok=True)
    records: list[Record] = records_of(ledger, signatures)
    held = [signed for signed in ledger.held() if signed not in fault.evidence]
    records += [SignedRecord(s.kind, s.peer, s.raw, s.sig) for s in (*held, *fault.evidence)]
    path = directory / f"fault-peer-{fault.peer}-{fault.code}-ply-{ledger.ply}.kontor"
    write_transcript(path, records)
    return path


def judge(ledger: Ledger, messages: Sequence[Placed]) -> Fault:
    """The fault that these messages prove after the chain in `ledger`; raises Refuted if they do not."""
    ledger.entries.stands_still = True
    turns: list[Signed] = []  # right at this place, and not part of the chain
    for placed in messages:
        with judging(ledger, placed):
            fault = _take(ledger, _message(ledger, placed), placed, turns)
        if fault is None:
            continue
        if placed is not messages[-1]:
            raise Refuted(ledger.ply, placed, "messages follow the one that completes the proof")
        if _rests_on_others(ledger, fault):
            raise Refuted(ledger.ply, placed, "it rests on a message of another peer, who may have signed two of them")
        return fault
    raise Refuted(ledger.ply, messages[-1], "the messages at the end prove no fault")


def _message(ledger: Ledger, placed: Placed) -> Signed:
    record = placed.record
    assert isinstance(record, SignedRecord)
    if record.kind not in ("frame", "dealer"):
        raise Refuted(ledger.ply, placed, "a message that cannot be evidence")
    signed = Signed(record.kind, record.peer, record.raw, record.signature)
    reason = why_not_authored(ledger.terms, signed)
    if reason:
        raise Refuted(ledger.ply, placed, reason)
    return signed


def _take(ledger: Ledger, signed: Signed, placed: Placed, turns: list[Signed]) -> Fault | None:
    if signed in turns or _is_in_chain(ledger, signed):
        return None
    facts: Sequence[Fact]
    if signed.kind == "frame":
        frame = decode(Frame, signed.raw)
        if frame.m != ledger.match:
            raise Refuted(ledger.ply, placed, "a message of another match")
        forks = (two_frames(turn, signed) for turn in turns)
        fork = ledger.chain.fork(signed, frame) or next((fork for fork in forks if fork is not None), None)
        if fork is not None:
            return fork
        judged = ledger.frames.judge(signed, frame)
        if isinstance(judged, RightFrame):
            turns.append(signed)
            return None
        facts = judged
    else:
        message = decode(DealerMessage, signed.raw)
        if message.m != ledger.match:
            raise Refuted(ledger.ply, placed, "a message of another match")
        facts = ledger.take_dealer(signed, message)
    for fact in facts:
        if isinstance(fact, Fault):
            return fact
        if isinstance(fact, FrameRefused):
            raise Refuted(ledger.ply, placed, fact.reason)
    if not ledger.has(signed):
        raise Refuted(ledger.ply, placed, "a message that has nothing to do with the place")
    return None


def _rests_on_others(ledger: Ledger, fault: Fault) -> bool:
    """Whether a message was judged by what others said outside the chain, which its own bytes do not name."""
    task = ledger.table.task
    return fault.code in _COMPLAINTS or (fault.code == "mix.proof" and task is not None and bool(task.order()))


def _is_in_chain(ledger: Ledger, signed: Signed) -> bool:
    return any(signed in item.parts for item in ledger.items)
