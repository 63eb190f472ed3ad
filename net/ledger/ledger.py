"""The ledger: the public course of one match — chain, sealed cards, engine — as everybody computes it.

Players, spectators and the verifier run the same code. It takes messages whose signatures hold, in any order that
the chain allows, and returns what followed. Where peers are, who is late, what to send: that is the session's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Raw

from kontor_games import engine
from kontor_games.engine import Action, GameState, Left, Result
from kontor_games.engine.core.chance import Chance, Rolled
from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import IllegalAction, LocalError, MalformedAction
from kontor_games.net.sealed import bodies, events
from kontor_games.net.sealed.bodies import Cheat
from kontor_games.net.sealed.checks import Verdict
from kontor_games.net.sealed.entries import NO_STATE, Entries
from kontor_games.net.sealed.openings import checked_openings
from kontor_games.net.sealed.player import Player
from kontor_games.net.sealed.table import Table
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, match_id, parts
from kontor_games.net.wire.match_talk import Item, Signed
from kontor_games.net.wire.terms import decode_terms

from .facts import Differs, Fact, Fault, Grown, Missing, Ply, Refused, two_frames
from .turn import Turn, played, work_out

MAX_REMEMBERED = 64  # signed messages per peer that are not part of the chain yet
EARLY = 8  # of them, those under tips not reached yet


Place: TypeAlias = Literal["now", "late", "early"]


class RightFrame(NamedTuple):
    """What a frame that is right at its place comes to."""

    turn: Turn
    openings: list[Verdict]


class Ledger:
    """One match from its terms on; `me` and `secret` are None for spectators and verifiers."""

    def __init__(
        self, terms_raw: bytes, me: int | None = None, secret: bytes | None = None, inline: bool = False
    ) -> None:
        self.terms_raw = terms_raw
        self.terms = decode_terms(terms_raw)
        self.match = match_id(terms_raw)
        self.game = engine.load(self.terms.game)
        self.me = me
        self._secret = secret
        self._inline = inline
        seat_peer = tuple(seat.peer for seat in self.terms.seats)
        self.table = Table(self.match, len(self.terms.peers), seat_peer, self.terms.recovery)
        restarts = int(self.terms.version) > 1
        self.entries = Entries(self.table, self.match, me, inline, restarts)
        self.player = None if me is None or secret is None else Player(self.table, me, secret)
        self.first: GameState | None = None  # as the set-up left it
        self.state: GameState | None = None
        self.ply = 0
        self.items: list[Item] = []
        self.stand_in_since: int | None = None
        self.forfeit: int | None = None  # the peer that left a match of two in order
        self._tips: dict[bytes, int] = {self.match: 0}
        self._remembered: dict[bytes, Signed] = {}
        self._early_left: list[Left] = []
        self._drafted: Turn | None = None  # what `draft` worked out last
        self._judged: tuple[GameState | None, Result | None, int | None] = (None, None, None)  # see `_standing`

    # ---- where the match stands

    @property
    def tip(self) -> bytes:
        return self.entries.tip

    @property
    def digest(self) -> bytes:
        return self.entries.digest

    @property
    def position(self) -> int:
        return len(self.items)

    @property
    def active(self) -> tuple[int, ...]:
        """The peers still at the table."""
        return self.table.active

    def seat_peer(self, seat: int) -> int | None:
        """The peer that plays a seat, None if there is no such seat."""
        return self.terms.seats[seat].peer if seat < len(self.terms.seats) else None

    @property
    def _standing(self) -> tuple[GameState | None, Result | None, int | None]:
        """The state, its result, and who is to act in it: asked often, worked out once."""
        if self._judged[0] is not self.state and self.state is not None:
            self._judged = self.state, self.game.result(self.state), engine.to_act(self.game, self.state)
        return self._judged

    @property
    def result(self) -> Result | None:
        return self._standing[1]

    @property
    def turn(self) -> int | None:
        """The seat whose player is to act now; None while chance works, before the set-up and after the end."""
        state, result, turn = self._standing
        if state is None or result is not None or self.forfeit is not None or self.entries.busy:
            return None
        return None if turn is None or turn < 0 else turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or has nobody left to play it with."""
        return self.forfeit is not None or self.result is not None

    @property
    def is_complete(self) -> bool:
        """Whether the keys are opened too, so that nothing but final signatures can follow."""
        return self.is_over and bool(self.table.final)

    @property
    def how_ended(self) -> str:
        """A word for the way the match went: played, stand-in, forfeit, unfinished."""
        if self.forfeit is not None:
            return "forfeit"
        if self.result is None:
            return "unfinished"
        return "played" if self.stand_in_since is None else "stand-in"

    def known(self, seat: int) -> engine.Known:
        """What this node knows of a seat's hidden cards: nothing unless the seat is its own."""
        return {} if self.player is None else self.player.known(seat)

    def state_bytes(self) -> bytes:
        """The canonical bytes of the state, empty before the set-up."""
        return b"" if self.state is None else canonical(self.state)

    def held(self) -> list[Signed]:
        """Everything this node holds for the open entry and its votes."""
        found = (self._remembered.get(raw) for raw in self.entries.open_messages())
        return [signed for signed in found if signed is not None]

    def grounds(self, message: DealerMessage) -> list[Signed]:
        """What others have said that this message of ours rests on.

        Shares for the departed rest on the votes and on all that these name, anything else on what this node has found
        good of the open entry.
        """
        is_shares = isinstance(bodies.decode(message.p, bytes(message.b)), bodies.Giv)
        raws = self.entries.open_messages() if is_shares else self.entries.judged_messages()
        found = (self._remembered.get(raw) for raw in raws)
        return [signed for signed in found if signed is not None and signed.peer != self.me]

    def named_in(self, vote: DealerMessage) -> list[Signed]:
        """The messages that a vote of ours names."""
        body = bodies.decode(vote.p, bytes(vote.b))
        hashes = body.f if isinstance(body, bodies.Gon) else ()
        found = (self.find(digest) for digest in hashes if digest is not None)
        return [signed for signed in found if signed is not None]

    def is_our_key(self) -> bool:
        """Whether the table secret at hand is the one behind the keys that this node has signed here, if it has any."""
        if self.player is None or self.me is None:
            return False
        keys = self.table.peers.keys.get(self.me)
        if keys is None:
            own = (s for s in self.held() if s.peer == self.me)
            said = (bodies.decode(s.peer, bytes(decode(DealerMessage, s.raw).b)) for s in own)
            shown = next((body for body in said if isinstance(body, bodies.Key)), None)
            return shown is None or self.player.keys == (shown.Y, shown.T)
        return keys == self.player.keys

    def find(self, message_hash: bytes) -> Signed | None:
        """A dealer message by its hash."""
        raw = self.entries.held(message_hash)
        return None if raw is None else self._remembered.get(raw) or self._in_chain(raw)

    def _in_chain(self, raw: bytes) -> Signed | None:
        return next((part for item in reversed(self.items) for part in item.parts if part.raw == raw), None)

    def has(self, signed: Signed) -> bool:
        """Whether this very message is part of the chain's last items or held for the open entry."""
        held = signed.kind == "dealer" and self.entries.is_known(H("msg", signed.raw, size=32))
        return held or any(signed in item.parts for item in self.items[-4:])

    def _is_held(self, raw: bytes) -> bool:
        return self.entries.held(H("msg", raw, size=32)) is not None

    def position_of(self, tip: bytes) -> int | None:
        """How many items the chain had at this tip, None if it never was our tip."""
        return self._tips.get(tip)

    def tip_at(self, position: int) -> bytes:
        """The last tip that the chain had with so many items."""
        return next(tip for tip, length in reversed(self._tips.items()) if length == position)

    def tips_after(self, position: int) -> set[bytes]:
        """The tips that the chain has had behind the item at this position."""
        return {tip for tip, length in self._tips.items() if length > position}

    def is_before(self, tip: bytes, other: bytes) -> bool:
        """Whether our chain had this tip before the other one."""
        here, there = self._tips.get(tip), self._tips.get(other)
        return here is not None and there is not None and here < there

    def place(self, tip: bytes) -> Place:
        """Whether a message under this tip is for now, for later, or for an item we have."""
        if tip == self.tip:
            return "now"
        return "late" if tip in self._tips else "early"

    # ---- dealer messages

    def take_dealer(self, signed: Signed, message: DealerMessage, trusted: bool = False) -> list[Fact]:
        """A dealer message whose signature holds; `trusted`: its proofs were checked before."""
        self._remember(signed)
        return self._follow(self.entries.receive(message, signed.raw, own=trusted or signed.peer == self.me))

    def jobs(self) -> Iterator[events.Job]:
        """Heavy checks to be run by a worker."""
        return self.entries.jobs()

    def finished(self, job: events.Job, outcome: Verdict | Cheat) -> list[Fact]:
        """A worker has run this check."""
        return self._follow(self.entries.finished(job, outcome))

    def due(self) -> list[events.Duty]:
        """What this node has to make, sign and send now."""
        return [] if self.player is None else self.entries.due(self.player)

    def ahead(self) -> events.Ahead | None:
        """What this node may make already, because it will most likely be due."""
        return None if self.player is None else self.entries.ahead(self.player)

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

    # ---- frames

    def why_not_turn(self, actions: Sequence[Action]) -> str | None:
        """Why this node may not send these actions as one frame now, or None."""
        try:
            self.draft(actions)
        except (IllegalAction, MalformedAction) as error:
            return str(error)
        return None

    def draft(self, actions: Sequence[Action]) -> Turn:
        """These actions worked out as one frame of this node; raises IllegalAction with what forbids them."""
        seat = self.turn
        if seat is None or self.state is None:
            raise IllegalAction("it is nobody's turn now")
        if self.seat_peer(seat) != self.me:
            raise IllegalAction(f"it is {self.terms.seats[seat].name}'s turn")
        if not actions:
            raise IllegalAction("there is nothing to send")
        raws = parts(actions)
        if self._drafted is None or self._drafted.before is not self.state or self._drafted.raws != raws:
            self._drafted = work_out(self.game, self.state, seat, raws, self.ply, self.me, self.why_not_shown)
        return self._drafted

    def why_not_shown(self, state: GameState, action: Action) -> str | None:
        """Why this node may not play a legal `action` because of the hidden cards in it, or None."""
        known = self.known(action.seat)
        if self.game.why_not_hidden is not None and (reason := self.game.why_not_hidden(state, action, known)):
            return reason
        for slot, face in self.game.opens(state, action):
            if known.get(slot, state.desk.face(slot)) != face:
                return f"slot {slot} is not card {face}, or not yours to show"
        return None

    def frame(self, turn: Turn) -> Frame:
        """The frame to sign for a turn of this node."""
        assert self.player is not None
        openings = []
        for shown in turn.shown:
            opening = self.player.open(shown.r, [slot for slot, _ in shown.pairs])
            openings.append(None if opening is None else Raw(bodies.encode(opening)))
        u = parts(openings) if openings else None
        return Frame(self.match, turn.seat, self.tip, self.ply, self.digest, turn.raws, u)

    def take_frame(self, signed: Signed, frame: Frame, trusted: bool = False, turn: Turn | None = None) -> list[Fact]:
        """A frame whose signature holds: applied wholly, or refused with nothing changed.

        Session, spectator and verifier take frames here and nowhere else. `turn` is what this node itself worked out
        to make the frame.
        """
        judged = self.judge_frame(signed, frame, trusted, turn)
        if not isinstance(judged, RightFrame):
            return judged
        self.table.commit_openings(judged.openings)
        self.state = judged.turn.after
        self.ply += len(judged.turn.plies)
        self.entries.framed(signed.raw)
        return [*judged.turn.plies, self._grow(Item("frame", (signed,)), self.tip), *self._settle()]

    def judge_frame(
        self, signed: Signed, frame: Frame, trusted: bool = False, turn: Turn | None = None
    ) -> RightFrame | list[Fact]:
        """Whether a frame is right here, without taking it; else what speaks against it, or nothing if it must wait.

        What was signed for another match or another tip says nothing about its author's play in this one, so it is
        refused and nobody is at fault.
        """
        reason = self._why_not_here(signed, frame)
        if reason:
            return [Refused(reason)]
        if frame.d != self.digest:
            return [Differs(signed.peer, frame.h, frame.d)]
        if self.turn != frame.s or self.state is None:
            return [self._fault(signed, "rule", f"seat {frame.s} is not to act")]
        if frame.n != self.ply:
            return [self._fault(signed, "frame.form", f"ply {frame.n}, not {self.ply}")]
        if self.entries.why_not_frame(signed.raw):
            return []
        try:
            if turn is None or turn.before is not self.state:
                turn = work_out(self.game, self.state, frame.s, frame.a, self.ply, signed.peer)
            openings = self._openings(turn, frame, signed.peer, trusted) if turn.shown or frame.u else []
        except (MalformedAction, IllegalAction) as error:
            return [self._fault(signed, "rule", str(error))]
        except Cheat as cheat:
            return [self._fault(signed, cheat.code, str(cheat))]
        return RightFrame(turn, openings)

    def _why_not_here(self, signed: Signed, frame: Frame) -> str | None:
        """Why a frame is not meant for this place of this match, or None."""
        if frame.m != self.match:
            return "a frame of another match"
        if frame.h != self.tip:
            return f"the chain is at {self.tip.hex()[:12]}, the frame is for {frame.h.hex()[:12]}"
        if self.seat_peer(frame.s) != signed.peer:
            return f"seat {frame.s} is not played by peer {signed.peer}"
        return None

    def _openings(self, turn: Turn, frame: Frame, author: int, trusted: bool) -> list[Verdict]:
        """The checked openings of the cards that a turn shows."""
        claims = [(shown.r, shown.pairs) for shown in turn.shown]
        return checked_openings(self.table, author, frame.s, claims, [bytes(raw) for raw in frame.u or ()], trusted)

    def fork(self, signed: Signed, frame: Frame) -> Fault | None:
        """The fault that a late frame proves together with the one that the chain has in its place, if it does."""
        position = self._tips.get(frame.h)
        if position is None or position >= len(self.items):
            return None
        item = self.items[position]
        return two_frames(item.parts[0], signed) if item.kind == "frame" else None

    # ---- what follows

    def _follow(self, happened: Sequence[events.Event]) -> list[Fact]:
        facts: list[Fact] = []
        for event in happened:
            match event:
                case events.Closed():
                    facts += self._closed(event)
                case events.Blamed(peer=peer, code=code, raws=raws):
                    evidence = tuple(s for raw in raws if (s := self._remembered.get(raw) or self._in_chain(raw)))
                    facts.append(Fault(peer, code, f"dealer message refused: {code}", evidence))
                case events.Diverged(peer=peer, raw=raw):
                    message = decode(DealerMessage, raw)
                    facts.append(Differs(peer, message.h, message.d))
                case events.Missing(hashes=hashes):
                    facts.append(Missing(hashes))
        return facts

    def _closed(self, entry: events.Closed) -> list[Fact]:
        chance = entry.chance
        facts: list[Fact] = []
        if isinstance(chance, Rolled) and chance.r == 0:
            self.state = self.first = self.game.begin(dict(self.terms.options), len(self.terms.seats), chance.value)
            for left in self._early_left:
                facts.append(self._apply(left))
        elif chance is not None and not (isinstance(chance, Left) and self.is_over):  # then there is no seat to play
            if isinstance(chance, Left):
                self._departed(chance)
            if self.state is None:
                assert isinstance(chance, Left)
                self._early_left.append(chance)
            else:
                facts.append(self._apply(chance))
        if entry.raws:
            facts.append(self._grow(Item("entry", tuple(self._remembered[raw] for raw in entry.raws)), entry.tip))
        else:  # nobody is left who owes anything for it: it follows by itself, and nothing is there to record
            self._tips[entry.tip] = len(self.items)
        return [*facts, *self._settle()] if chance is not None else facts

    def _departed(self, left: Left) -> None:
        if self.stand_in_since is None:
            self.stand_in_since = self.ply
        if len(self.active) == 1:
            self.forfeit = next(self.terms.seats[seat].peer for seat in left.seats)

    def _apply(self, action: Action | Chance) -> Ply:
        assert self.state is not None
        reason = engine.why_not(self.game, self.state, action)
        if reason:
            raise LocalError(f"ply {self.ply}: the engine refuses {action}: {reason}")
        self.state, ply = played(self.game, self.state, action, self.ply)
        self.ply += 1
        return ply

    def _grow(self, item: Item, tip: bytes) -> Grown:
        self.items.append(item)
        self._tips[tip] = len(self.items)
        for part in item.parts:
            self._remembered.pop(part.raw, None)
        return Grown(len(self.items) - 1, item)

    def _settle(self) -> list[Fact]:
        """Let stand-ins play, then tell the dealer what the engine waits for."""
        facts: list[Fact] = list(self._stand_ins()) if self.state is not None and self.state.desk.gone else []
        if self.state is None:
            return [*facts, *self._follow(self.entries.settle(NO_STATE))]
        digest = engine.digest(self.state)
        if self.is_over:
            return [*facts, *self._follow(self.entries.settle(digest, over=True))]
        turn = self._standing[2]
        awaits = None if turn is None or turn < 0 else self.seat_peer(turn)
        return [*facts, *self._follow(self.entries.settle(digest, self.state.desk.want, awaits))]

    def _stand_ins(self) -> Iterator[Ply]:
        while self.state is not None and not self.is_over:
            turn = self._standing[2]
            if turn is None or turn < 0 or turn not in self.state.desk.gone:
                return
            yield self._apply(self.game.stand_in(self.state))

    def _fault(self, signed: Signed, code: str, detail: str) -> Fault:
        self.entries.banned.setdefault(signed.peer, code)
        return Fault(signed.peer, code, detail, (signed,))

    def _remember(self, signed: Signed) -> None:
        """Keep the signature; of one peer's messages that came too early or fit nowhere, only the newest."""
        theirs = [raw for raw, other in self._remembered.items() if other.peer == signed.peer]
        if len(theirs) >= MAX_REMEMBERED:
            for raw in [raw for raw in theirs if not self._is_held(raw)][:-EARLY]:
                del self._remembered[raw]
        self._remembered[signed.raw] = signed

    # ---- going back

    def rebuilt(
        self, length: int | None = None, banned: Mapping[int, str] | None = None, without: Item | None = None
    ) -> Ledger:
        """A fresh ledger from the first `length` items of this chain and what is held for the open entry.

        Of the items after them it keeps the dealer messages, which nobody may sign differently. Those of cheats (by
        peer, with their fault) come first: the entry has them then, and is not closed with them. An item `without`
        which to go on is not taken again. Nothing that is kept closes anything before `go_on`: what the caller follows
        comes first.
        """
        fresh = Ledger(self.terms_raw, self.me, self._secret, self._inline)
        for item in self.items[:length]:
            fresh.take_item(item, trusted=True)
        dropped = (
            []
            if length is None
            else [item for item in self.items[length:] if item.kind == "entry" and item is not without]
        )
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
        return fresh

    def go_on(self) -> list[Fact]:
        """A ledger that was rebuilt moves on, by what it holds."""
        return self._follow(self.entries.go_on())

    def take_item(self, item: Item, trusted: bool = False) -> list[Fact]:
        """All messages of an item in order; signatures are the caller's business."""
        self.follow(item)
        return [fact for part in item.parts for fact in self.take(part, trusted)]

    def take(self, signed: Signed, trusted: bool = False) -> list[Fact]:
        """One message of the chain."""
        if signed.kind == "frame":
            return self.take_frame(signed, decode(Frame, signed.raw), trusted)
        return self.take_dealer(signed, decode(DealerMessage, signed.raw), trusted)


def names_of(ledger: Ledger, peer: int) -> str:
    """Who plays at a peer."""
    return ", ".join(seat.name for seat in ledger.terms.seats if seat.peer == peer)
