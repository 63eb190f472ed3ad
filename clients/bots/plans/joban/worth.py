"""What a position of the fair is worth to a seat once its turn is over, in hundredths of a point.

**Cards.** A card in hand is worth what its better half would bring on this field, less the action that it still takes;
an unknown one is worth the mean of the faces that it may have. So a field is good on which one's own cards score.

**Threats.** What the next players may be expected to score on this field is held against it, by the faces that their
cards may have.

**The end.** Cards and dragons beyond the actions that are left are worth nothing, with everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kontor_games.engine import Known
from kontor_games.engine.games.joban.data import (
    DECKS,
    DOUBLE,
    DRAW,
    FINAL_OWNER_PER_DRAGON,
    HAND_LIMIT,
    PLUS_DRAGON,
    PLUS_SHOP,
    SHOP_CARDS,
    TASK,
    TASK_DECK,
    TASK_DRAW,
    TASKS_PER_PLAYER,
)
from kontor_games.engine.games.joban.field import Shops, lookup
from kontor_games.engine.games.joban.state import FINAL, NOBODY, OVER, TURN, State

from .spots import TaskLines, best_points, kind_of, lines_of

POINT = 100
LEADER = 50  # a point of the best rival counts so much more than one of the others
EXPECTED = 85  # a point of a line that may still change
ACTION = 260  # what an action brings
CARD = 220  # a card that somebody else holds
RESERVE = 70  # a dragon not yet placed
PLACED, PER_ACTION = 60, 6  # a dragon on the field, and what the actions that are left add to it
SHIFT = 180  # a swap or a move
WAITS = 80  # per cent of what a card brings now that are left when its turn comes
FLOOR = 380  # sooner or later a card brings so much
USED = (100, 95, 85, 65)  # per cent of the worth of the first card in hand, the second …
THREATS = (45, 25, 12)  # a point that the next player may score, the one after …


class Tasks(NamedTuple):
    """The tasks of a seat."""

    lines: list[TaskLines]
    sure: int  # what those that are kept bring now
    change: int  # what a change of task may be expected to add


def actions_left(state: State, seat: int) -> int:
    """How many actions a seat still has, roughly; exact in the last round."""
    seats = len(state.players)
    if state.phase in (FINAL, OVER):
        return 0
    now = 2 - state.action_no + (state.phase == TURN) if state.active == seat else 0
    if state.ended:
        turns_left = (state.first - state.active - 1) % seats
        return now if state.active == seat else 2 if (seat - state.active) % seats <= turns_left else 0
    piles = sorted(map(len, state.piles))
    draws = 2 * piles[0] if seats == 2 else (piles[0] + piles[1]) * 4 // 3
    return now + 2 + 2 * draws // seats * 9 // 10


def best_of(values: list[int], least: int, draws: int) -> int:
    """The mean of the best among what one has anyway and so many draws from these values."""
    if not values:
        return least
    total = before = 0
    for place, value in enumerate(sorted(values), 1):
        total += max(least, value) * (place**draws - before)
        before = place**draws
    return total // before


def worth(state: State, seat: int, known: Known) -> int:
    """How good the position is for a seat."""
    players, seats = state.players, len(state.players)
    scores = [player.score for number, player in enumerate(players) if number != seat]
    value = POINT * players[seat].score - POINT * sum(scores) // len(scores) - LEADER * max(scores)
    if state.phase == OVER:
        return value
    shops = lookup(state.field)
    tasks = tasks_of(state, shops, seat, known)
    left = actions_left(state, seat)
    value += EXPECTED * tasks.sure
    for _, dragon in shops.values():
        if dragon == seat:
            value += PLACED + PER_ACTION * left
        elif dragon != NOBODY:
            value -= (PLACED + PER_ACTION * left) // (seats - 1)
    mine, theirs = best_points(shops, state.half, seat)
    faces = unseen(state, known)
    value += hand_worth(state, seat, known, tasks, mine, faces, left)
    offered = [theirs[kind_of(face)] for deck in faces for face in deck]
    for step in range(1, seats):
        rival = players[(seat + step) % seats]
        rest = actions_left(state, (seat + step) % seats)
        value -= (CARD * min(rival.cards, rest) + RESERVE * min(rival.reserve, rest)) // (seats - 1)
        if rest:
            value -= THREATS[step - 1] * best_of(offered, 0, min(1 + rival.cards, 3))
    return value


def tasks_of(state: State, shops: Shops, seat: int, known: Known) -> Tasks:
    """What the tasks bring; drawn ones that are still on their way count as a change to be expected."""
    player = state.players[seat]
    kept = TASKS_PER_PLAYER[len(state.players)]
    lines = lines_of(state, shops, seat, known, player.tasks)
    hidden = len(player.tasks) - len(lines)
    values = sorted((each.best for each in lines), reverse=True)
    sure, change = sum(values[:kept]), 0
    fresh = hidden or min(TASK_DRAW, len(state.task_pile))
    if hidden or (fresh and player.reserve and _holds_change(state, seat, known)):
        seen = {state.desk.face(slot, known) for slot in (*player.tasks, *(slot for slot, _ in state.task_discard))}
        others = [TaskLines(shops, face, seat, state.own_dragons).best for face in TASK_DECK if face not in seen]
        worst = values[kept - 1] if len(values) >= kept else 0
        change = best_of(others, worst, fresh) - worst
    return Tasks(lines, sure + change, 0) if hidden else Tasks(lines, sure, change)


def _faces(state: State, seat: int, known: Known) -> Iterator[tuple[int, int | None]]:
    """Colour and face of every card in a hand."""
    for colour, slots in enumerate(state.players[seat].hand):
        for slot in slots:
            yield colour, state.desk.face(slot, known)


def _holds_change(state: State, seat: int, known: Known) -> bool:
    return any(face is not None and SHOP_CARDS[face].bonus == TASK for _, face in _faces(state, seat, known))


def unseen(state: State, known: Known) -> list[list[int]]:
    """By colour: the faces of cards that have not been seen."""
    seen = {*state.discard, state.card}
    for seat in range(len(state.players)):
        seen.update(face for _, face in _faces(state, seat, known) if face is not None)
    return [[face for face in deck if face not in seen] for deck in DECKS]


class _Cards:
    """What a card would bring now, by its better half."""

    def __init__(self, state: State, seat: int, tasks: Tasks, best: list[int], left: int) -> None:
        me = state.players[seat]
        self._best, self._has_dragon = best, me.reserve > 0
        self._plain, self._ridden = [0, 0, 0], [0, 0, 0]  # by colour: a shop on the line of a task, one with a dragon
        for lines in tasks.lines[: TASKS_PER_PLAYER[len(state.players)]]:
            self._plain[lines.plus] += EXPECTED * PLUS_SHOP
            dragon = PLUS_DRAGON + FINAL_OWNER_PER_DRAGON if state.own_dragons else 0
            self._ridden[lines.plus] += EXPECTED * (PLUS_SHOP + dragon)
        room = min(2, HAND_LIMIT + 1 - me.cards, sum(1 for pile in state.piles if pile))
        self._bonus = [SHIFT] * 5
        self._bonus[DRAW] = ACTION * room if left > 3 else 0
        self._bonus[TASK] = EXPECTED * tasks.change
        self._bonus[DOUBLE] = POINT * max(best) if left > 1 else 0
        self._dragon = PLACED + PER_ACTION * left - RESERVE

    def brings(self, face: int) -> int:
        card = SHOP_CARDS[face]
        upper = POINT * self._best[kind_of(face)] + self._plain[card.colour]
        if not self._has_dragon:
            return upper
        return max(upper, self._bonus[card.bonus] + self._ridden[card.colour] + self._dragon)


def hand_worth(
    state: State, seat: int, known: Known, tasks: Tasks, best: list[int], faces: list[list[int]], left: int
) -> int:
    """What the cards in hand and the dragons in reserve will bring in the actions that are left."""
    cards = _Cards(state, seat, tasks, best, left)
    values = []
    for colour, face in _faces(state, seat, known):
        if face is not None:
            values.append(cards.brings(face))
        else:
            each = [cards.brings(other) for other in faces[colour]]
            values.append(sum(each) // max(1, len(each)))
    values.sort(reverse=True)
    total = RESERVE * min(state.players[seat].reserve, left)
    if state.ended:
        return total + sum(values[:left])
    floor = FLOOR if left > 6 else 0
    for place, value in enumerate(values[:left]):
        price = ACTION if left > place + 3 else ACTION * (left - place - 1) // 3
        total += max(0, max(value * WAITS // 100, floor) - price) * USED[min(place, 3)] // 100
    return total
