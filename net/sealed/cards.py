"""Slots and faces: how a want becomes a task, how its messages become the answer, who can read what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kontor_games.engine.core.chance import Chance, Deal, Dealt, Mix, Mixed, Move, Moved, Roll, Rolled, Want
from kontor_games.engine.core.dealer import DealerError
from kontor_games.engine.core.stream import H, u32
from kontor_games.engine.core.value import Known
from kontor_games.engine.errors import KontorError, LocalError

from .algebra.group import G, Point, add, bind, face_point, h2g, mul, sub, total
from .algebra.mix import MAX_CARDS
from .bodies import Cheat, Opening
from .checks import Check, OpenGround
from .peers import Peers
from .tasks import MixPlan, MovePlan, SharePlan, Slot, Task


class Stale(LocalError):
    """The table moved on while a message was being checked; check it again."""


class UnreadableCard(KontorError):
    """A card opened to an unknown face although every proof held: a defect, not a player's fault; stop the match."""


class Cards:
    """Every slot on the table."""

    def __init__(self, peers: Peers) -> None:
        self.peers = peers
        self.slots: dict[int, Slot] = {}
        self.retired: set[int] = set()
        self.faces: dict[Point, int] = {}  # the faces in play, by point

    def plan(self, want: Want) -> Task:
        """The task that serves this want; a want that no dealer could serve is a defect of the game."""
        match want:
            case Mix():
                return self._plan_mix(want)
            case Deal():
                return self._plan_deal(want)
            case Move():
                return self._plan_move(want)
            case Roll(r=r):
                P = h2g("roll", self.peers.ctx, u32(r))
                return self._share_task(want, dict.fromkeys(self.peers.active, (P,)), ())

    def _plan_mix(self, want: Mix) -> Task:
        m = len(want.faces) + len(want.slots)
        if m > MAX_CARDS or len(want.out) != m or len({*want.slots}) != len(want.slots):
            raise DealerError(f"mix {want.r}: {m} cards into {len(want.out)} slots")
        self._fresh(want.r, want.out)
        holders = self.peers.active if want.own is None else (self.peers.seat_peer[want.own],)
        gone = want.own is not None and holders[0] not in self.peers.active
        for s in want.slots:
            slot = self._strip(want.r, s)
            if slot.holders != (() if gone else holders) or (slot.seat != want.own and not gone):
                raise DealerError(f"mix {want.r}: slot {s} is held by {slot.holders}, not {holders}")
        key = self.peers.joint(holders)
        for face in want.faces:
            self.faces[face_point(face)] = face
        inputs = [(G, add(face_point(face), key)) for face in want.faces]
        inputs += [(self.slots[s].A, self.slots[s].B) for s in want.slots]
        phases = () if gone or not m else tuple((("mix", p),) for p in holders)
        alone = None if want.own is None else holders[0]
        return Task("want", phases, want, MixPlan(holders, key, tuple(inputs)), alone=alone)

    def _plan_deal(self, want: Deal) -> Task:
        cards: list[tuple[int, Slot]] = []
        bases: dict[int, tuple[Point, ...]] = {}
        if len({s for s, _ in want.cards}) != len(want.cards) or len(want.cards) > MAX_CARDS:
            raise DealerError(f"deal {want.r}: {len(want.cards)} cards, each at most once")
        for s, seat in want.cards:
            slot = self._strip(want.r, s)
            receiver = None if seat is None or self.peers.has_left(seat) else self.peers.seat_peer[seat]
            if receiver is not None and slot.seat != seat and (slot.seat is not None or receiver not in slot.holders):
                raise DealerError(f"deal {want.r}: slot {s} is held by {slot.holders} and cannot go to seat {seat}")
            cards.append((s, slot))
            for p in slot.holders:
                if p != receiver:
                    bases[p] = (*bases.get(p, ()), slot.A)
        return self._share_task(want, bases, tuple(cards))

    def _share_task(self, want: Want, bases: dict[int, tuple[Point, ...]], cards: tuple[tuple[int, Slot], ...]) -> Task:
        owing = tuple(("shr", p) for p in sorted(bases))
        return Task("want", (owing,), want, SharePlan(tuple(sorted(bases.items())), cards))

    def _plan_move(self, want: Move) -> Task:
        self._fresh(want.r, (want.new,))
        slot = self._strip(want.r, want.slot)
        mover = self.peers.seat_peer[want.by]
        if slot.holders and not (slot.holders == (mover,) and slot.seat == want.by):
            raise DealerError(f"move {want.r}: slot {want.slot} is held by {slot.holders}, not by seat {want.by}")
        holders = self.peers.active if want.to is None else (self.peers.seat_peer[want.to],)
        phases = ((("rky", mover),),) if slot.holders else ()
        return Task("want", phases, want, MovePlan(holders, self.peers.joint(holders), slot), alone=mover)

    def _fresh(self, r: int, new: Iterable[int]) -> None:
        used = [s for s in new if s in self.slots or s in self.retired]
        if used:
            raise DealerError(f"want {r}: slots {used} were used before")

    def answer(self, task: Task) -> Chance:
        """The chance action of a complete task; slots change here and nowhere else."""
        match task.want, task.plan:
            case Mix() as want, MixPlan() as plan:
                return self._mixed(want, plan, task)
            case Deal() as want, SharePlan() as plan:
                return self._dealt(want, plan, task)
            case Move() as want, MovePlan() as plan:
                return self._moved(want, plan, task)
            case Roll(r=r), SharePlan(bases=bases):
                shares = [
                    task.got["shr", p][0] if ("shr", p) in task.got else mul(self.peers.opened[p], P)
                    for p, (P,) in bases
                ]
                return Rolled(r, H("roll-out", self.peers.ctx, u32(r), total(shares), size=32))
        raise AssertionError("a want has its plan")

    def _mixed(self, want: Mix, plan: MixPlan, task: Task) -> Mixed:
        steps = task.order()
        if want.own is not None and self.peers.has_left(
            want.own
        ):  # nobody shuffled: the order stays, the faces are public
            faces = [*want.faces, *(self._face(self.slots[s]) for s in want.slots)]
            new = [Slot(G, face_point(face), (), None, face) for face in faces]
        else:
            new = [Slot(A, B, plan.holders, want.own) for A, B in (task.got[steps[-1]] if steps else ())]
        self._retire(want.slots)
        self.slots.update(zip(want.out, new, strict=True))
        return Mixed(want.r)

    def _dealt(self, want: Deal, plan: SharePlan, task: Task) -> Dealt:
        shares = {p: list(task.got["shr", p]) for _, p in task.order()}
        new: dict[int, Slot] = {}
        for (s, slot), (_, seat) in zip(plan.cards, want.cards, strict=True):
            public = seat is None or self.peers.has_left(seat)
            keeps = None if seat is None else self.peers.seat_peer[seat]
            B = slot.B
            for p in slot.holders:
                if p != keeps:
                    B = sub(B, shares[p].pop(0) if p in shares else mul(self.peers.opened[p], slot.A))
                elif public:
                    B = sub(B, mul(self.peers.opened[p], slot.A))
            if public or keeps is None:
                new[s] = self._public(Slot(slot.A, B, ()))
            else:
                new[s] = Slot(slot.A, B, (keeps,), seat)
        self.slots.update(new)
        return Dealt(want.r, tuple((s, seat, new[s].face) for s, seat in want.cards))

    def _moved(self, want: Move, plan: MovePlan, task: Task) -> Moved:
        if self.peers.has_left(want.by) or not task.got:
            face = self._face(self._stripped(plan.source))
            new = Slot(plan.source.A, face_point(face), (), None, face)
        else:
            ((A, B),) = task.got.values()
            new = self._stripped(Slot(A, B, plan.holders, want.to))
            new = new if new.holders else self._public(new)
        if not want.keep:
            self._retire((want.slot,))
        self.slots[want.new] = new
        return Moved(want.r, new.face)

    def _retire(self, slots: Iterable[int]) -> None:
        for s in slots:
            del self.slots[s]
            self.retired.add(s)

    # --- layers

    def _strip(self, r: int, s: int) -> Slot:
        """The slot with the layers of those who left taken off for good."""
        if s not in self.slots:
            raise DealerError(f"want {r}: there is no slot {s}")
        self.slots[s] = slot = self._stripped(self.slots[s])
        return slot

    def _stripped(self, slot: Slot) -> Slot:
        B = slot.B
        gone = [p for p in slot.holders if p in self.peers.opened]
        if not gone:
            return slot
        for p in gone:
            B = sub(B, mul(self.peers.opened[p], slot.A))
        return Slot(slot.A, B, tuple(p for p in slot.holders if p not in gone), slot.seat)

    def _public(self, slot: Slot) -> Slot:
        return Slot(slot.A, slot.B, (), None, self._face(slot))

    def _face(self, slot: Slot) -> int:
        face = self.faces.get(slot.B)
        if slot.holders or face is None:
            raise UnreadableCard("a card opened to no known face although every proof held")
        return face

    def read(self, seat: int, secrets: Mapping[int, int]) -> Known:
        """The cards that this seat holds alone, read with its peer's deck key."""
        peer = self.peers.seat_peer[seat]
        cards = {s: slot for s, slot in sorted(self.slots.items()) if slot.seat == seat and slot.holders == (peer,)}
        return {s: self._face(Slot(c.A, sub(c.B, mul(secrets[peer], c.A)), ())) for s, c in cards.items()}

    # --- openings inside actions

    def check_opening(self, seat: int, r: int, pairs: Sequence[tuple[int, int]], body: Opening | None) -> Check | None:
        """Check that `seat` shows these (slot, face) pairs truly; None if all are public already; raises Cheat.

        `body` is present exactly if one of the cards is still hidden, and covers the hidden ones in order.
        """
        peer = self.peers.seat_peer[seat]

        def need(condition: bool, cause: str) -> None:
            if not condition:
                raise Cheat(peer, f"shr.{cause}")

        need(peer in self.peers.active, "unexpected")
        need(len({s for s, _ in pairs}) == len(pairs), "card")
        hidden = []
        for s, face in pairs:
            need(s in self.slots, "card")
            slot = self.slots[s]
            if slot.holders:
                need(slot.holders == (peer,) and slot.seat == seat, "card")
                hidden.append((s, (slot.A, slot.B), face))
            else:
                need(slot.face == face, "card")
        if not hidden or body is None:
            need(not hidden and body is None, "form")
            return None
        need(body.r == r, "unexpected")
        need(len(body.S) == 32 * len(hidden), "form")
        need({face for _, _, face in hidden} <= set(self.faces.values()), "card")
        bound = bind("shr", self.peers.ctx, peer, u32(r))
        return Check(peer, body, OpenGround(r, bound, self.peers.keys[peer][0], tuple(hidden)))

    def commit_openings(self, grounds: Sequence[OpenGround]) -> None:
        """The cards are public from now on; nothing changes if one of them is not what it was, or comes twice."""
        cards = [card for ground in grounds for card in ground.cards]
        if len({s for s, _, _ in cards}) != len(cards):
            raise Stale("one card is shown twice")
        for s, pair, _ in cards:
            slot = self.slots.get(s)
            if slot is None or pair != (slot.A, slot.B):
                raise Stale(f"slot {s} has changed")
        for s, (A, _), face in cards:
            self.slots[s] = Slot(A, face_point(face), (), None, face)

    def reveal(self) -> tuple[tuple[int, int], ...]:
        """Cards that only those who left had layers on: everybody can read them now."""
        shown = []
        for s, slot in sorted(self.slots.items()):
            if slot.holders and all(p in self.peers.opened for p in slot.holders):
                self.slots[s] = public = self._public(self._stripped(slot))
                assert public.face is not None
                shown.append((s, public.face))
        return tuple(shown)
