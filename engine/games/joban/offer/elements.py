"""The elements of the board that choices and travelling pieces belong to, by name (RULES.md, «Offered»)."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Path

from ..actions import (
    Aim,
    BonusDraw,
    Design,
    DragonMove,
    MoveTo,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from ..data import DIRECTIONS, FIRST_TASK, RAYS, SHOP_CARDS, TASKS, Cell
from ..field import line_index, lookup, twins
from ..scoring import scored_cells, scored_dragons
from ..state import NOBODY, State

IN_PLAY = "in-play"  # the card in play
TASK_PILE = "task-pile"
TASK_DISCARD = "task-discard"


def cell_at(cell: Cell) -> str:
    """A cell of the field, with the shop and the dragon on it."""
    return f"cell:{cell[0]}:{cell[1]}"


def pile_of(colour: int) -> str:
    """A pile of shop cards."""
    return f"pile:{colour}"


def desk_of(seat: int, thing: str) -> str:
    """Where somebody's `hand`, `tasks`, `scored` tasks or `dragons` lie."""
    return f"desk:{seat}:{thing}"


def points_of(seat: int) -> str:
    """Where somebody's points are counted."""
    return f"points:{seat}"


def targets(state: State, path: Path) -> tuple[str, ...]:
    """Every element that means this choice when clicked; it is drawn on the first."""
    match path[0]:
        case Place(cell=cell) if len(path) > 1 and isinstance(path[1], Aim):
            aims = _directions(state, cell, path[1].direction)
            return cell_at(cell), *(f"aim:{cell[0]}:{cell[1]}:{name}" for name in aims)
        case Aim(direction=direction):
            names = (f"direction:{name}" for name in _directions(state, state.new, direction))
            return *names, *([cell_at(state.new)] if state.new else [])
        case Design(pile=pile):
            return (pile_of(pile),)
        case Play(slot=slot, mode=mode):
            return f"card:{slot}:{mode}", f"card:{slot}"
        case SwapWith(cell=cell) | MoveTo(cell=cell) if cell in (alike := twins(state)):
            return tuple(dict.fromkeys(map(cell_at, (cell, *alike))))
        case Place(cell=cell) | Pick(cell=cell) | SwapWith(cell=cell) | MoveTo(cell=cell):
            return (cell_at(cell),)
        case DragonMove(origin=origin, target=goal) if origin != goal:
            return cell_at(goal), cell_at(origin)
        case BonusDraw(piles=piles) if piles:
            return tuple(dict.fromkeys(map(pile_of, piles)))
        case TaskKeep(keep=keep) if keep:
            return tuple(dict.fromkeys(f"task:{slot}" for slot in keep))
        case ScoreTask(slot=slot, task=task, line=line):
            return _line_targets(state, slot, task, line)
        case TaskDraw():
            return (TASK_PILE,)
        case action:
            return (f"button:{action.__struct_config__.tag}",)


def target(state: State, action: Action) -> str:
    """The element that a single action is drawn on."""
    return targets(state, (action,))[0]


def line_at(slot: int, task: int, line: int) -> str:
    """The sign at the edge of the field where a line of a task begins."""
    return f"line:{slot}:{_line_direction(task)}:{line}"


def _line_targets(state: State, slot: int, task: int, line: int) -> tuple[str, ...]:
    """The line's sign, the task, and every shop on the line."""
    direction = _line_direction(task)
    shops = (cell_at((x, y)) for x, y, _, _ in state.field if line_index(direction, (x, y)) == line)
    return line_at(slot, task, line), f"task:{slot}", *shops


def _line_direction(task: int) -> int:
    number = task - FIRST_TASK
    return TASKS[number].direction if 0 <= number < len(TASKS) else 0


def _directions(state: State, cell: Cell | None, direction: int) -> list[str]:
    """The names of this direction and of those that bring the same from a cell; one choice stands for them."""
    rays = RAYS[SHOP_CARDS[state.card].pattern] if state.card != NOBODY else ()
    if cell is None or direction not in rays:
        return list(DIRECTIONS[direction : direction + 1]) or ["none"]
    shops, seats = lookup(state.field), len(state.players)

    def brings(each: int) -> tuple[int, object]:
        cells = scored_cells(shops, state.card, cell, each)
        return len(cells), scored_dragons(shops, cells, state.active, seats)

    same = brings(direction)
    others = (each for each in rays if each != direction and brings(each) == same)
    return [DIRECTIONS[each] for each in (direction, *others)]
