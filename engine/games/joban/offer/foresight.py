"""Figures that stand on the board before a choice is made: what it brings, exactly where it is certain.

Points are those that the choice books at once, for every seat. What a change of the field does to the best lines of
one's own tasks is a figure of its own: it is worth points only if the field stays so.
"""

from __future__ import annotations

from kontor_games.engine.core.offer import Figure, Path
from kontor_games.engine.core.value import Known

from ..actions import Aim, BonusDraw, Design, DragonMove, MoveTo, Place, Play, ScoreTask, SwapWith, TaskKeep
from ..data import DOUBLE, RAYS, SHOP_CARDS, Cell
from ..field import Shops, building_cells, lookup
from ..scoring import build_points, is_last_round, line_points, line_values, owner_points, scored_cells, scored_dragons
from ..state import NOBODY, SCORE, State
from .elements import line_at, target

POINTS = "points"
BEST = "best"  # the most that a card can bring where it is placed best
TASK = "task"  # how the best lines of the own tasks change
LINE = "line"  # what the best line of a task brings now
LAST_ROUND = "last_round"
LOST = "lost"  # dragons that leave the match
FIGURES = (POINTS, BEST, TASK, LINE, LAST_ROUND, LOST)

Figures = tuple[Figure, ...]


def points(state: State) -> tuple[int, ...]:
    """Everybody's points so far."""
    return tuple(player.score for player in state.players)


def foresee(state: State, path: Path, known: Known) -> Figures:
    """The figures of one choice."""
    action = path[0]
    seat, element = action.seat, target(state, action)
    match action:
        case Design(pile=pile):
            return _last_round(state, (pile,), element)
        case BonusDraw(piles=piles):
            return _last_round(state, piles, element)
        case Play(card=card, mode=mode):
            return _best(state, seat, card, mode, element)
        case Aim(direction=direction):
            assert state.new is not None
            return _build(state, seat, state.new, direction, element)
        case Place(cell=cell):
            aim = path[1].direction if len(path) > 1 and isinstance(path[1], Aim) else None
            return (*_placed(state, seat, cell, aim, element), *_task_change(state, path, known, element))
        case MoveTo(cell=cell):
            return (*_lost(state, cell, element), *_task_change(state, path, known, element))
        case SwapWith() | DragonMove():
            return _task_change(state, path, known, element)
        case TaskKeep(keep=keep):
            return _kept(state, seat, keep, known)
        case ScoreTask(slot=slot, task=task, line=line):
            return _task_line(state, seat, task, line, line_at(slot, task, line))
        case _:
            return ()


def _last_round(state: State, drawn: tuple[int, ...], element: str) -> Figures:
    piles = [pile[1:] if colour in drawn else pile for colour, pile in enumerate(state.piles)]
    begins = not state.ended and is_last_round(piles, len(state.players))
    return (Figure(LAST_ROUND, 1, None, element),) if begins else ()


def _best(state: State, seat: int, card: int, mode: int, element: str) -> Figures:
    """The most points that the half of a card can bring; a double brings those of the other build of this turn."""
    if mode != SCORE:
        doubles = SHOP_CARDS[card].bonus == DOUBLE and state.earned != NOBODY
        return (Figure(BEST, state.earned, seat, element),) if doubles else ()
    shops = lookup(state.field)
    directions = RAYS[SHOP_CARDS[card].pattern] or (None,)
    most = max(
        build_points(shops, scored_cells(shops, card, cell, direction), seat)
        for cell in building_cells(state.half, shops)
        for direction in directions
    )
    return (Figure(BEST, most * (1 + state.double), seat, element),)


def _placed(state: State, seat: int, cell: Cell, direction: int | None, element: str) -> Figures:
    card = SHOP_CARDS[state.card]
    if state.mode == SCORE:
        return () if direction is None and RAYS[card.pattern] else _build(state, seat, cell, direction, element)
    doubles = card.bonus == DOUBLE and state.earned != NOBODY  # R8: the build for points came first
    return (Figure(POINTS, state.earned, seat, element),) if doubles else ()


def _build(state: State, seat: int, cell: Cell, direction: int | None, element: str) -> Figures:
    """The points of a build, also none, and those of the dragons' owners."""
    shops = lookup(state.field)
    cells = scored_cells(shops, state.card, cell, direction)
    gain = build_points(shops, cells, seat) * (1 + state.double)
    owners = scored_dragons(shops, cells, seat, len(state.players))
    paid = (Figure(POINTS, owner_points(len(dragons)), owner, element) for owner, dragons in owners)
    return Figure(POINTS, gain, seat, element), *paid


def _lost(state: State, cell: Cell, element: str) -> Figures:
    dragon = lookup(state.field).get(cell, (NOBODY, NOBODY))[1]
    return () if dragon == NOBODY else (Figure(LOST, 1, dragon, element),)


def _kept(state: State, seat: int, keep: tuple[int, ...], known: Known) -> Figures:
    """What each task that would be kept brings now."""
    shops = lookup(state.field)
    faces = [(slot, state.desk.face(slot, known)) for slot in keep]
    return tuple(
        Figure(LINE, _best_line(state, shops, face, seat), seat, f"task:{slot}")
        for slot, face in faces
        if face is not None
    )


def _task_line(state: State, seat: int, task: int, line: int, element: str) -> Figures:
    """The points of a line, also none, and those of the dragons' owners; one's own dragons are in one's own."""
    gain, owners = line_points(lookup(state.field), task, line, seat, state.own_dragons)
    paid = (Figure(POINTS, owners[owner], owner, element) for owner in sorted(owners) if owner != seat)
    return Figure(POINTS, gain + owners.get(seat, 0), seat, element), *paid


def _task_change(state: State, path: Path, known: Known, element: str) -> Figures:
    """How much more or less the best lines of the own tasks would bring with the field so changed."""
    seat = path[0].seat
    faces = [face for slot in state.players[seat].tasks if (face := state.desk.face(slot, known)) is not None]
    if not faces:
        return ()
    before = lookup(state.field)
    after = _changed(state, path, before)
    change = sum(_best_line(state, after, face, seat) - _best_line(state, before, face, seat) for face in faces)
    return (Figure(TASK, change, seat, element),) if change else ()


def _best_line(state: State, shops: Shops, task: int, seat: int) -> int:
    return max(line_values(shops, task, seat, state.own_dragons).values())


def _changed(state: State, path: Path, before: Shops) -> Shops:
    """The field after a choice that changes it."""
    after = dict(before)
    match path[0]:
        case Place(seat=seat, cell=cell):
            after[cell] = (SHOP_CARDS[state.card].colour, NOBODY if state.mode == SCORE else seat)
        case SwapWith(cell=cell):
            assert state.picked is not None
            after[cell], after[state.picked] = before[state.picked], before[cell]
        case MoveTo(cell=cell):
            assert state.picked is not None
            after[cell] = after.pop(state.picked)
        case DragonMove(seat=seat, origin=origin, target=goal):
            after[origin] = (before[origin][0], NOBODY)
            after[goal] = (before[goal][0], seat)
    return after
