"""The public state of one table's sealed cards: what every peer, spectator and verifier computes alike.

How a session uses it (all pure, one thread changes the table, any thread may run a check):

    check = table.check(peer, body)     # cheap: form, turn; raises Cheat, changes nothing
    verdict = check.run()               # gates and proofs; pure, may run in a worker (see check.heavy); raises Cheat
    table.commit(verdict)               # applies it wholly; raises Stale if the table moved on meanwhile: check again
    table.apply(peer, body)             # the three in one go

`owed(peer)` says which message types are due from a peer now. The table starts with the keys, then asks for
the escrow (three or more peers, recovery by majority) and for roll 0 by itself; `serve(want)` opens the next want;
`complete` tells that the open task has all it needs and `close()` then returns the chance action. `entries`
does this for messages that arrive signed, in any order.

Departures are not tasks: `check_vote` and `check_shares` judge what survivors send, `rebuild` makes the keys of the
departed from their shares, and `leave` takes the departed off the table. Who has voted what is in `votes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kontor_games.engine.core.chance import Chance, Left, Roll, Want
from kontor_games.engine.core.dealer import DealerError
from kontor_games.engine.core.stream import H, u32
from kontor_games.engine.errors import LocalError

from . import escrow
from .algebra.group import Point, bind
from .bodies import Body, Bye, Cheat, Cmp, Esc, Giv, Gon, Key, MixBody, Opening, Opn, Rdy, Rky, Shr, kind
from .cards import Cards, Stale
from .checks import (
    Check,
    CmpGround,
    EscGround,
    GivGround,
    Ground,
    KeyGround,
    MixGround,
    OpenGround,
    Plain,
    RkyGround,
    SecretGround,
    ShareGround,
    Verdict,
)
from .peers import Peers
from .tasks import FinishedTask, MixPlan, MovePlan, SharePlan, Task

RECOVERY = ("majority", "none")


@dataclass
class Epoch:
    """One escrow: who shares keys with whom."""

    members: tuple[int, ...]
    dealt: dict[int, escrow.DealtShares] = field(default_factory=dict)

    @property
    def threshold(self) -> int:
        return escrow.threshold(len(self.members))


class CardTable:
    """Keys, epochs, slots and the open task of one match."""

    def __init__(self, match_id: bytes, peers: int, seat_peer: Sequence[int], recovery: str = "majority") -> None:
        assert recovery in RECOVERY and peers >= 2 and all(0 <= p < peers for p in seat_peer)
        self.peers = Peers(H("table", match_id, size=32), tuple(seat_peer), tuple(range(peers)))
        self.cards = Cards(self.peers)
        self.count = peers
        self.recovery = recovery
        self.final: dict[int, int] = {}  # deck keys opened at the end
        self.epoch = 0  # goes up with every departure
        self.epochs: dict[int, Epoch] = {}
        self.complete_epoch: int | None = None
        self.next_r = 0
        self.late: frozenset[int] = frozenset()  # gone, but their message for the open task is still to come
        self.departure: Left | None = None
        self.parked: Task | None = None  # waits for a new escrow
        self.task: Task | None = Task("keys", (tuple(("key", p) for p in self.peers.active),))

    @property
    def active(self) -> tuple[int, ...]:
        """The peers still at the table."""
        return self.peers.active

    # --- what is due

    def owed(self, peer: int) -> tuple[str, ...]:
        """The types of messages that this peer owes now."""
        return tuple(t for t, p in self.task.ripe(self.waits_for) if p == peer) if self.task else ()

    def belongs(self, peer: int, body: Body) -> bool:
        """Whether the open task needs this kind of message from this peer, now or later."""
        if isinstance(body, Cmp):
            return self.task is not None and self.task.plans(("rdy", peer))
        return self.task is not None and self.task.plans((kind(body), peer))

    def ripe(self, peer: int, body: Body) -> bool:
        """Whether this message can be judged now."""
        if self.task is None:
            return False
        if isinstance(body, Cmp):
            about_nothing = body.e != self.task.epoch or body.d == peer or not self.task.plans(("esc", body.d))
            return about_nothing or ("esc", body.d) in self.task.got
        return (kind(body), peer) in self.task.ripe(self.waits_for)

    @property
    def complete(self) -> bool:
        """Whether the open task has all it needs."""
        return self.task is not None and not self.task.ripe(self.waits_for)

    def waits_for(self, peer: int) -> bool:
        """Whether a message of this peer still counts for the open task."""
        return peer in self.peers.active or peer in self.late

    # --- messages

    def apply(self, peer: int, body: Body) -> None:
        """Check and commit one message; raises Cheat and changes nothing if it is wrong."""
        self.commit(self.check(peer, body).run())

    def check(self, peer: int, body: Body) -> Check:
        """Form and turn of a message; raises Cheat. The proofs are left to `run`."""
        return Check(peer, body, self._ground(peer, body))

    def commit(self, verdict: Verdict) -> None:
        """Apply what was found good."""
        check = verdict.check
        peer, body = check.peer, check.body
        if isinstance(body, Opening):
            self.commit_openings((verdict,))
            return
        if self._ground(peer, body) != check.ground:
            raise Stale(f"peer {peer}: {kind(body)} was checked against an older table")
        assert self.task is not None and self.belongs(peer, body)
        self.task.got[kind(body), peer] = verdict.result
        self.late -= {peer}

    def _ground(self, peer: int, body: Body) -> Ground:
        name = kind(body)

        def need(condition: bool, cause: str) -> None:
            if not condition:
                raise Cheat(peer, f"{name}.{cause}")

        need(self.waits_for(peer), "unexpected")
        if isinstance(body, Gon | Giv):
            raise LocalError(f"{name}: votes and shares belong to no task, see check_vote and check_shares")
        if isinstance(body, Bye):
            need(peer in self.peers.active and peer in self.peers.keys, "unexpected")
            return SecretGround(self.peers.keys[peer][0])
        task = self.task
        need(self.ripe(peer, body) if not isinstance(body, Cmp) else self.belongs(peer, body), "unexpected")
        assert task is not None
        match body:
            case Key():
                return KeyGround(self.peers.ctx, peer, self._taken(task))
            case Esc():
                epoch = self.epochs[task.epoch]
                need(body.e == task.epoch, "unexpected")
                need(len(body.F) == 32 * (epoch.threshold - 1), "form")
                need(len(body.E) == 32 * (len(epoch.members) - 1), "form")
                return EscGround(self.peers.ctx, peer, task.epoch, epoch.members, self.peers.keys[peer][0])
            case Cmp():
                members = self.epochs[task.epoch].members
                need(body.e == task.epoch and ("rdy", peer) not in task.got, "unexpected")
                need(body.d in members and body.d != peer, "form")
                need(("esc", body.d) in task.got, "unexpected")
                return CmpGround(self.peers.ctx, peer, self.peers.keys[peer][1], task.got["esc", body.d])
            case Rdy():
                need(body.e == task.epoch, "unexpected")
                return Plain()
            case Opn():
                return SecretGround(self.peers.keys[peer][0])
            case _:
                return self._ground_want(peer, body, task, need)

    def _ground_want(
        self, peer: int, body: MixBody | Shr | Rky, task: Task, need: Callable[[bool, str], None]
    ) -> Ground:
        assert task.want is not None
        need(body.r == task.want.r, "unexpected")
        Y = self.peers.keys[peer][0]
        match body, task.plan:
            case MixBody(), MixPlan(key=key, inputs=inputs):
                m = len(inputs)
                need(len(body.o) == 64 * m and len(body.p) == len(body.h) == 32 * m, "form")
                need(len(body.s) == 32 * (2 * m + 4), "form")
                steps = task.order()
                bound = bind("mix", self.peers.ctx, peer, u32(body.r))
                return MixGround(bound, key, task.got[steps[-1]] if steps else inputs)
            case Shr(), SharePlan(bases=bases):
                mine = dict(bases)[peer]
                need(len(body.S) == 32 * len(mine), "form")
                return ShareGround(bind("shr", self.peers.ctx, peer, u32(body.r)), Y, mine)
            case Rky(), MovePlan(key=key, source=slot):
                return RkyGround(bind("rky", self.peers.ctx, peer, u32(body.r)), Y, key, slot.A, slot.B)
        raise AssertionError("a planned message fits its plan")

    def _taken(self, task: Task) -> tuple[tuple[int, Point], ...]:
        return tuple((p, point) for (_, p), pair in sorted(task.got.items()) for point in pair)

    # --- wants

    def serve(self, want: Want) -> None:
        """Open the next want; a want that no dealer could serve is a defect of the game."""
        if self.task is not None:
            raise LocalError(f"want {want.r}: the table is busy")
        if want.r < self.next_r:
            raise DealerError(f"want {want.r}: number {self.next_r} comes next")
        self.task = self.cards.plan(want)
        self.next_r = want.r + 1

    # --- closing a task

    def close(self) -> tuple[FinishedTask, Chance | None]:
        """Finish the complete task: the messages that belong to its entry, and the chance action it amounts to."""
        task = self.task
        if task is None or not self.complete:
            raise LocalError("nothing to close")
        closed, answer = FinishedTask(task.kind, task.order()), self._finish(task)
        self.task = self._follow(task)
        return closed, answer

    def _finish(self, task: Task) -> Chance | None:
        if task.kind == "keys":
            self.peers.keys = {p: pair for (_, p), pair in sorted(task.got.items())}
        elif task.kind == "escrow":
            self.epochs[task.epoch].dealt = {p: task.got["esc", p] for p in self.epochs[task.epoch].members}
            self.complete_epoch = task.epoch
        elif task.kind == "open":
            self.final = {p: x for (_, p), x in sorted(task.got.items())}
        return self.cards.answer(task) if task.want is not None else None

    def _follow(self, done: Task) -> Task | None:
        """What comes by itself: escrow after the keys, then roll 0 or the task that had to wait."""
        if done.kind == "keys" and self._needs_escrow():
            return self._escrow_task()
        if done.kind in ("keys", "escrow"):
            return self._resume()
        return None

    def _resume(self) -> Task | None:
        if self.parked is not None:
            task, self.parked = self.parked, None
            return task
        if self.next_r == 0:
            self.next_r = 1
            return self.cards.plan(Roll(0))
        return None

    def _needs_escrow(self) -> bool:
        return self.recovery == "majority" and len(self.peers.active) >= 3

    def _escrow_task(self) -> Task:
        self.epochs[self.epoch] = Epoch(self.peers.active)
        phases = tuple(tuple((t, p) for p in self.peers.active) for t in ("esc", "rdy"))
        return Task("escrow", phases, epoch=self.epoch)

    def secrets(self) -> dict[int, int]:
        """The deck keys that are public by now."""
        return {**self.peers.opened, **self.final}

    def check_opening(self, seat: int, r: int, pairs: Sequence[tuple[int, int]], body: Opening | None) -> Check | None:
        """Cards shown inside an action, see `Cards.check_opening`; run and commit the check like that of a message."""
        if r < self.next_r:
            raise LocalError(f"opening {r}: number {self.next_r} comes next")
        return self.cards.check_opening(seat, r, pairs, body)

    def commit_openings(self, verdicts: Sequence[Verdict]) -> None:
        """The openings of one frame, all or none; raises Stale, also if one card is shown twice."""
        grounds = [verdict.check.ground for verdict in verdicts if isinstance(verdict.check.ground, OpenGround)]
        self.cards.commit_openings(grounds)
        self.next_r = max([self.next_r, *(ground.r + 1 for ground in grounds)])

    # --- leaving and the end

    def why_not_gone(self, gone: Sequence[int]) -> str | None:
        """Why the others cannot go on without these peers, or None."""
        if self.recovery != "majority":
            return "the terms do not allow recovery"
        if self.complete_epoch is None:
            return "the escrow of the keys is not complete"
        rest = len(self.peers.active) - len(gone)
        need = self.epochs[self.complete_epoch].threshold
        return None if rest >= need else f"{rest} survivors are too few, {need} are needed"

    def check_vote(self, peer: int, body: Gon) -> None:
        """Raise Cheat unless this peer may vote so."""

        def need(condition: bool, cause: str) -> None:
            if not condition:
                raise Cheat(peer, f"gon.{cause}")

        need(peer in self.active and self.recovery == "majority" and self.complete_epoch is not None, "unexpected")
        need(list(body.w) == sorted(set(body.w)) and len(body.f) == len(body.w), "form")
        need(peer not in body.w and set(body.w) <= set(self.active), "form")
        need(not body.w or self.why_not_gone(body.w) is None, "unexpected")

    def check_shares(self, peer: int, body: Giv, gone: Sequence[int]) -> Check:
        """Form and turn of shares for peers whom all survivors' votes declare gone; raises Cheat."""

        def need(condition: bool, cause: str) -> None:
            if not condition:
                raise Cheat(peer, f"giv.{cause}")

        need(bool(gone) and peer in self.peers.active and peer not in gone, "unexpected")
        assert self.complete_epoch is not None
        need(body.e == self.complete_epoch, "unexpected")
        need(len(body.f) == 32 * len(gone), "form")
        need(len(body.g) == 32 * (len(self.peers.active) - len(gone)), "form")
        dealt = self.epochs[self.complete_epoch].dealt
        return Check(peer, body, GivGround(peer, tuple(gone), tuple(dealt[p].F for p in gone)))

    def rebuild(self, gone: Sequence[int], gives: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """The deck keys of those who are gone, from checked shares of enough survivors."""
        return {j: escrow.combine({p: given[k] for p, given in gives.items()}) for k, j in enumerate(gone)}

    def give_up(self, peer: int) -> None:
        """A message of a peer that left turned out wrong: the open task goes on as if it had never come."""
        self.late -= {peer}

    def leave(self, secrets: Mapping[int, int], late: Iterable[int] | None = None, afresh: bool = False) -> None:
        """Peers are gone and their deck keys public; the open task waits for a new escrow, then goes on without them.

        `late` names those of them whose message belongs to the open task all the same (None: what is there stays);
        `afresh` starts the open task again from nothing.
        """
        task = self.parked or (self.task if self.task is not None and self.task.kind != "escrow" else None)
        self.peers.opened.update(secrets)
        self.peers.active = tuple(p for p in self.peers.active if p not in secrets)
        self.epoch += 1
        if task is not None:
            self._without(task, secrets, late, afresh)
        seats = tuple(seat for seat, peer in enumerate(self.peers.seat_peer) if peer in secrets)
        self.departure = Left(seats, self.cards.reveal())
        if self._needs_escrow():
            self.parked, self.task = task, self._escrow_task()
        else:
            self.parked, self.task = None, task
            if task is None:
                self.task = self._resume()

    def _without(self, task: Task, secrets: Mapping[int, int], late: Iterable[int] | None, afresh: bool) -> None:
        if afresh:
            task.got, self.late = {}, frozenset()
        stays = {p for _, p in task.got} if late is None else set(late)
        for p in secrets:
            if p not in stays or task.alone == p:  # nobody does the hand shuffle or the move of a peer that left
                task.void(p)
        missing = {p for phase in task.phases for m in phase if m not in task.got for p in (m[1],)}
        self.late |= stays & missing & set(secrets) - {task.alone}

    def take_departure(self) -> Left | None:
        """The chance action for those who just left, once."""
        left, self.departure = self.departure, None
        return left

    def finish(self) -> None:
        """The match is over: everybody opens its key."""
        if self.task is not None:
            raise LocalError("the table is busy")
        self.task = Task("open", (tuple(("opn", p) for p in self.peers.active),))
