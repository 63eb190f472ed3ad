"""Judging the file of a network match: signatures, chain, every deck proof, every rule, every digest, the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import engine
from engine.core.digest import canonical
from engine.errors import KontorError, RemoteError

from .archive import decode_end, final_mark, item_of
from .chain import Frame, decode
from .facts import Differs, Fault, Grown
from .identity import verify as verify_signature
from .ledger import Ledger
from .replayer import CannotJudge, Load, game_of
from .replayer import Differs as Refuted
from .terms import decode_terms, why_not_signed
from .transcript import EndRecord, Placed, TermsRecord


@dataclass(frozen=True)
class Proven:
    """What the file of a network match proves."""

    ledger: Ledger
    is_ended: bool  # it has its end record
    unsigned: tuple[int, ...]  # peers whose final signature is missing
    unopened: tuple[int, ...]  # peers whose deck key stays secret, so that hidden rules are unchecked
    notes: tuple[str, ...]


def prove(records: Sequence[Placed], load: Load, progress: Callable[[int, int], None] | None = None) -> Proven:
    """Run the whole match again from its bytes; raises Refuted or CannotJudge."""
    ledger = _begin(records[0], load)
    end: EndRecord | None = None
    for placed in records[1:]:
        if end is not None:
            raise Refuted(ledger.ply, placed, "nothing may follow the end")
        if isinstance(placed.record, EndRecord):
            end = placed.record
        else:
            _take(ledger, placed)
        if progress:
            progress(placed.number, len(records))
    if ledger.game.why_not_hidden is not None and ledger.is_over and not _unopened(ledger):
        _check_hidden_rules(records, ledger)
    unsigned: tuple[int, ...] = tuple(ledger.active)
    if end is not None:
        unsigned = _check_end(ledger, end, records[-1])
    return Proven(ledger, end is not None, unsigned, _unopened(ledger), _notes(ledger, end is not None, unsigned))


def _begin(first: Placed, load: Load) -> Ledger:
    if not isinstance(first.record, TermsRecord):
        raise Refuted(0, first, "the first record must be the terms")
    try:
        terms = decode_terms(first.record.raw)
    except KontorError as error:
        raise Refuted(0, first, str(error)) from None
    game_of(terms, load)
    reason = why_not_signed(first.record.raw, first.record.signatures)
    if reason:
        raise Refuted(0, first, reason)
    if len(terms.peers) < 2:
        raise Refuted(0, first, "a sealed match has at least two peers")
    return Ledger(first.record.raw, inline=True)


def _take(ledger: Ledger, placed: Placed) -> None:
    try:
        item = item_of(placed, ledger)
    except (RemoteError, CannotJudge) as error:
        raise Refuted(ledger.ply, placed, str(error)) from None
    for part in item.parts:
        if part.peer >= len(ledger.terms.peers):
            raise Refuted(ledger.ply, placed, f"there is no peer {part.peer}")
        if not verify_signature(ledger.terms.peers[part.peer].key, part.kind, part.raw, part.sig):
            raise Refuted(ledger.ply, placed, f"bad signature under a {part.kind} of peer {part.peer}")
    position = ledger.position
    try:
        facts = ledger.take_item(item)
    except KontorError as error:
        raise Refuted(ledger.ply, placed, str(error)) from None
    for fact in facts:
        if isinstance(fact, Fault):
            raise Refuted(ledger.ply, placed, f"peer {fact.peer} is at fault ({fact.code}): {fact.detail}")
        if isinstance(fact, Differs):
            raise Refuted(
                ledger.ply, placed, f"peer {fact.peer} names the state {fact.theirs.hex()[:12]}, the rules do not"
            )
    grown = [fact.item for fact in facts if isinstance(fact, Grown)]
    if grown != [item] or ledger.position != position + 1:
        raise Refuted(ledger.ply, placed, "the record does not follow from the chain before it")


def _check_end(ledger: Ledger, record: EndRecord, placed: Placed) -> tuple[int, ...]:
    try:
        end = decode_end(record.raw)
    except RemoteError as error:
        raise Refuted(ledger.ply, placed, str(error)) from None
    if not ledger.is_over:
        raise Refuted(ledger.ply, placed, "the file ends the match, the rules do not")
    if (end.h, end.d) != (ledger.tip, ledger.digest):
        raise Refuted(ledger.ply, placed, "the end names another tip or state than the chain has")
    if end.how != ledger.how_ended or bytes(end.r) != canonical(ledger.result):
        raise Refuted(ledger.ply, placed, "the rules give another result than the file")
    if len(record.signatures) != len(ledger.terms.peers):
        raise Refuted(ledger.ply, placed, "one final signature, or an empty one, is needed for each peer")
    missing = []
    for peer, signature in enumerate(record.signatures):
        if not signature:
            missing.append(peer)
        elif not verify_signature(ledger.terms.peers[peer].key, "final", final_mark(ledger, peer), signature):
            raise Refuted(ledger.ply, placed, f"the final signature of peer {peer} is wrong")
    return tuple(p for p in missing if p in ledger.active)


def _check_hidden_rules(records: Sequence[Placed], whole: Ledger) -> None:
    """Rules that only the owner of a card could check during play, now that every hand can be read."""
    judge = whole.game.why_not_hidden
    assert judge is not None
    ledger, secrets = Ledger(whole.terms_raw, inline=True), whole.table.secrets()
    for placed in records[1 : len(whole.items) + 1]:
        item = item_of(placed, ledger)
        if item.kind == "frame" and ledger.state is not None:
            state, seat = ledger.state, decode(Frame, item.parts[0].raw).s
            known = ledger.table.cards.read(seat, secrets)
            for raw in decode(Frame, item.parts[0].raw).a:
                action = ledger.game.codec.decode(bytes(raw))
                assert isinstance(action, engine.Action)
                reason = judge(state, action, dict(known))
                if reason:
                    name = ledger.terms.seats[seat].name
                    raise Refuted(ledger.ply, placed, f"{name} broke a rule about hidden cards: {reason}")
                state, _ = engine.advance(ledger.game, state, action)
        ledger.take_item(item, trusted=True)


def _unopened(ledger: Ledger) -> tuple[int, ...]:
    opened = ledger.table.secrets()
    return tuple(p for p in range(len(ledger.terms.peers)) if p not in opened)


def _notes(ledger: Ledger, ended: bool, unsigned: tuple[int, ...]) -> tuple[str, ...]:
    names = {p: ", ".join(s.name for s in ledger.terms.seats if s.peer == p) for p in range(len(ledger.terms.peers))}
    notes = []
    if not ledger.is_over:
        notes.append(f"unfinished: {_waits_for(ledger, names)}")
    elif unsigned and ended:
        notes.append("without the final signature of " + "; ".join(names[p] for p in unsigned))
    if ledger.is_over and _unopened(ledger):
        notes.append("deck keys not opened: " + "; ".join(names[p] for p in _unopened(ledger)))
    if ledger.stand_in_since is not None and ledger.forfeit is None:
        notes.append(f"played with a stand-in since ply {ledger.stand_in_since}")
    if ledger.forfeit is not None:
        notes.append(f"forfeit: {names[ledger.forfeit]} left in order")
    return tuple(notes)


def _waits_for(ledger: Ledger, names: dict[int, str]) -> str:
    turn = ledger.turn
    if turn is not None:
        return f"waiting for {ledger.terms.seats[turn].name}"
    owing = [p for p in ledger.active if ledger.table.owed(p)]
    return "waiting for " + ("; ".join(names[p] for p in owing) or "the next entry")
