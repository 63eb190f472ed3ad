"""What is open at a table: one task at a time, with the messages it still needs and those it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kontor_games.engine.core.chance import Want

from .algebra.group import Point
from .algebra.mix import Pair

Message: TypeAlias = tuple[str, int]  # (type, peer)
Counts: TypeAlias = Callable[[int], bool]  # whether a peer's message is still waited for


@dataclass(frozen=True, slots=True)
class Slot:
    """A hidden or public card: M_face = B − Σ x_j·A over the holders."""

    A: Point
    B: Point
    holders: tuple[int, ...]  # peers whose layers are on, ascending; empty: public
    seat: int | None = None  # the seat that holds it alone, None: everybody's layer
    face: int | None = None  # once public


@dataclass(frozen=True, slots=True)
class MixPlan:
    holders: tuple[int, ...]
    key: Point
    inputs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class SharePlan:
    bases: tuple[tuple[int, tuple[Point, ...]], ...]  # per peer what it owes shares for, ascending by peer
    cards: tuple[tuple[int, Slot], ...] = ()  # a deal's slots as they were when it was asked


@dataclass(frozen=True, slots=True)
class MovePlan:
    holders: tuple[int, ...]
    key: Point
    source: Slot


Plan: TypeAlias = MixPlan | SharePlan | MovePlan | None


@dataclass
class Task:
    """Messages come phase by phase; inside a phase in any order."""

    kind: str  # keys, escrow, want, open
    phases: tuple[tuple[Message, ...], ...]
    want: Want | None = None
    plan: Plan = None
    epoch: int = 0
    alone: int | None = None  # the only author of a hand shuffle or a move
    got: dict[Message, Any] = field(default_factory=dict)

    def ripe(self, counts: Counts) -> tuple[Message, ...]:
        """What may come now."""
        for phase in self.phases:
            missing = tuple(m for m in phase if m not in self.got and counts(m[1]))
            if missing:
                return missing
        return ()

    def planned(self, counts: Counts) -> tuple[Message, ...]:
        """Everything that belongs here and is or was waited for, in order."""
        return tuple(m for phase in self.phases for m in phase if counts(m[1]))

    def plans(self, message: Message) -> bool:
        """Whether this message belongs to the task at all."""
        return any(message in phase for phase in self.phases)

    def order(self) -> tuple[Message, ...]:
        """What came, in the order of the entry."""
        return tuple(m for phase in self.phases for m in phase if m in self.got)

    def void(self, peer: int) -> None:
        """Drop a message of `peer`; in a shuffle also all that rests on it."""
        for index, phase in enumerate(self.phases):
            if any(m in self.got for m in phase if m[1] == peer):
                rests = self.phases[index:] if isinstance(self.plan, MixPlan) else (phase,)
                for message in [m for later in rests for m in later]:
                    if message[1] == peer or isinstance(self.plan, MixPlan):
                        self.got.pop(message, None)


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A finished entry: its messages in order."""

    kind: str
    order: tuple[Message, ...]
