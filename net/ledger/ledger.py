"""The ledger: the public course of one match — chain, sealed cards, engine — as everybody computes it.

Players, spectators and the verifier run the same code. It takes messages whose signatures hold, in any order that the
chain allows, and returns what followed, as facts. Where peers are, who is late, what to send: that is the session's.

It ties together machines that do not know each other:

    chain     the items, and every tip there has been                      item_chain.py
    entries   the sealed table's half: which messages make the next entry  sealed/entries.py
    run       the engine's half: state, plies, who is to act               game_run.py
    frames    whether a frame is right at its place                        frame_judge.py
    messages  signatures under what is not in the chain yet                held_messages.py
    own       what only this node can say: its cards, duties and turns     own_side.py

The rules, in order:

1. A message goes to `entries` (dealer messages) or to `frames`, and changes nothing if it is not right.
2. What closes an entry or is a right frame makes the chain one item longer; the engine is told what it came to.
3. Then stand-ins play for those who left, and `entries` hears what the engine waits for now (`_settle`). That may close
   the next entry at once, so rules 2 and 3 repeat until nothing follows.
4. Going back (`go_back`) builds the match anew from the first items of the chain, beside the old one, and takes it
   over as a whole: if the engine refuses, nothing has changed. What was held is held again, and closes nothing before
   `go_on`, so that the caller can follow somebody else's item first.

What an attacker would try: a frame for another place or of another match (refused, nobody is blamed), one that breaks a
rule (a fault that the frame itself proves), many messages for tips that do not exist (`held_messages.py` keeps few).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from kontor_games import engine
from kontor_games.engine import Game, GameState, Result
from kontor_games.net.sealed import events
from kontor_games.net.sealed.bodies import Cheat
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.checks import Verdict
from kontor_games.net.sealed.entries import Entries
from kontor_games.net.sealed.player import Player
from kontor_games.net.sealed.position import NO_STATE
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, match_id
from kontor_games.net.wire.match_talk import Item, Signed
from kontor_games.net.wire.terms import decode_terms

from .facts import Differs, Fact, Fault, Missing
from .frame_judge import FrameJudge, RightFrame
from .game_run import GameRun
from .held_messages import HeldMessages
from .item_chain import ItemChain
from .own_side import OwnSide
from .turn import Turn

When: TypeAlias = Literal["now", "late", "early"]


class Ledger:
    """One match from its terms on; `me` and `secret` are None for spectators and verifiers."""

    def __init__(
        self, terms_raw: bytes, me: int | None = None, secret: bytes | None = None, inline: bool = False
    ) -> None:
        self.terms_raw = terms_raw
        self.terms = decode_terms(terms_raw)
        self.match = match_id(terms_raw)
        self.me = me
        self._secret = secret
        self._inline = inline
        terms, match = self.terms, self.match
        self.chain = ItemChain(match)
        self.run = GameRun(terms)
        self.table = CardTable(match, len(terms.peers), tuple(seat.peer for seat in terms.seats), terms.recovery)
        self.entries = Entries(self.table, match, me, inline, int(terms.version) > 1)
        self.player = None if me is None or secret is None else Player(self.table, me, secret)
        self.frames = FrameJudge(match, terms, self.table, self.entries, self.run)
        self.messages = HeldMessages(self.entries, self.chain)
        self.own = OwnSide(match, terms, me, self.player, self.table, self.entries, self.run, self.messages)

    # ---- where the match stands

    @property
    def game(self) -> Game[Any]:
        """The game that is played, as it is installed here."""
        return self.run.game

    @property
    def tip(self) -> bytes:
        return self.entries.tip

    @property
    def digest(self) -> bytes:
        return self.entries.digest

    @property
    def items(self) -> list[Item]:
        return self.chain.items

    @property
    def position(self) -> int:
        return len(self.chain.items)

    @property
    def active(self) -> tuple[int, ...]:
        """The peers still at the table."""
        return self.table.active

    def seat_peer(self, seat: int) -> int | None:
        """The peer that plays a seat, None if there is no such seat."""
        return self.terms.peer_of(seat)

    @property
    def state(self) -> GameState | None:
        return self.run.state

    @property
    def ply(self) -> int:
        return self.run.ply

    @property
    def result(self) -> Result | None:
        return self.run.result

    @property
    def turn(self) -> int | None:
        """The seat whose player is to act now; None while chance works, before the set-up and after the end."""
        return None if self.entries.busy else self.run.to_act

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or has nobody left to play it with."""
        return self.run.is_over

    @property
    def is_complete(self) -> bool:
        """Whether the keys are opened too, so that nothing but final signatures can follow."""
        return self.is_over and bool(self.table.final)

    @property
    def how_ended(self) -> str:
        """A word for the way the match went: played, stand-in, forfeit, unfinished."""
        return self.run.how_ended

    def known(self, seat: int) -> engine.Known:
        """What this node knows of a seat's hidden cards: nothing unless the seat is its own."""
        return self.own.known(seat)

    def state_bytes(self) -> bytes:
        """The canonical bytes of the state, empty before the set-up."""
        return self.run.state_bytes()

    def held(self) -> list[Signed]:
        """Everything this node holds for the open entry and its votes."""
        return self.messages.all()

    def has(self, signed: Signed) -> bool:
        """Whether this very message is part of the chain's last items or held for the open entry."""
        return self.messages.has(signed)

    def position_of(self, tip: bytes) -> int | None:
        """How many items the chain had at this tip, None if it never was our tip."""
        return self.chain.position_of(tip)

    def place(self, tip: bytes) -> When:
        """Whether a message under this tip is for now, for later, or for an item we have."""
        if tip == self.entries.tip:
            return "now"
        return "early" if self.chain.position_of(tip) is None else "late"

    # ---- what comes in

    def take_item(self, item: Item, trusted: bool = False) -> list[Fact]:
        """All messages of an item in order; signatures are the caller's business."""
        self.follow(item)
        return [fact for part in item.parts for fact in self.take(part, trusted)]

    def take(self, signed: Signed, trusted: bool = False) -> list[Fact]:
        """One message of the chain."""
        if signed.kind == "frame":
            return self.take_frame(signed, decode(Frame, signed.raw), trusted)
        return self.take_dealer(signed, decode(DealerMessage, signed.raw), trusted)

    def take_dealer(self, signed: Signed, message: DealerMessage, trusted: bool = False) -> list[Fact]:
        """A dealer message whose signature holds; `trusted`: its proofs were checked before."""
        self.messages.keep(signed)
        return self._follow(self.entries.receive(message, signed.raw, own=trusted or signed.peer == self.me))

    def take_frame(self, signed: Signed, frame: Frame, trusted: bool = False, turn: Turn | None = None) -> list[Fact]:
        """A frame whose signature holds: applied wholly, or refused with nothing changed.

        `turn` is what this node itself worked out to make the frame.
        """
        judged = self.frames.judge(signed, frame, trusted, turn)
        if not isinstance(judged, RightFrame):
            return judged
        self.table.commit_openings(judged.openings)
        self.run.take_turn(judged.turn)
        self.entries.framed(signed.raw)
        return [*judged.turn.plies, self._grow(Item("frame", (signed,)), self.tip), *self._settle()]

    def finished(self, job: events.CheckJob, outcome: Verdict | Cheat) -> list[Fact]:
        """A worker has run this check."""
        return self._follow(self.entries.finished(job, outcome))

    def peer_at(self, peer: int, tip: bytes) -> list[Fact]:
        """Another peer stands at this tip."""
        return self._follow(self.entries.peer_at(peer, tip))

    def follow(self, item: Item, source: int | None = None, is_passed: bool = False) -> None:
        """The chain goes on with this item, says peer `source` who has passed it on; `is_passed`: all have."""
        if item.kind == "entry":
            authors = [part.peer for part in item.parts]
            self.entries.follow([part.raw for part in item.parts], authors, source, is_passed)
        else:
            self.entries.follow_frame(item.parts[0].raw, source)

    def listen_again(self) -> list[Fact]:
        """The chain went on elsewhere with messages of peers that this node had stopped listening to."""
        return self._follow(self.entries.listen_again())

    # ---- what follows

    def _follow(self, happened: Sequence[events.Event]) -> list[Fact]:
        facts: list[Fact] = []
        for event in happened:
            match event:
                case events.EntryClosed():
                    facts += self._closed(event)
                case events.Blamed(peer=peer, code=code, raws=raws):
                    evidence = tuple(signed for raw in raws if (signed := self.messages.of(raw)))
                    facts.append(Fault(peer, code, f"dealer message refused: {code}", evidence))
                case events.DigestDiffers(peer=peer, raw=raw):
                    message = decode(DealerMessage, raw)
                    facts.append(Differs(peer, message.h, message.d))
                case events.MessagesMissing(hashes=hashes):
                    facts.append(Missing(hashes))
        return facts

    def _closed(self, entry: events.EntryClosed) -> list[Fact]:
        chance = entry.chance
        facts: list[Fact] = [] if chance is None else [*self.run.take_chance(chance, len(self.active) == 1)]
        if entry.raws:
            facts.append(self._grow(self.messages.item_of(entry.raws), entry.tip))
        else:  # nobody is left who owes anything for it: it follows by itself, and nothing is there to record
            self.chain.move(entry.tip)
        return [*facts, *self._settle()] if chance is not None else facts

    def _grow(self, item: Item, tip: bytes) -> Fact:
        self.messages.let_go(item)
        return self.chain.grow(item, tip)

    def _settle(self) -> list[Fact]:
        """Let stand-ins play, then tell the sealed table what the engine waits for."""
        run = self.run
        facts: list[Fact] = list(run.stand_ins()) if run.state is not None and run.state.desk.gone else []
        if run.state is None:
            return [*facts, *self._follow(self.entries.settle(NO_STATE))]
        digest = engine.digest(run.state)
        if run.is_over:
            return [*facts, *self._follow(self.entries.settle(digest, over=True))]
        turn = run.to_act
        awaits = None if turn is None else self.seat_peer(turn)
        return [*facts, *self._follow(self.entries.settle(digest, run.state.desk.want, awaits))]

    # ---- going back

    def go_back(
        self, length: int | None = None, banned: Mapping[int, str] | None = None, without: Item | None = None
    ) -> None:
        """Stand at the first `length` items of this chain, with what is held for the open entry.

        Of the items after them it keeps the dealer messages, which nobody may sign differently. Those of cheats (by
        peer, with their fault) come first: the entry has them then, and is not closed with them. An item `without`
        which to go on is not taken again. Nothing that is kept closes anything before `go_on`: what the caller follows
        comes first.
        """
        fresh = Ledger(self.terms_raw, self.me, self._secret, self._inline)
        for item in self.items[:length]:
            fresh.take_item(item, trusted=True)
        after = [] if length is None else self.items[length:]
        dropped = [item for item in after if item.kind == "entry" and item is not without]
        kept = [*(part for item in dropped for part in item.parts), *self.held()]
        cheats = banned or {}
        fresh.entries.stands_still = True
        for signed in kept:
            if signed.peer in cheats:
                fresh.take(signed, trusted=True)
        fresh.entries.banned.update(cheats)
        for signed in kept:
            if signed.peer not in cheats:
                fresh.take(signed, trusted=True)
        self.chain, self.run, self.table, self.entries = fresh.chain, fresh.run, fresh.table, fresh.entries
        self.player, self.frames, self.messages, self.own = fresh.player, fresh.frames, fresh.messages, fresh.own

    def go_on(self) -> list[Fact]:
        """A ledger that went back moves on, by what it holds."""
        return self._follow(self.entries.go_on())


def names_of(ledger: Ledger, peer: int) -> str:
    """Who plays at a peer."""
    return ", ".join(seat.name for seat in ledger.terms.seats if seat.peer == peer)
