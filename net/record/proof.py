"""Judging the file of a network match: signatures, chain, every deck proof, every rule, every digest, the result.

The records are terms, then frames and entries in the order of the chain, then perhaps an end. Rules in order:

1. Terms: a version that this program knows, signed by all peers, at least two of them, no name that could write a
   verdict, a game with the same rules and data here, exactly the options of that game.
2. Every frame and entry: its messages are signed by their authors, and the ledger takes them without a fault, without a
   difference in the state and without a refusal, and grows by exactly this item. The ledger is the one of the players,
   so what they would have refused is refused here: a wrong proof of the dealer, an action against the rules, a digest
   of another state, a message of another match or another tip. A record that the ledger only keeps for later does not
   follow from the chain.
3. When the match is over and all deck keys are known: once more all frames, for rules that only the owner of a card
   could check during play. `known` is what the seat held alone before the frame (docs/wire-match.md, «Verifying»).
4. The end, if there is one: it names tip, state, way of ending and result as the chain gives them, and every final
   signature that is there is right. Signatures may be missing; the verdict says whose.

Then two things are said about matches that are over. Who stayed: peers that left before the end need not sign it. And
whether it ended by one peer's word alone: see `_alone`.

What an attacker would try, and where it ends: other cards (the proofs of each shuffle and of each share, rule 2), a
move taken back (the tip of the next message, rule 2), another result (rule 4), somebody else's name or signature
(rules 1 and 2), a departure that nobody voted for (the ledger counts the votes), an end that the others never saw
(`_alone`), a match that was cut before a lost end (it is verified as far as it goes, and the verdict says so), reading
a hand before it is open (rule 3 uses only keys that the file itself has opened).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from kontor_games.engine import Action, GameState, Known
from kontor_games.engine.core.digest import canonical
from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import Differs, Fact, Fault, FrameRefused, Grown, Ply
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.turn import Forbidden, WhyNot, work_out
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.identity import verify as verify_signature
from kontor_games.net.wire.terms import TERMS_VERSION, decode_terms, why_not_authored, why_not_signed

from .chain_records import decode_end, final_mark, item_of
from .rerun import CannotJudge, Load, Refuted, game_of, judging
from .sealed_replay import SealedReplay
from .transcript import EndRecord, Placed, TermsRecord

VERSIONS = (1, TERMS_VERSION)  # of terms that this program knows
# In a name these could write a verdict of their own. The list is short and fixed, so that all verifiers agree on it.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class ProvenDeparture:
    """Peers that left for good after so many plies."""

    ply: int
    peers: tuple[int, ...]
    voters: tuple[int, ...]  # who declared them gone; nobody: they left in order
    is_late: bool = False  # the match was over already


@dataclass(frozen=True)
class Proven:
    """What the file of a network match proves; `net/record/verdict.py` says it in words."""

    ledger: Ledger
    names: tuple[str, ...]  # of the peers, as their seats are called
    departures: tuple[ProvenDeparture, ...]
    has_end: bool  # the file has its end record
    signed: tuple[int, ...]  # peers whose final signature is there
    alone: int | None  # the peer whose last word ended the match with nobody else's signature on it
    unopened: tuple[int, ...]  # peers whose deck key stays secret, so that hidden rules are unchecked

    @property
    def stayed(self) -> tuple[int, ...]:
        """Peers that were at the table until the match was over."""
        left = {p for departure in self.departures if not departure.is_late for p in departure.peers}
        return tuple(p for p in range(len(self.names)) if p not in left)

    @property
    def unsigned(self) -> tuple[int, ...]:
        """Those of them whose final signature is missing."""
        return tuple(p for p in self.stayed if p not in self.signed)

    @property
    def is_finished(self) -> bool:
        """Whether the match is over, and not only by one peer's word."""
        return self.ledger.is_over and self.alone is None


def prove(records: Sequence[Placed], load: Load) -> Proven:
    """What the records of a network match prove; raises Refuted or CannotJudge."""
    proof = SealedProof(records[0], load)
    for placed in records[1:]:
        proof.feed(placed)
    return proof.proven()


class SealedProof(SealedReplay):
    """A network match run again from its bytes, every message of which is judged."""

    def __init__(self, first: Placed, load: Load) -> None:
        _check_terms(first, load)
        super().__init__(first)
        self._records = [first]
        self._departures: list[ProvenDeparture] = []
        self._decided = 0  # how many items the chain had after the last turn or departure before the end

    def feed(self, placed: Placed) -> Sequence[Ply]:
        if self.has_end:
            raise Refuted(self.ply, placed, "nothing may follow the end")
        self._records.append(placed)
        if isinstance(placed.record, EndRecord):
            self.has_end = True
            return ()
        ledger = self.ledger
        before, ply, was_over = ledger.active, ledger.ply, ledger.is_over
        facts = _take(ledger, placed)
        gone = tuple(p for p in before if p not in ledger.active)
        item = ledger.items[-1]
        if gone:
            voters = tuple(sorted({part.peer for part in item.parts} - set(gone)))
            self._departures.append(ProvenDeparture(ply, gone, voters, was_over))
        if item.kind == "frame" or (gone and not was_over):
            self._decided = ledger.position
        return [fact for fact in facts if isinstance(fact, Ply)]

    def proven(self) -> Proven:
        """What all records so far prove together."""
        ledger, last = self.ledger, self._records[-1]
        with judging(ledger, last):
            if ledger.game.why_not_hidden is not None and ledger.is_over and not _unopened(ledger):
                _check_hidden_rules(self._records, ledger)
        signed = _check_end(ledger, last.record, last) if isinstance(last.record, EndRecord) else ()
        alone = _alone(ledger, self._decided, signed) if ledger.is_over else None
        departures = tuple(self._departures)
        return Proven(ledger, _names(ledger), departures, self.has_end, signed, alone, _unopened(ledger))


def _check_terms(first: Placed, load: Load) -> None:
    if not isinstance(first.record, TermsRecord):
        raise Refuted(0, first, "the first record must be the terms")
    raw = first.record.raw
    if (version := _version(raw)) not in VERSIONS:
        raise CannotJudge(f"terms of version {version} are not known here")
    with judging(None, first):
        terms = decode_terms(raw)
        reason = why_not_signed(raw, first.record.signatures)
        if reason:
            raise Refuted(0, first, reason)
        if len(terms.peers) < 2:
            raise Refuted(0, first, "a sealed match has at least two peers")
        if any(_STEERING.search(seat.name) for seat in terms.seats):
            raise Refuted(0, first, "a name holds a line break or another character that no table lets in")
        game, options = game_of(terms, load), dict(terms.options)
        if game.check_options(options, len(terms.seats)) != options:
            raise Refuted(0, first, "the options are not exactly those of the game")


class _Version(msgspec.Struct, frozen=True):
    version: int = VERSIONS[0]


def _version(raw: bytes) -> int:
    """The version that these terms claim; the first one if they cannot be read, which their decoder then says."""
    try:
        return msgspec.msgpack.decode(raw, type=_Version).version
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return VERSIONS[0]


def _take(ledger: Ledger, placed: Placed) -> list[Fact]:
    """One record of the chain, and all that followed from it."""
    with judging(ledger, placed):
        item = item_of(placed, ledger)
        for part in item.parts:
            reason = why_not_authored(ledger.terms, part)
            if reason:
                raise Refuted(ledger.ply, placed, reason)
        position = ledger.position
        facts = ledger.take_item(item)
    for fact in facts:
        match fact:
            case Fault():
                raise Refuted(ledger.ply, placed, f"what peer {fact.peer} signed fails ({fact.code}): {fact.detail}")
            case Differs():
                theirs = fact.theirs.hex()[:12]
                raise Refuted(ledger.ply, placed, f"peer {fact.peer} names the state {theirs}, the rules do not")
            case FrameRefused():
                raise Refuted(ledger.ply, placed, fact.reason)
    grown = [fact.item for fact in facts if isinstance(fact, Grown)]
    if grown != [item] or ledger.position != position + 1:
        raise Refuted(ledger.ply, placed, "the record does not follow from the chain before it")
    return facts


def _alone(ledger: Ledger, decided: int, signed: Sequence[int]) -> int | None:
    """The author of the last decision if no other peer has signed anything after it.

    A decision is a turn or a departure; what chance owes after it is nobody's choice. Whoever made the last one can
    make another later, and only the signatures of others on what follows tell which of the two they saw. A message for
    an entry that was open before a departure, and was finished after it, was signed under an earlier tip: it tells
    nothing.
    """
    later = [decode(DealerMessage, part.raw) for item in ledger.items[decided:] for part in item.parts]
    seen = {message.p for message in later if (ledger.position_of(message.h) or 0) >= decided}
    authors = {part.peer for part in ledger.items[decided - 1].parts} | seen | set(signed)
    return next(iter(authors)) if len(authors) == 1 else None


def _check_end(ledger: Ledger, record: EndRecord, placed: Placed) -> tuple[int, ...]:
    """The peers whose final signatures are there; each of these must fit."""
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
    signed = tuple(peer for peer, signature in enumerate(record.signatures) if signature)
    for peer in signed:
        key = ledger.terms.peers[peer].key
        if not verify_signature(key, "final", final_mark(ledger, peer), record.signatures[peer]):
            raise Refuted(ledger.ply, placed, f"the final signature of peer {peer} is wrong")
    return signed


def _check_hidden_rules(records: Sequence[Placed], whole: Ledger) -> None:
    """Rules that only the owner of a card could check during play, now that every hand can be read."""
    judge = whole.game.why_not_hidden
    assert judge is not None
    ledger, secrets = Ledger(whole.terms_raw, inline=True), whole.table.secrets()
    for placed in records[1 : len(whole.items) + 1]:
        item = item_of(placed, ledger)
        if item.kind == "frame" and ledger.state is not None:
            frame = decode(Frame, item.parts[0].raw)
            known = ledger.table.cards.read(frame.s, secrets)  # as it was before the frame
            try:
                work_out(ledger.game, ledger.state, frame.s, frame.a, ledger.ply, None, _by_hand(judge, known))
            except Forbidden as error:
                name = ledger.terms.seats[frame.s].name
                fact = f"{name} broke a rule about hidden cards: {error.reason}"
                raise Refuted(ledger.ply, placed, fact) from None
        ledger.take_item(item, trusted=True)


def _by_hand(judge: Callable[[GameState, Action, Known], str | None], known: Known) -> WhyNot:
    return lambda state, action: judge(state, action, dict(known))


def _unopened(ledger: Ledger) -> tuple[int, ...]:
    opened = ledger.table.secrets()
    return tuple(p for p in range(len(ledger.terms.peers)) if p not in opened)


def _names(ledger: Ledger) -> tuple[str, ...]:
    seats = ledger.terms.seats
    return tuple(" & ".join(seat.name for seat in seats if seat.peer == p) for p in range(len(ledger.terms.peers)))
