"""Every decision a player of the fair can make; compound ones are staged (RULES.md, «Steps»)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Face, Index, Number, Slot

Spot = tuple[Number, Number]  # x, y


class Design(Action, tag="design", frozen=True):
    """Take the top card of a pile."""

    pile: Index


class Play(Action, tag="play", frozen=True):
    """Open a hand card and say which half is used; the shop is placed next."""

    slot: Slot
    card: Face
    mode: Index


class Place(Action, tag="place", frozen=True):
    """Build the shop of the card in play."""

    cell: Spot


class Aim(Action, tag="aim", frozen=True):
    """Choose the direction in which the card in play scores."""

    direction: Index


class Pick(Action, tag="pick", frozen=True):
    """Choose the first shop of a swap, or the shop to move."""

    cell: Spot


class SwapWith(Action, tag="swap", frozen=True):
    """Swap the picked shop with this one."""

    cell: Spot


class MoveTo(Action, tag="move", frozen=True):
    """Move the picked shop here, onto an empty cell or in place of another shop."""

    cell: Spot


class BonusDraw(Action, tag="draw", frozen=True):
    """Take the top cards of these different piles (ascending)."""

    piles: Annotated[tuple[Index, ...], Meta(max_length=3)]


class TaskDraw(Action, tag="tasks", frozen=True):
    """Look at new tasks."""


class TaskKeep(Action, tag="keep", frozen=True):
    """Keep these of the tasks in hand (slots, ascending) and discard the others unseen."""

    keep: Annotated[tuple[Slot, ...], Meta(max_length=8)]


class Decline(Action, tag="decline", frozen=True):
    """Leave the bonus unused."""


class DragonMove(Action, tag="dragon", frozen=True):
    """Move one scored dragon to a neighbouring shop."""

    origin: Spot
    target: Spot


class DragonsStay(Action, tag="stay", frozen=True):
    """Move no further dragon."""


class ScoreTask(Action, tag="score", frozen=True):
    """Open a task and score one whole line of its direction."""

    slot: Slot
    task: Face
    line: Number


class Pass(Action, tag="pass", frozen=True):
    """Lose an action: the hand and all piles are empty."""


ACTIONS: tuple[type[Action], ...] = (
    Design,
    Play,
    Place,
    Aim,
    Pick,
    SwapWith,
    MoveTo,
    BonusDraw,
    TaskDraw,
    TaskKeep,
    Decline,
    DragonMove,
    DragonsStay,
    ScoreTask,
    Pass,
)
