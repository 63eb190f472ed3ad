"""How actions are written: `design green`, `play g1 gar-swap points`, `build 2/-1`, `aim up-left`, `score 1 row+g-r 0`.

A card's code is its own colour, its pattern (a, o, d), its scoring colour, then its bonus; a task's
code is its direction, then the colour that pays and the colour that costs.
"""

from __future__ import annotations

import re

from kontor_games.engine.core.notation import Kind, Notation, names

from .actions import (
    Aim,
    BonusDraw,
    Decline,
    Design,
    DragonMove,
    DragonsStay,
    MoveTo,
    Pass,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from .data import COLOURS, DIRECTIONS, FACES, FIRST_TASK, Cell
from .field import say_cell
from .rules import turn
from .state import Player, State

MODES = ("points", "bonus")


def hand_names(player: Player) -> dict[int, str]:
    """Slot -> «g1», «g2», «r1», …: the cards of a hand by colour and place."""
    return {
        slot: f"{COLOURS[colour][0]}{place}"
        for colour, slots in enumerate(player.hand)
        for place, slot in enumerate(slots, 1)
    }


def _mover(state: State) -> Player:
    seat = turn(state)
    return state.players[seat if seat is not None else 0]


def _say_hand(state: State, slot: int) -> str:
    return hand_names(_mover(state)).get(slot, f"?{slot}")


def _read_hand(state: State, text: str) -> int:
    found = hand_names(_mover(state))
    for slot, name in found.items():
        if name == text.casefold():
            return slot
    raise ValueError(f"{text!r} is none of the cards in hand: {', '.join(found.values()) or 'there are none'}")


def _say_task(state: State, slot: int) -> str:
    tasks = _mover(state).tasks
    return str(tasks.index(slot) + 1) if slot in tasks else f"?{slot}"


def _read_task(state: State, text: str) -> int:
    tasks = _mover(state).tasks
    if text.isascii() and text.isdigit() and len(text) < 3 and 0 < int(text) <= len(tasks):
        return tasks[int(text) - 1]
    raise ValueError(f"{text!r} is none of the tasks 1 to {len(tasks)}")


def _read_cell(state: State, text: str) -> Cell:
    found = re.fullmatch(r"(-?[0-9]{1,4})[/,](-?[0-9]{1,4})", text)
    if not found:
        raise ValueError(f"{text!r} is not a cell; cells are written 2/-1")
    return int(found[1]), int(found[2])


def _read_colour(state: State, text: str) -> int:
    for index, colour in enumerate(COLOURS):
        if text.casefold() in (colour, colour[0]):
            return index
    raise ValueError(f"{text!r} is none of {', '.join(COLOURS)}")


def _face(first: int, last: int) -> Kind[State]:
    words = FACES[first:last]

    def read(state: State, text: str) -> int:
        if text.casefold() in words:
            return first + words.index(text.casefold())
        raise ValueError(f"{text!r} is none of {', '.join(words)}")

    return Kind(lambda state, face: FACES[face] if face < len(FACES) else f"?{face}", read)


NOTATION: Notation[State] = Notation(
    {
        Design: "design {pile:colour}",
        Play: "play {slot:hand} {card:card} {mode:mode}",
        Place: "build {cell:cell}",
        Aim: "aim {direction:direction}",
        Pick: "pick {cell:cell}",
        SwapWith: "swap {cell:cell}",
        MoveTo: "move {cell:cell}",
        BonusDraw: "draw {piles:colour*}",
        TaskDraw: "tasks",
        TaskKeep: "keep {keep:task*}",
        Decline: "decline",
        DragonMove: "dragon {origin:cell} {target:cell}",
        DragonsStay: "stay",
        ScoreTask: "score {slot:task} {task:face} {line:number}",
        Pass: "pass",
    },
    {
        "colour": Kind(lambda state, colour: COLOURS[colour] if colour < len(COLOURS) else f"?{colour}", _read_colour),
        "hand": Kind(_say_hand, _read_hand),
        "card": _face(0, FIRST_TASK),
        "face": _face(FIRST_TASK, len(FACES)),
        "mode": names(*MODES),
        "cell": Kind(lambda state, cell: say_cell(cell), _read_cell),
        "direction": names(*(name.replace("_", "-") for name in DIRECTIONS)),
        "task": Kind(_say_task, _read_task),
    },
)
