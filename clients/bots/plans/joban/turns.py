"""Both actions of a turn of the fair, planned together.

The best few builds are followed by the best few second ones, and by drawing a card. If a card is to be drawn anyway,
it is drawn first, because its face may change the plan. A line ends where chance comes in; what is planned beyond the
moves of rivals' dragons is planned again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec.structs import replace

from kontor_games.engine import Action, Game, Known
from kontor_games.engine.games.joban.actions import Design, Play
from kontor_games.engine.games.joban.data import HAND_LIMIT
from kontor_games.engine.games.joban.field import lookup
from kontor_games.engine.games.joban.play import apply
from kontor_games.engine.games.joban.rules import candidates
from kontor_games.engine.games.joban.state import AIM, BONUS, PLACE, TARGET, TURN, State

from .builds import BRISK, CAREFUL, Care, Line, builds, settled
from .spots import lines_of
from .worth import ACTION, EXPECTED, POINT, worth

KNOWING = 10  # what it is worth to see a card before the other action
BONUS_CARDS, OPEN = 100, 200  # rough worths: a dragon used, a double or a change of task under way


class TurnPlan(NamedTuple):
    """What is done until chance comes in, and what it is worth."""

    worth: int
    actions: tuple[Action, ...]


def line(game: Game[Any], state: State, known: Known, seat: int) -> tuple[Action, ...]:
    """What a skilled player does here, up to where chance comes in; of equals the first."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return (actions[0],)
    return max(_all_plans(state, known, seat, actions, CAREFUL), key=lambda plan: plan.worth).actions


def brisk(game: Game[Any], state: State, known: Known, seat: int) -> tuple[Action, ...]:
    """The same at a glance, for those who play many turns on."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return (actions[0],)
    return max(_all_plans(state, known, seat, actions, BRISK), key=lambda plan: plan.worth).actions


def lines(game: Game[Any], state: State, known: Known, seat: int) -> list[tuple[tuple[Action, ...], int]]:
    """All lines that a skilled player thinks of, and their worth: the best of each choice of cards, then the others."""
    plans = _all_plans(state, known, seat, list(candidates(state, known)), CAREFUL)
    places: dict[tuple[Action, ...], int] = {}
    ranked: list[tuple[int, int, TurnPlan]] = []
    for number, plan in enumerate(sorted(plans, key=lambda plan: -plan.worth)):
        cards = tuple(action for action in plan.actions if isinstance(action, (Play, Design)))
        places[cards] = places.get(cards, 0) + 1
        ranked.append((places[cards], number, plan))
    return [(plan.actions, plan.worth) for _, _, plan in sorted(ranked, key=lambda each: each[:2])]


def _all_plans(state: State, known: Known, seat: int, actions: list[Action], care: Care) -> list[TurnPlan]:
    plans = _plans(state, known, seat, care) if state.phase in (TURN, PLACE, AIM, BONUS, TARGET) else []
    if not plans:  # a dragon of one's own, tasks to keep, final scoring
        plans = [TurnPlan(worth(settled(apply(state, each)[0], seat), seat, known), (each,)) for each in actions]
    return plans


def _plans(state: State, known: Known, seat: int, care: Care) -> list[TurnPlan]:
    """The lines of this turn that deserve a look."""
    found = [
        (worth(after, seat, known), (done, after)) for done, after in _likeliest(state, known, seat, care, care.judged)
    ]
    if state.action_no == 2:
        plans = [TurnPlan(value, done) for value, (done, _) in found]
        return plans + [TurnPlan(_after(state, draw, seat, known), (draw,)) for draw in _draws(state, known)]
    found.sort(key=lambda each: -each[0])
    plans = []
    pile: Design | None = None  # the pile that the best build draws from is good enough for the others
    for value, (done, after) in found[: care.followed]:
        if after.phase != TURN or after.active != seat:  # chance comes first: the other action is still to be had
            plans.append(TurnPlan(value + ACTION, done))
            continue
        draws = [draw for draw in _draws(after, known) if pile is None or draw == pile]
        if draws:
            judged = [(_after(after, draw, seat, known), draw) for draw in draws]
            value, pile = max(judged, key=lambda each: each[0])
            has_room = state.phase == TURN and state.players[seat].cards < HAND_LIMIT
            plans.append(TurnPlan(value + KNOWING, (pile,)) if has_room else TurnPlan(value, (*done, pile)))
        for more, end in _likeliest(after, known, seat, care, care.second):
            plans.append(TurnPlan(worth(end, seat, known), (*done, *more)))
    return plans + _two_draws(state, known, seat)


def _after(state: State, action: Action, seat: int, known: Known) -> int:
    return worth(apply(state, action)[0], seat, known)


def _draws(state: State, known: Known) -> list[Design]:
    if state.phase != TURN:
        return []
    return [action for action in candidates(state, known) if isinstance(action, Design)]


def _two_draws(state: State, known: Known, seat: int) -> list[TurnPlan]:
    """Drawing with both actions; the cards are judged by the faces that they may have."""
    if state.players[seat].cards > HAND_LIMIT - 2:
        return []
    plans = []
    for first in _draws(state, known):
        drawn = apply(state, first)[0]
        again = replace(drawn, phase=TURN, action_no=2, desk=replace(drawn.desk, want=None))
        for second in _draws(again, known):
            if second.pile >= first.pile:
                plans.append(TurnPlan(_after(again, second, seat, known), (first,)))
    return plans


def _likeliest(state: State, known: Known, seat: int, care: Care, most: int) -> list[Line]:
    """The builds that bring most at a rough glance."""
    found = list(builds(state, known, seat, care))
    found.sort(key=lambda each: -_glance(state, each[1], seat, known))
    return found[:most]


def _glance(before: State, after: State, seat: int, known: Known) -> int:
    """Points, the own tasks, and what a bonus roughly brings."""
    old, new = before.players[seat], after.players[seat]
    total = POINT * (new.score - old.score) + ACTION * (new.cards - old.cards)
    total += BONUS_CARDS * (old.reserve - new.reserve) + OPEN * (after.double + (len(new.tasks) > len(old.tasks)))
    lines = lines_of(after, lookup(after.field), seat, known, old.tasks)
    return total + EXPECTED * sum(each.best for each in lines)
