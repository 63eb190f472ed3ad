"""A peer's secrets at one table: makes the bodies it owes, reads the cards it holds.

All secrets follow from the 32-byte table secret and the public situation, so a restarted node makes equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from kontor_games.engine.core.stream import u32
from kontor_games.engine.core.value import Known
from kontor_games.engine.errors import LocalError

from . import escrow, proofs
from .algebra import mix
from .algebra.group import Point, base, bind, dec_points, enc_scalar, enc_scalars, h2s, mul
from .bodies import Body, Bye, Cmp, Giv, MixBody, Opening, Opn, Rdy
from .card_table import CardTable
from .checks import HEAVY
from .tasks import MixPlan, MovePlan, SharePlan, Slot, Task


@dataclass(frozen=True, repr=False)  # `run` holds secrets: it must not be shown anywhere
class BodyDraft:
    """A body still to be computed, and about how many multiplications that takes."""

    work: int
    run: Callable[[], Body]
    inputs: bytes = b""  # of a shuffle: for which want, under which key, and what it shuffles

    @property
    def heavy(self) -> bool:
        """Whether this belongs in a worker thread."""
        return self.work >= HEAVY


class Player:
    """What peer `me` alone can do at `table`."""

    def __init__(self, table: CardTable, me: int, z: bytes) -> None:
        assert len(z) == 32
        self.table = table
        self.me = me
        self._z = z
        self._x = h2s("kdf", z, "deck-key") or 1
        self._t = h2s("kdf", z, "transport") or 1
        self._read: dict[int, tuple[Slot, int]] = {}

    @property
    def keys(self) -> tuple[Point, Point]:
        """The public halves of our secrets at this table, as our `key` message has them."""
        return base(self._x), base(self._t)

    def make(self, name: str) -> Body:
        """The body of this type that `table.owed(me)` names."""
        return self.draft(name).run()

    def draft(self, name: str) -> BodyDraft:
        """The same as work still to be done: `run` is pure and may run in any thread."""
        task = self.table.task
        ctx, me, z, x = self.table.peers.ctx, self.me, self._z, self._x
        if task is None:
            raise LocalError(f"peer {me} owes no {name}")
        match name, task.plan:
            case "key", _:
                return BodyDraft(4, partial(proofs.make_key, z, x, self._t, ctx, me))
            case "esc", _:
                transport = {p: self.table.peers.keys[p][1] for p in self.table.epochs[task.epoch].members}
                return BodyDraft(8, partial(escrow.make, z, x, ctx, me, task.epoch, transport))
            case "rdy", _:
                return BodyDraft(8, lambda: self._complaint(task) or Rdy(task.epoch))
            case "opn", _:
                return BodyDraft(0, partial(Opn, enc_scalar(x)))
            case "mix", MixPlan(key=key, inputs=inputs) if task.want:
                steps = task.order()
                pairs = task.got[steps[-1]] if steps else inputs
                r, raw = task.want.r, mix.flat(pairs)
                return BodyDraft(10 * len(inputs), partial(self._mix, r, key, pairs), u32(r) + key + raw)
            case "shr", SharePlan(bases=bases) if task.want:
                mine = dict(bases)[me]
                return BodyDraft(2 * len(mine) + 2, partial(proofs.make_shares, z, x, ctx, me, task.want.r, mine))
            case "rky", MovePlan(key=key, source=slot) if task.want:
                return BodyDraft(8, partial(proofs.make_rekey, z, x, ctx, me, task.want.r, slot.A, slot.B, key))
        raise LocalError(f"peer {me} owes no {name}")

    def draft_shares(self, votes: bytes, gone: tuple[int, ...]) -> BodyDraft:
        """Our shares of the keys of those whom the votes declare gone; `votes` is the field `g` of a `giv`."""
        epoch = self.table.complete_epoch
        if not gone or epoch is None:
            raise LocalError("nobody is agreed to be gone")
        return BodyDraft(len(gone), partial(self._give, votes, gone, epoch))

    def draft_ahead(self, outputs: bytes) -> BodyDraft:
        """Our shuffle of what another peer has just shuffled, while its proof is being checked; may raise Reject.

        It is worth nothing, and must not be sent, unless that proof holds.
        """
        task = self.table.task
        if task is None or task.want is None or not isinstance(task.plan, MixPlan):
            raise LocalError("there is nothing to shuffle")
        r, key = task.want.r, task.plan.key
        return BodyDraft(10 * len(task.plan.inputs), partial(self._mix_raw, r, key, outputs), u32(r) + key + outputs)

    def _mix_raw(self, r: int, key: Point, outputs: bytes) -> MixBody:
        return self._mix(r, key, mix.pairs_of(dec_points(outputs)))

    def _mix(self, r: int, key: Point, inputs: tuple[mix.Pair, ...]) -> MixBody:
        s = mix.prove(self._z, bind("mix", self.table.peers.ctx, self.me, u32(r)), key, inputs)
        return MixBody(r, s.o, s.p, s.h, s.c, s.s)

    def open(self, r: int, slots: Sequence[int]) -> Opening | None:
        """The opening that goes with an action which shows these slots; None if all are public."""
        hidden = [self.table.cards.slots[s].A for s in slots if self.table.cards.slots[s].holders]
        if not hidden:
            return None
        shr = proofs.make_shares(self._z, self._x, self.table.peers.ctx, self.me, r, hidden)
        return Opening(shr.r, shr.S, shr.c, shr.s)

    def bye(self) -> Bye:
        """Hand over the deck key and leave."""
        return Bye(enc_scalar(self._x))

    def known(self, seat: int) -> Known:
        """Slot -> face of the cards that a seat of this peer holds alone."""
        table = self.table
        if table.peers.seat_peer[seat] != self.me:
            return {}
        mine = {s: slot for s, slot in table.cards.slots.items() if slot.seat == seat and slot.holders == (self.me,)}
        if any(self._read.get(s, (None, 0))[0] != slot for s, slot in mine.items()):
            faces = table.cards.read(seat, {self.me: self._x})
            self._read.update({s: (mine[s], face) for s, face in faces.items()})
        return {s: self._read[s][1] for s in sorted(mine)}

    def _share_of(self, dealer: int, epoch: int, dealt: escrow.DealtShares) -> int:
        return escrow.unmask(self.table.peers.ctx, dealer, self.me, epoch, dealt, mul(self._t, dealt.R))

    def _complaint(self, task: Task) -> Cmp | None:
        """The first dealer in the open escrow whose share for us is bad."""
        for (name, dealer), dealt in sorted(task.got.items()):
            if name == "esc" and dealer != self.me:
                share = self._share_of(dealer, task.epoch, dealt)
                if not escrow.fits(share, self.me, dealt.F):
                    return escrow.complain(self._z, self._t, self.table.peers.ctx, self.me, dealer, task.epoch, dealt)
        return None

    def _give(self, votes: bytes, gone: tuple[int, ...], epoch: int) -> Giv:
        dealt = self.table.epochs[epoch].dealt
        return Giv(epoch, votes, enc_scalars(self._share_of(j, epoch, dealt[j]) for j in gone))
