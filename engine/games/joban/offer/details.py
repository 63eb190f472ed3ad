"""The values that a choice's phrase in the catalogue is filled with, and the phrase's name."""

from __future__ import annotations

from typing import Any

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Details, Path
from kontor_games.engine.core.value import Known

from ..actions import (
    Aim,
    BonusDraw,
    Design,
    DragonMove,
    DragonsStay,
    MoveTo,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from ..cards import tasks_available
from ..data import FIRST_TASK, MINUS_SHOP, MOVE, PLUS_SHOP, RAYS, SHOP_CARDS, TASK_DRAW, TASKS, Cell
from ..field import Shops, lookup, twins
from ..scoring import scored_cells
from ..state import NOBODY, SCORE, State


def details(state: State, path: Path, known: Known) -> Details:
    """Plain data for the phrase of a choice; cells are lists of two numbers, tasks are counted from one."""
    action = path[0]
    match action:
        case Design(pile=pile):
            found = {"phrase": "take", "pile": pile}
        case Play(card=card, mode=mode):
            found = {"phrase": "play for points" if mode == SCORE else "play for bonus", **card_details(card)}
        case Place(cell=cell):
            aim = path[1].direction if len(path) > 1 and isinstance(path[1], Aim) else None
            found = _place(state, cell, aim)
        case Aim(direction=direction):
            assert state.new is not None
            found = _scored(state, "aim", state.new, direction)
        case BonusDraw(piles=piles):
            found = {"phrase": f"draw {len(piles)}", "first": piles[0], "second": piles[-1]}
        case TaskDraw():
            found = {"phrase": "new tasks", "n": min(TASK_DRAW, tasks_available(state))}
        case TaskKeep(seat=seat, keep=keep):
            found = _kept(state, seat, keep, known)
        case ScoreTask(task=task, line=line):
            found = _task(task, line)
        case DragonsStay():
            found = {"phrase": "stay", "n": len(state.queue[0][1])}
        case _:
            found = _of_shops(state, action)
    return {"seat": action.seat, **found}


def _kept(state: State, seat: int, keep: tuple[int, ...], known: Known) -> dict[str, Any]:
    """Tasks by what they ask, to whoever may see them, else by their places."""
    tasks = [face for slot in keep if (face := state.desk.face(slot, known)) is not None]
    if len(tasks) == len(keep):
        return {"phrase": f"keep {len(keep)}", "first": tasks[0], "second": tasks[-1]}
    places = [state.players[seat].tasks.index(slot) + 1 for slot in keep]
    return {"phrase": f"keep unseen {len(keep)}", "first": places[0], "second": places[-1]}


def card_details(card: int) -> dict[str, Any]:
    """What the halves of a shop card say."""
    face = SHOP_CARDS[card]
    return {"colour": face.colour, "scores": face.scores, "pattern": face.pattern, "bonus": face.bonus}


def _place(state: State, cell: Cell, direction: int | None) -> dict[str, Any]:
    if state.mode != SCORE:
        return {"phrase": "place with dragon", "cell": list(cell), **card_details(state.card)}
    rays = RAYS[SHOP_CARDS[state.card].pattern]
    if rays and direction is None:
        return {"phrase": "place alone", "cell": list(cell), **card_details(state.card)}
    return _scored(state, "place and aim" if rays else "place around", cell, direction)


def _scored(state: State, phrase: str, cell: Cell, direction: int | None) -> dict[str, Any]:
    """A build for points; without any, no direction differs from another."""
    count = len(scored_cells(lookup(state.field), state.card, cell, direction))
    if not count:
        phrase = "aim at nothing" if phrase == "aim" else "place for nothing"
    return {"phrase": phrase, "cell": list(cell), "direction": direction, "n": count, **card_details(state.card)}


def _task(task: int, line: int) -> dict[str, Any]:
    card = TASKS[task - FIRST_TASK]
    pays = {"plus": card.plus, "gain": PLUS_SHOP, "minus": card.minus, "loss": -MINUS_SHOP}
    return {"phrase": "score", "task": task, "line": line, **pays}


def _of_shops(state: State, action: Action) -> dict[str, Any]:
    """Choices that are about shops that stand already; the others have no values."""
    shops = lookup(state.field)
    match action:
        case Pick(cell=cell):
            phrase = "pick to move" if SHOP_CARDS[state.card].bonus == MOVE else "pick to swap"
            return {"phrase": phrase, "cell": list(cell), "colour": shops[cell][0]}
        case SwapWith(cell=cell):
            phrase = "swap alike" if _stands_for_others(state, cell) else "swap"
            return {"phrase": phrase, **_pair(shops, state.picked, cell)}
        case MoveTo(cell=cell):
            owner = shops[cell][1] if cell in shops else NOBODY
            phrase = "move" if cell not in shops else "replace" if owner == NOBODY else "replace with dragon"
            phrase += " alike" if _stands_for_others(state, cell) else ""
            return {"phrase": phrase, "owner": owner, **_pair(shops, state.picked, cell)}
        case DragonMove(origin=origin, target=goal):
            return {"phrase": "dragon", **_pair(shops, origin, goal)}
        case _:
            return {}


def _stands_for_others(state: State, cell: Cell) -> bool:
    """Whether several shops would do as well as this one, so that one choice stands for them all."""
    alike = twins(state)
    return cell in alike and len(alike) > 1


def _pair(shops: Shops, first: Cell | None, second: Cell) -> dict[str, Any]:
    """Two places, with the colours of the shops on them."""
    assert first is not None
    colour = shops[second][0] if second in shops else NOBODY
    return {"first": list(first), "colour": shops[first][0], "second": list(second), "other": colour}
