"""Ways to use one action of the fair for a build that deserve a look, each to where it ends.

A card can be placed on some forty cells, and a swap has hundreds of pairs. The rules decide what is legal and what
happens; here the cells with the most points, and the best changes of the own line, are picked out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kontor_games.engine import Action, Known
from kontor_games.engine.games.joban.actions import (
    Aim,
    BonusDraw,
    Decline,
    DragonsStay,
    MoveTo,
    Pick,
    Place,
    Play,
    SwapWith,
)
from kontor_games.engine.games.joban.data import MOVE, RAYS, SHOP_CARDS, SWAP, Cell
from kontor_games.engine.games.joban.field import Shops, bonus_cells, building_cells, lookup, move_targets
from kontor_games.engine.games.joban.play import apply
from kontor_games.engine.games.joban.rules import candidates
from kontor_games.engine.games.joban.state import AIM, BONUS, DRAGONS, NOBODY, PLACE, SCORE, TARGET, TURN, State

from .spots import BuildSpot, TaskLines, lines_of, spots
from .worth import EXPECTED, POINT

FOREIGN = 75  # what it costs that a dragon of somebody else scores
LOST, REMOVED = 150, 40  # a dragon of one's own that a move discards, one of somebody else


class Care(NamedTuple):
    """How much of a turn is looked at."""

    cells: int = 4  # places for a card
    shifts: int = 2  # swaps or moves
    judged: int = 10  # builds that are judged in full
    followed: int = 4  # of those, first ones that a second action is sought for
    second: int = 4  # second builds after each


CAREFUL, BRISK = Care(), Care(1, 1, 3, 1, 2)

Line = tuple[tuple[Action, ...], State]  # what is done, and what comes of it


def builds(state: State, known: Known, seat: int, care: Care) -> Iterator[Line]:
    """Builds that deserve a look: all of a card, or what is left to decide of the card in play."""
    if state.phase != TURN:
        yield from _rest(state, (), known, seat, care)
        return
    for action in candidates(state, known):
        if isinstance(action, Play):
            yield from _rest(apply(state, action)[0], (action,), known, seat, care)


def settled(state: State, seat: int) -> State:
    """The state once the rivals have left their dragons where they are."""
    while state.phase == DRAGONS and state.queue[0][0] != seat:
        state = apply(state, DragonsStay(state.queue[0][0]))[0]
    return state


def _rest(state: State, done: tuple[Action, ...], known: Known, seat: int, care: Care) -> Iterator[Line]:
    """The build under way, finished."""
    shops = lookup(state.field)
    tasks = lines_of(state, shops, seat, known, state.players[seat].tasks)
    if state.phase == PLACE and state.mode == SCORE:
        yield from _scoring(state, shops, done, tasks, care)
    elif state.phase == PLACE:
        colour = SHOP_CARDS[state.card].colour
        cells = building_cells(state.half, shops)
        best = sorted(cells, key=lambda cell: -sum(lines.gain_of(cell, colour, seat) for lines in tasks))
        for cell in best[: care.cells]:
            place = Place(seat, cell)
            yield from _rest(apply(state, place)[0], (*done, place), known, seat, care)
    elif state.phase == AIM:
        for direction in RAYS[SHOP_CARDS[state.card].pattern]:
            yield _then(state, done, Aim(seat, direction))
    elif state.phase in (BONUS, TARGET) and SHOP_CARDS[state.card].bonus in (SWAP, MOVE):
        yield from _shifts(state, shops, done, tasks, care)
        if state.phase == BONUS and state.may_decline:
            yield _then(state, done, Decline(seat))
    elif state.phase == BONUS:
        actions = list(candidates(state, known))
        most = max((len(action.piles) for action in actions if isinstance(action, BonusDraw)), default=0)
        for action in actions:
            if not isinstance(action, BonusDraw) or len(action.piles) == most:
                yield _then(state, done, action)
    else:
        yield done, state


def _then(state: State, done: tuple[Action, ...], action: Action) -> Line:
    return (*done, action), settled(apply(state, action)[0], action.seat)


def _scoring(
    state: State, shops: Shops, done: tuple[Action, ...], tasks: list[TaskLines], care: Care
) -> Iterator[Line]:
    """The places with the most points, those of the tasks included."""
    card, seat = SHOP_CARDS[state.card], state.active

    def rated(spot: BuildSpot) -> int:
        line = sum(lines.gain_of(spot.cell, card.colour, NOBODY) for lines in tasks)
        return POINT * spot.points * (1 + state.double) + EXPECTED * line - FOREIGN * spot.dragons

    found = sorted(spots(state.field, state.half, seat)[3 * card.pattern + card.scores], key=lambda each: -rated(each))
    if not found:  # nothing of this colour can be reached
        nowhere = building_cells(state.half, shops)[0]
        found = [BuildSpot(0, nowhere, RAYS[card.pattern][0] if RAYS[card.pattern] else -1, 0)]
    for spot in found[: care.cells]:
        place = Place(seat, spot.cell)
        if spot.direction < 0:
            yield _then(state, done, place)
        else:
            yield _then(apply(state, place)[0], (*done, place), Aim(seat, spot.direction))


def _shifts(state: State, shops: Shops, done: tuple[Action, ...], tasks: list[TaskLines], care: Care) -> Iterator[Line]:
    """The swaps or moves that help the own tasks most."""
    is_swap, seat = SHOP_CARDS[state.card].bonus == SWAP, state.active
    cells = bonus_cells(state)
    rated: list[tuple[int, Cell, Cell]] = []
    for pick in cells if state.phase == BONUS else [cell for cell in cells if cell == state.picked]:
        gains = [lines.shifts(pick, is_swap) for lines in tasks]
        for target in cells if is_swap else move_targets(state, shops, pick):
            if target == pick or (is_swap and state.phase == BONUS and target < pick):
                continue
            value = 0
            for gain in gains:
                value += EXPECTED * gain(target)
            if not is_swap and (there := shops.get(target)) is not None and there[1] != NOBODY:
                value += -LOST if there[1] == seat else REMOVED
            rated.append((-value, pick, target))
    rated.sort()
    for _, pick, target in rated[: care.shifts]:
        last: Action = SwapWith(seat, target) if is_swap else MoveTo(seat, target)
        if state.phase == TARGET:
            yield _then(state, done, last)
        else:
            first = Pick(seat, pick)
            yield _then(apply(state, first)[0], (*done, first), last)
