"""How many points a seat of the fair may hope for, for those who judge positions between turns.

`worth` guides a turn: it knows what the next card will bring. As a forecast it is poor, because it holds every dragon
for worth less than a point. Here the points at the end are foretold from what each seat has, by least squares over
160 matches of the plan against itself. In matches that were kept apart it foretells 53 per cent of the spread of final
points in the last seven actions (`worth` 45, the score alone 24), 27 in the seven before (17 and 10), 3 earlier (none).
`scripts/bot_ladder fit --games joban --matches 160` plays and fits anew; other deals give other figures (47 and 12 per
cent once), so weigh a change by matches before it replaces these.

What a thing is worth changes with the actions that are left: each has a worth when none is left, and a change by ten of
them. A point of the own line is certain at the end and may be lost before; a dragon in reserve is a bonus to come.
"""

from __future__ import annotations

from kontor_games.engine import Known
from kontor_games.engine.games.joban.field import lookup
from kontor_games.engine.games.joban.state import OVER, State

from .spots import best_points
from .worth import actions_left, hand_worth, tasks_of, unseen

POINT = 100
LONG = 20  # actions beyond which nothing changes any more
# In hundredths of a point: when no action is left, and more for ten actions
SURE = (101, -40)  # a point of the own line
PLACED = (113, 77)  # a dragon on the field
RESERVE = (368, 58)  # a dragon that can still be placed
CARD = (219, -258)  # a card in hand
HAND = (3, 48)  # per cent of what the plan thinks the hand will bring
TURN = (366, -216)  # to be on turn
NEXT = (135, -67)  # to be next

Features = tuple[int, int, int, int, int, int, int, int]


def features(state: State, seat: int, known: Known) -> Features:
    """Score, line, dragons on the field and in reserve, cards, what these may bring, whether on turn or next."""
    player, shops, seats = state.players[seat], lookup(state.field), len(state.players)
    tasks = tasks_of(state, shops, seat, known)
    left = actions_left(state, seat)
    hand = hand_worth(state, seat, known, tasks, best_points(shops, state.half, seat)[0], unseen(state, known), left)
    placed = sum(1 for _, dragon in shops.values() if dragon == seat)
    turns = (seat - state.active) % seats
    return player.score, tasks.sure, placed, player.reserve, player.cards, hand, int(turns == 0), int(turns == 1)


def standing(state: State, seat: int, known: Known) -> int:
    """The points that a seat may hope for, in hundredths."""
    score, sure, placed, reserve, cards, hand, turn, following = features(state, seat, known)
    if state.phase == OVER:
        return POINT * score
    left = min(LONG, actions_left(state, state.active))

    def now(worth: tuple[int, int]) -> int:
        return worth[0] + worth[1] * left // 10

    total = POINT * score + now(SURE) * sure + now(PLACED) * placed + now(RESERVE) * reserve + now(CARD) * cards
    return total + now(HAND) * hand // 100 + now(TURN) * turn + now(NEXT) * following
