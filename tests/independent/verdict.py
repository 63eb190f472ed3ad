"""Judging a whole file: records, terms, chain, end, and the first line of the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kontor_games import engine

from .chain import Chain
from .errors import CannotJudge, Refuted, Unreadable
from .evidence import prove
from .group import signature_fits
from .packing import pack
from .records import EndRecord, EntryRecord, FrameRecord, LooseRecord, Record, TermsRecord, split
from .terms import read_terms

VERIFIED, REFUTED, UNREADABLE, CANNOT_JUDGE = 0, 1, 2, 3


@dataclass(frozen=True)
class Judgement:
    """What a file amounts to; `tip` is the last tip of its chain, as far as it was replayed."""

    code: int
    text: str
    tip: bytes | None = None
    note: str = ""  # what a reader should know beside the first line


def judge(data: bytes) -> Judgement:
    """Judge a file of a sealed match; never raises for what the file holds."""
    try:
        contents = split(data)
    except Unreadable as error:
        return Judgement(UNREADABLE, f"unreadable: {error}")
    found = _judge_records(contents.records)
    if contents.torn and found.code == VERIFIED:
        return Judgement(UNREADABLE, f"unreadable: the file was cut; before the cut: {found.text}", found.tip)
    return found


def _judge_records(records: Sequence[Record]) -> Judgement:
    chain: Chain | None = None
    number = 0
    try:
        first = records[0]
        if not isinstance(first, TermsRecord):
            raise Refuted("the first record is not the terms")
        terms, game = read_terms(first)
        chain = Chain(terms, game)
        loose = [record for record in records if isinstance(record, LooseRecord)]
        if loose and any(not isinstance(record, LooseRecord) for record in records[-len(loose) :]):
            raise Refuted("signed messages stand at the end only")
        signed: list[int] | None = None
        for number, record in enumerate(records[1 : len(records) - len(loose)], 1):  # noqa: B007  (named in the reason)
            if signed is not None:
                raise Refuted("something follows the end")
            match record:
                case FrameRecord():
                    chain.add_frame(record)
                case EntryRecord():
                    chain.add_entry(record)
                case EndRecord():
                    signed = _check_end(chain, record)
                case _:
                    raise Refuted("terms stand at the beginning only")
        checked = chain.hidden_rules_checked()
        if loose:
            if signed is not None:
                raise Refuted("evidence has no end")
            blamed = prove(chain, loose)
            return Judgement(VERIFIED, f"verified: proves a fault of {terms.name_of(blamed)}", chain.tip)
        note = "" if checked else "rules about hidden cards stay unchecked"
        return Judgement(VERIFIED, _verdict(chain, signed or []), chain.tip, note)
    except CannotJudge as error:
        return Judgement(CANNOT_JUDGE, f"cannot judge: {error}")
    except Exception as error:  # whatever the engine raises refutes the file too
        reason = str(error) or type(error).__name__
        return Judgement(REFUTED, f"refuted: record {number}: {reason}", None if chain is None else chain.tip)


def _check_end(chain: Chain, record: EndRecord) -> list[int]:
    """The peers whose final signatures are there; Refuted if the end is not that of the chain."""
    if not chain.over:
        raise Refuted("the file ends a match that is not over")
    result = None if chain.state is None else chain.game.result(chain.state)
    packed = b"\xc0" if result is None else engine.canonical(result)
    fields = (("h", pack(chain.tip)), ("d", pack(chain.digest)), ("how", pack(chain.how)), ("r", packed))
    if record.raw != b"\x84" + b"".join(pack(name) + value for name, value in fields):
        raise Refuted("the end is not that of the chain")
    keys = chain.terms.keys
    if len(record.signatures) != len(keys):
        raise Refuted(f"the end has {len(record.signatures)} signature fields for {len(keys)} peers")
    signed = []
    for peer, (key, signature) in enumerate(zip(keys, record.signatures, strict=True)):
        if not signature:
            continue
        raw = pack({"m": chain.terms.match_id, "p": peer, "h": chain.tip, "d": chain.digest})
        if not signature_fits("final", raw, signature, key):
            raise Refuted(f"the final signature of peer {peer} does not fit")
        signed.append(peer)
    return signed


def _verdict(chain: Chain, signed: Sequence[int]) -> str:
    name = chain.terms.name_of
    total = len(chain.terms.keys)
    if not chain.over:
        seat, owing = chain.seat_to_act(), [name(peer) for peer in chain.next_from()]
        due = chain.terms.names[seat] if seat is not None else _join(owing) or "a message of somebody who has left"
        return f"verified up to ply {chain.ply}; this file stops there (next: {due}){_departures(chain, signed)}"
    stayed = sorted(chain.stayed or ())
    authors = chain.witnesses() | set(signed)
    missing = [name(peer) for peer in stayed if peer not in signed]
    departed = len(stayed) < total
    if len(authors) == 1:
        (author,) = authors
        word = "last move" if author in stayed else "goodbye"
        text = f"verified: ended by {name(author)}'s {word} alone; nobody else signed it"
    elif departed:
        text = f"verified: finished with {len(stayed)} of {total}"
        if missing:
            text += f", signed by {len(stayed) - len(missing)} of {len(stayed)} (not by {_join(missing)})"
    elif missing:
        text = f"verified: finished, signed by {total - len(missing)} of {total} (not by {_join(missing)})"
    else:
        text = f"verified: finished, signed by all {total}"
    return text + _departures(chain, signed)


def _departures(chain: Chain, signed: Sequence[int]) -> str:
    """What the verdict says about those who left."""
    name = chain.terms.name_of
    text = ""
    too = []
    for each in chain.departures:
        who = _join([name(peer) for peer in each.peers])
        when = "after the end" if each.after_end else f"at ply {each.ply}"
        if each.voters:
            verb = "were" if len(each.peers) > 1 or " & " in who else "was"
            text += f"; {who} {verb} voted out {when} by {_join([name(peer) for peer in each.voters])}"
        else:
            text += f"; {who} left in order {when}"
        if each.forfeits:
            text += " and forfeits"
        if not each.after_end:
            too += [peer for peer in each.peers if peer in signed]
    return text + (f"; {_join([name(peer) for peer in sorted(too)])} signed the end too" if too else "")


def _join(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
