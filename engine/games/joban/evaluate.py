"""How good a position looks to a seat (for greedy bots), and the stand-in that plays for a seat that has left."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.game import public_knowledge
from kontor_games.engine.core.value import Known

from .data import DOUBLE, DRAW, FIRST_TASK, HAND_LIMIT, MINUS_SHOP, PLUS_SHOP, RAYS, SHOP_CARDS, TASK, TASKS, Cell
from .field import Shops, building_cells, line_index, lookup
from .play import apply
from .rules import candidates, most_bonus_cards
from .scoring import build_points, scored_cells
from .state import (
    AIM,
    BONUS,
    DRAWN,
    KEEP,
    NOBODY,
    OVER,
    PLACE,
    RESHUFFLE,
    SCORE,
    TARGET,
    TASKS_DRAWN,
    TASKS_MIXED,
    State,
)

POINT = 100
EXPECTED = 80  # a point of a task line that may still change
HAND = (0, 210, 390, 530, 610)  # what cards are worth before they are played
PLACED_DRAGON, RESERVE_DRAGON = 90, 60
SECOND_BUILD = 120  # a double that waits for it
NEW_TASKS, SHIFT = 120, 60  # a change of task, a swap or move not yet decided


class _Lines:
    """The lines of one task: what each would bring now, and how one more shop would change the best."""

    def __init__(self, state: State, shops: Shops, task: int, seat: int, without: Cell | None) -> None:
        card = TASKS[task - FIRST_TASK]
        self.card = card
        self.sums: dict[int, int] = {}
        for cell, (colour, dragon) in shops.items():
            if cell == without:
                continue
            line = line_index(card.direction, cell)
            sign = (colour == card.plus) - (colour == card.minus)
            value = sign * PLUS_SHOP
            if sign and dragon != NOBODY and (dragon != seat or state.own_dragons):
                value += sign * PLUS_SHOP + (dragon == seat)
            self.sums[line] = self.sums.get(line, 0) + value
        self.best = max(self.sums.values())
        self.lines = [line for line, value in self.sums.items() if value == self.best]
        self.second = max((value for value in self.sums.values() if value < self.best), default=self.best)

    def gain(self, cell: Cell, colour: int, dragon: int) -> int:
        """How the best line changes with a shop (and a dragon of one's own) on this cell."""
        if colour not in (self.card.plus, self.card.minus):
            return 0
        change = PLUS_SHOP if colour == self.card.plus else MINUS_SHOP
        change += dragon * (change + 1)
        line = line_index(self.card.direction, cell)
        if self.lines == [line] and change < 0:
            return max(self.second, self.best + change) - self.best
        return max(0, self.sums.get(line, 0) + change - self.best)


def evaluate(state: State, seat: int, known: Known) -> int:
    """Points, expected points of tasks, cards and dragons, and what the decision under way promises."""
    player = state.players[seat]
    others = [other.score for number, other in enumerate(state.players) if number != seat]
    value = POINT * player.score - POINT * sum(others) // len(others) - POINT * max(others) // 2
    if state.phase == OVER:
        return value
    shops = lookup(state.field)
    lifted = state.picked if state.phase == TARGET else None
    faces = [face for slot in player.tasks if (face := state.desk.face(slot, known)) is not None]
    tasks = [_Lines(state, shops, face, seat, lifted) for face in faces]
    value += EXPECTED * _kept(state, seat, [lines.best for lines in tasks])
    value += PLACED_DRAGON * sum(1 for _, dragon in shops.values() if dragon == seat)
    left = _actions_left(state, seat)
    value += HAND[min(player.cards, HAND_LIMIT, left)]
    value += RESERVE_DRAGON * min(player.reserve, left)
    return value + _promise(state, seat, shops, tasks) if state.active == seat else value


def _kept(state: State, seat: int, values: list[int]) -> int:
    """The sum over the tasks that will count: while a change of task is on, only the best are kept."""
    if state.phase in (KEEP, TASKS_MIXED) and state.active == seat:
        return sum(sorted(values)[-2 if len(state.players) == 2 else -1 :])
    return sum(values)


def _actions_left(state: State, seat: int) -> int:
    """How many actions this seat still has, roughly; many before the last round."""
    seats = len(state.players)
    if not state.ended:
        return HAND_LIMIT
    if state.active == seat:
        return 2 - state.action_no + (state.phase == "turn")
    turns_left = (state.first - state.active - 1) % seats
    return 2 if (seat - state.active) % seats <= turns_left else 0


def _promise(state: State, seat: int, shops: Shops, tasks: list[_Lines]) -> int:
    """What the active player may expect from the decision under way."""
    if state.phase == TARGET:
        colour = shops[state.picked][0] if state.picked else NOBODY
        return EXPECTED * 2 if any(lines.card.plus == colour for lines in tasks) else 0
    if state.phase in (TASKS_DRAWN, TASKS_MIXED, RESHUFFLE):
        return NEW_TASKS
    if state.phase == DRAWN or state.card == NOBODY:
        return SECOND_BUILD if state.double and state.players[seat].cards else 0
    if state.phase == BONUS:
        return _bonus_promise(state)
    if state.phase == AIM:
        assert state.new is not None
        return _best_points(state, seat, shops, state.new)
    if state.phase != PLACE:
        return 0
    card = SHOP_CARDS[state.card]
    dragon = int(state.mode != SCORE)
    best = None
    for cell in building_cells(state.half, shops):
        here = EXPECTED * sum(lines.gain(cell, card.colour, dragon) for lines in tasks)
        if not dragon:
            here += _best_points(state, seat, shops, cell)
        best = here if best is None or here > best else best
    return (best or 0) + (_bonus_promise(state) + PLACED_DRAGON - RESERVE_DRAGON if dragon else 0)


def _best_points(state: State, seat: int, shops: Shops, cell: Cell) -> int:
    """The best that the card in play can score from this cell."""
    best = max(
        build_points(shops, scored_cells(shops, state.card, cell, direction), seat)
        for direction in RAYS[SHOP_CARDS[state.card].pattern] or (None,)
    )
    return POINT * best * (1 + state.double)


def _bonus_promise(state: State) -> int:
    match SHOP_CARDS[state.card].bonus:
        case bonus if bonus == DOUBLE:
            if state.earned != NOBODY:
                return POINT * state.earned
            return SECOND_BUILD if state.action_no == 1 and state.players[state.active].cards else 0
        case bonus if bonus == DRAW:
            cards = state.players[state.active].cards
            return HAND[cards + most_bonus_cards(state)] - HAND[cards]
        case bonus if bonus == TASK:
            return NEW_TASKS if state.task_pile else 0
        case _:
            return SHIFT


def stand_in(state: State) -> Action:
    """The action after which the position looks best, seen with what everybody knows; the first of equals."""
    known = public_knowledge(state)
    best: tuple[int, Action] | None = None
    for action in candidates(state, known):
        value = evaluate(apply(state, action)[0], action.seat, known)
        if best is None or value > best[0]:
            best = value, action
    assert best is not None, "a seat to act always has a legal action"
    return best[1]
