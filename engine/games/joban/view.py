"""What one seat sees: the field with coordinates, everybody's colours and counts, its own faces."""

from __future__ import annotations

from typing import Any

from kontor_games.engine.core.value import Known

from .data import (
    BONUSES,
    COLOURS,
    DIRECTIONS,
    FACES,
    FIRST_TASK,
    LINES,
    PATTERNS,
    PLAYER_COLOURS,
    RAYS,
    SHOP_CARDS,
    TASKS,
    TASKS_PER_PLAYER,
)
from .field import building_cells, lookup
from .notation import MODES, hand_names
from .scoring import line_values
from .state import CATEGORIES, NOBODY, Player, State


def card_face(face: int | None) -> dict[str, Any] | None:
    """A shop card in words, or None for a back."""
    if face is None:
        return None
    card = SHOP_CARDS[face]
    return {
        "face": face,
        "code": FACES[face],
        "colour": COLOURS[card.colour],
        "pattern": PATTERNS[card.pattern],
        "scores": COLOURS[card.scores],
        "bonus": BONUSES[card.bonus],
    }


def task_face(face: int | None) -> dict[str, Any] | None:
    """A personal task in words, or None for a back."""
    if face is None:
        return None
    task = TASKS[face - FIRST_TASK]
    return {
        "face": face,
        "code": FACES[face],
        "direction": LINES[task.direction],
        "plus": COLOURS[task.plus],
        "minus": COLOURS[task.minus],
    }


def view(state: State, seat: int | None, known: Known) -> dict[str, Any]:
    """Everything a client needs to draw the match for one seat (None: a spectator)."""
    shops = lookup(state.field)
    xs, ys = [x for x, _ in shops], [y for _, y in shops]
    mine: Known = known if seat is not None else {}
    return {
        "phase": state.phase,
        "first": state.first,
        "active": state.active,
        "action_no": state.action_no,
        "last_round": state.ended == 1,
        "frame": state.half or None,
        "extent": {"left": min(xs), "right": max(xs), "bottom": min(ys), "top": max(ys)},
        "field": [_shop(x, y, colour, dragon) for x, y, colour, dragon in state.field],
        "building_cells": [list(cell) for cell in building_cells(state.half, shops)],
        "piles": {COLOURS[colour]: len(pile) for colour, pile in enumerate(state.piles)},
        "discard": [card_face(face) for face in state.discard],
        "task_pile": len(state.task_pile),
        "task_discard": [
            {"seat": None if owner == NOBODY else owner, "task": task_face(_face(state, slot, owner, seat, mine))}
            for slot, owner in state.task_discard
        ],
        "players": [_player(state, number, player, seat, mine) for number, player in enumerate(state.players)],
        "card": None if state.card == NOBODY else card_face(state.card),
        "mode": None if state.card == NOBODY else MODES[state.mode],
        "new": None if state.new is None else list(state.new),
        "picked": None if state.picked is None else list(state.picked),
        "dragon_queue": [{"seat": owner, "cells": [list(cell) for cell in cells]} for owner, cells in state.queue],
        "earned": None if state.earned == NOBODY else state.earned,
        "double": state.double == 1,
        "options": {
            "bonus_may_be_declined": state.may_decline == 1,
            "bonus_excludes_new_shop": state.spare_new == 1,
            "move_must_keep_field_connected": state.keep_connected == 1,
            "final_own_dragons_count": state.own_dragons == 1,
            "reshuffle_task_discards": state.reshuffle == 1,
        },
        "board": {
            "colours": list(COLOURS),
            "directions": list(DIRECTIONS),
            "rays": {PATTERNS[index]: [DIRECTIONS[ray] for ray in rays] for index, rays in enumerate(RAYS)},
            "tasks_kept": TASKS_PER_PLAYER[len(state.players)],
        },
    }


def _shop(x: int, y: int, colour: int, dragon: int) -> dict[str, Any]:
    return {"x": x, "y": y, "colour": COLOURS[colour], "dragon": None if dragon == NOBODY else dragon}


def _face(state: State, slot: int, owner: int, seat: int | None, known: Known) -> int | None:
    """The face of a slot if it lies open, or if the viewer owns it and knows it."""
    return state.desk.face(slot, known if owner == seat else None)


def _task(state: State, owner: int, slot: int, name: str, face: int | None) -> dict[str, Any]:
    """A task in hand; whoever sees its face also sees what each line would bring its owner now."""
    values = {} if face is None else line_values(lookup(state.field), face, owner, state.own_dragons)
    lines = [{"line": line, "points": points} for line, points in sorted(values.items())]
    return {"slot": slot, "name": name, "task": task_face(face), "lines": lines}


def _player(state: State, number: int, player: Player, seat: int | None, known: Known) -> dict[str, Any]:
    named = hand_names(player)
    return {
        "seat": number,
        "colour": PLAYER_COLOURS[number],
        "score": player.score,
        "points": dict(zip(CATEGORIES, player.points, strict=True)),
        "dragons": player.reserve,
        "dragons_lost": player.lost,
        "hand": [
            {
                "slot": slot,
                "name": named[slot],
                "colour": COLOURS[colour],
                "card": card_face(_face(state, slot, number, seat, known)),
            }
            for colour, slots in enumerate(player.hand)
            for slot in slots
        ],
        "tasks": [
            _task(state, number, slot, str(place), _face(state, slot, number, seat, known))
            for place, slot in enumerate(player.tasks, 1)
        ],
        "scored_tasks": [
            {"task": task_face(face), "line": line, "points": points} for face, line, points in player.scored
        ],
    }
