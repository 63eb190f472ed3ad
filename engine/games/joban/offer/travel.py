"""What moves where on the board when something happens."""

from __future__ import annotations

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Travel

from ..data import COLOURS, SHOP_CARDS, Cell
from ..events import (
    CardDrawn,
    CardPlayed,
    DragonDiscarded,
    DragonMoved,
    DragonPlaced,
    DragonPoints,
    PointsDoubled,
    PointsScored,
    ShopBuilt,
    ShopMoved,
    ShopRemoved,
    ShopsSwapped,
    TaskChanged,
    TaskScored,
    TasksDrawn,
    TasksReshuffled,
)
from ..field import lookup
from ..state import FINAL, State
from .elements import IN_PLAY, TASK_DISCARD, TASK_PILE, cell_at, desk_of, pile_of, points_of

AWAY = ""  # out of the match


def travels(state: State, event: Event) -> tuple[Travel, ...]:
    """The pieces, cards and points that this event moves; `state` is the one before its action."""
    match event:
        case CardDrawn(seat=seat, pile=pile):
            return (Travel(f"card:{COLOURS[pile]}", pile_of(pile), desk_of(seat, "hand"), seat),)
        case CardPlayed(seat=seat, card=card):
            return (Travel(f"card:{COLOURS[SHOP_CARDS[card].colour]}", desk_of(seat, "hand"), IN_PLAY, seat),)
        case ShopBuilt(seat=seat, cell=cell, colour=colour):
            return (Travel(f"shop:{COLOURS[colour]}", IN_PLAY, cell_at(cell), seat),)
        case PointsScored(seat=seat, points=points) | PointsDoubled(seat=seat, points=points):
            return _points(IN_PLAY if state.new is None else cell_at(state.new), seat, points)
        case DragonPoints(seat=seat, points=points):
            return _points(desk_of(state.active, "scored") if state.phase == FINAL else IN_PLAY, seat, points)
        case TaskScored(seat=seat, points=points):
            scored = desk_of(seat, "scored")
            return Travel("task", desk_of(seat, "tasks"), scored, seat), *_points(scored, seat, points)
        case TasksReshuffled(tasks=tasks):
            return _tasks(TASK_DISCARD, TASK_PILE, None, tasks)
        case TasksDrawn(seat=seat, tasks=tasks):
            return _tasks(TASK_PILE, desk_of(seat, "tasks"), seat, tasks)
        case TaskChanged(seat=seat, discarded=discarded):
            return _tasks(desk_of(seat, "tasks"), TASK_DISCARD, seat, discarded)
        case _:
            return _on_the_field(state, event)


def _on_the_field(state: State, event: Event) -> tuple[Travel, ...]:
    match event:
        case DragonPlaced(seat=seat, cell=cell):
            return (Travel("dragon", desk_of(seat, "dragons"), cell_at(cell), seat),)
        case DragonMoved(seat=seat, origin=origin, target=goal):
            return (Travel("dragon", cell_at(origin), cell_at(goal), seat),)
        case DragonDiscarded(seat=seat, cell=cell):
            return (Travel("dragon", cell_at(cell), AWAY, seat),)
        case ShopRemoved(cell=cell, colour=colour):
            return (Travel(f"shop:{COLOURS[colour]}", cell_at(cell), AWAY),)
        case ShopsSwapped(first=first, second=second):
            return _shop(state, first, second), _shop(state, second, first)
        case ShopMoved(origin=origin, target=goal):
            return (_shop(state, origin, goal),)
        case _:
            return ()


def _shop(state: State, origin: Cell, goal: Cell) -> Travel:
    """A shop that moves with the dragon on it."""
    return Travel(f"shop:{COLOURS[lookup(state.field)[origin][0]]}", cell_at(origin), cell_at(goal))


def _points(source: str, seat: int, points: int) -> tuple[Travel, ...]:
    """Points fly to their owner; lost ones leave."""
    if points < 0:
        return (Travel("points", points_of(seat), AWAY, seat, -points),)
    return (Travel("points", source, points_of(seat), seat, points),) if points else ()


def _tasks(source: str, goal: str, seat: int | None, count: int) -> tuple[Travel, ...]:
    return (Travel("task", source, goal, seat, count),) if count else ()
