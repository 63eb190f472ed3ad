"""How good a position looks to a seat, and what a stand-in plays for a seat whose player has left."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from ...core.action import Action
from ...core.game import public_knowledge
from ...core.value import Known
from .actions import Claim, EndTurn
from .data import (
    ABILITIES,
    ACTIONS,
    BOARDS,
    DEVELOP_ABILITY,
    EXTRA_OFFICE,
    KEYS,
    MERCHANT,
    PLUS_3,
    PLUS_4,
    PRIVILEGE,
    STEPS,
    TRADER,
    VALUES,
)
from .position import controller, largest_network, offices_of
from .rules import apply, candidates
from .scoring import ability_points, marker_count, marker_points, mission_points, region_points, special_points
from .state import Claiming, State

POINT = 100  # one point of the final score
_STEP = ((60, 120, 60, 60), (600, 150, 500, 150, 400), (260, 220, 180), (90, 70, 60), (160, 110, 60))
_LEVEL = tuple(tuple(sum(steps[:level]) for level in range(len(steps) + 1)) for steps in _STEP)
_MARKER = {EXTRA_OFFICE: 120, DEVELOP_ABILITY: 200, PLUS_3: 150, PLUS_4: 190}


@lru_cache(maxsize=8192)
def _city_values(
    number: int, seats: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...]
) -> tuple[tuple[int, int, int, int], ...]:
    """Per seat: controlled cities, largest network, offices, region points; most actions leave them alone."""
    bare = _bare(number, seats, rows, extras)
    board = BOARDS[number]
    controllers = [controller(bare, city) for city in range(len(board.cities))]
    regions = region_points(bare, controllers) if board.scored_regions else [0] * seats
    return tuple(
        (controllers.count(seat), largest_network(bare, seat), sum(offices_of(bare, seat)), regions[seat])
        for seat in range(seats)
    )


def _bare(number: int, seats: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...]) -> State:
    """A state with nothing but offices, for questions about cities."""
    from ...core.chance import Desk

    return State(Desk(), number, seats, 0, 0, b"", 0, 3, (), b"", rows, extras, b"", b"", (), ())


def _route_worth(state: State, seat: int, number: int) -> int:
    """What claiming a route would roughly bring this seat."""
    board = state.board
    route = board.routes[number]
    player = state.players[seat]
    best = 40
    for city in (route.a, route.b):
        found = board.cities[city]
        for ability in found.abilities:
            if player.levels[ability] < STEPS[ability]:
                best = max(best, _STEP[ability][player.levels[ability]])
        filled = len(state.rows[city])
        if filled < len(found.spaces) and found.spaces[filled].colour <= player.levels[PRIVILEGE]:
            best = max(best, 330 + 100 * found.spaces[filled].coin)
    return best + (180 if state.markers[number] else 0)


def _posts_value(state: State, seat: int) -> int:
    """Progress on routes: worth more the nearer a route is to its claim, little where others stand."""
    total = 0
    own = (1 + 2 * seat, 2 + 2 * seat)
    posts = state.posts
    for number, route in enumerate(state.board.routes):
        line = posts[route.first : route.end]
        mine = line.count(own[0]) + line.count(own[1])
        if not mine:
            continue
        size = route.end - route.first
        theirs = size - mine - line.count(0)
        worth = _route_worth(state, seat, number)
        total += 20 * mine
        if theirs:
            total += worth * mine // (8 * size * (1 + theirs))
        else:
            total += worth * mine * mine // (2 * size * size)
    return total


def _seat_value(state: State, seat: int, known: Known) -> int:
    player = state.players[seat]
    controlled, network, offices, regions = _city_values(state.map, state.seats, state.rows, state.extras)[seat]
    keys = VALUES[KEYS][player.levels[KEYS]]
    points = (
        player.score
        + ability_points(player)
        + marker_points(marker_count(state, seat))
        + special_points(state, seat)
        + 2 * controlled
        + network * keys
        + regions
    )
    total = POINT * points + 60 * offices
    face = state.desk.face(player.mission, known) if player.mission >= 0 else None
    if face is not None:
        controllers = [controller(state, city) for city in range(len(state.board.cities))]
        total += POINT * mission_points(state, seat, face, controllers)
    if state.ended:
        return total
    total += sum(_LEVEL[ability][player.levels[ability]] for ability in range(len(ABILITIES)))
    total += sum(_MARKER.get(marker, 70) for marker in player.unused)
    total += 110 * len(player.favours)
    ready = player.personal[TRADER] + 2 * player.personal[MERCHANT]
    total += 24 * min(ready, 6) + 6 * max(0, ready - 6)
    return total + _posts_value(state, seat)


def evaluate(state: State, seat: int, known: Known) -> int:
    """Own prospects against those of the strongest other seat; an open claim counts as its best result."""
    if state.todo and isinstance(state.todo[0], Claiming) and state.desk.want is None:
        task = state.todo[0]
        return (
            max(_settled(apply(state, action)[0], seat, known) for action in candidates(state, known)) + 1
            if task.by == seat
            else _settled(state, seat, known)
        )
    return _settled(state, seat, known)


def _settled(state: State, seat: int, known: Known) -> int:
    own = _seat_value(state, seat, known)
    # each action left is worth something: the reason to develop the actions, and to play a marker late
    own += 30 * state.actions if state.active == seat else 0
    others = max(_seat_value(state, other, {}) for other in range(state.seats) if other != seat)
    return own - others // 3


def stand_in(state: State) -> Action:
    """The action with the best prospects by public knowledge; the first of equals, so all nodes agree."""
    known = public_knowledge(state)
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return actions[0]
    seat = actions[0].seat
    for action in actions:
        if isinstance(action, Claim):
            return action  # claims are what brings a match to its end
    best, choice = None, actions[-1]
    for action in actions:
        if isinstance(action, EndTurn) and state.actions > 0 and len(actions) > 1:
            continue  # an unused action never helps the table along
        value = evaluate(apply(state, action)[0], seat, known)
        if best is None or value > best:
            best, choice = value, action
    return choice


__all__ = ["ACTIONS", "replace"]
