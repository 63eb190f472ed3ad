"""How good a position looks to a seat, and what a stand-in plays for a seat whose player has left."""

from __future__ import annotations

from functools import lru_cache

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.chance import Desk
from kontor_games.engine.core.game import public_knowledge
from kontor_games.engine.core.value import Known

from .actions import Claim, Displace, EndTurn, Income, Lift, Place
from .data import (
    BOARDS,
    CITY_PATRON,
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
from .state import PLAYING, Choosing, Claiming, Moving, Paying, State, Using, owner_of

POINT = 100  # one point of the final score
_STEP = ((60, 120, 60, 60), (600, 150, 500, 150, 400), (260, 220, 180), (90, 70, 60), (160, 110, 60))
_LEVEL = tuple(tuple(sum(steps[:level]) for level in range(len(steps) + 1)) for steps in _STEP)
_MARKER = {EXTRA_OFFICE: 120, DEVELOP_ABILITY: 60, PLUS_3: 0, PLUS_4: 0}  # more actions: use them when idle
_STANDING, _HIRED, _IN_STOCK = 12, 16, 8  # a piece on a post, in the personal supply, in the general stock
_LAST_WORD = 1000  # whoever leads wants the end, the others do not
_IN_TURN = 45  # rather a doubtful action than an idle turn: pieces that stand still win nothing

CityValues = tuple[tuple[int, ...], tuple[tuple[int, int, int, int], ...]]  # controllers; per seat four figures


@lru_cache(maxsize=8192)
def _city_values(number: int, seats: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...]) -> CityValues:
    """Controllers, and per seat cities, network, offices and region points; most actions leave them alone."""
    board = BOARDS[number]
    bare = State(Desk(), number, seats, 0, 0, b"", 0, PLAYING, (), b"", rows, extras, b"", b"", (), ())
    controllers = [controller(bare, city) for city in range(len(board.cities))]
    regions = region_points(bare, controllers) if board.scored_regions else [0] * seats
    return tuple(controllers), tuple(
        (controllers.count(seat), largest_network(bare, seat), sum(offices_of(bare, seat)), regions[seat])
        for seat in range(seats)
    )


@lru_cache(maxsize=65536)
def _claim_worth(
    number: int, route: int, levels: bytes, filled: tuple[int, int], ruled: tuple[int, int], marked: bool, disc: bool
) -> int:
    """What claiming a route roughly brings: `filled` spaces and rule (1 own, -1 foreign) of its two cities."""
    board = BOARDS[number]
    found = board.routes[route]
    best = 30
    bonus = 180 if marked else 0
    for city, taken, rule in zip((found.a, found.b), filled, ruled, strict=True):
        bonus += POINT if rule > 0 else -POINT // 3 if rule < 0 else 0
        for ability in board.cities[city].abilities:
            if levels[ability] < STEPS[ability]:
                best = max(best, _STEP[ability][levels[ability]])
        spaces = board.cities[city].spaces
        if taken < len(spaces) and spaces[taken].colour <= levels[PRIVILEGE] and (disc or not spaces[taken].shape):
            best = max(best, 330 + POINT * spaces[taken].coin)
    return max(0, best + bonus)


def _worth(state: State, seat: int, route: int, controllers: tuple[int, ...], disc: bool) -> int:
    """The same for a seat in a position; the few facts that matter are remembered."""
    found = state.board.routes[route]
    a, b = found.a, found.b
    rule_a, rule_b = controllers[a], controllers[b]
    ruled = (
        1 if rule_a == seat else -1 if rule_a >= 0 else 0,
        1 if rule_b == seat else -1 if rule_b >= 0 else 0,
    )
    filled = (len(state.rows[a]), len(state.rows[b]))
    return _claim_worth(state.map, route, state.players[seat].levels, filled, ruled, state.markers[route] > 0, disc)


def _line_worth(worth: int, mine: int, size: int, theirs: int) -> int:
    """Own pieces on a route: worth more the nearer it is to its claim, and little where others stand."""
    if mine == size:
        return worth * 6 // 10 + _IN_STOCK * mine  # a full route waits for its claim, which returns the pieces
    if theirs:
        return worth * mine // (8 * size * (1 + theirs)) + _STANDING * mine
    return worth * mine**3 // (2 * size**3) + _STANDING * mine


def _posts_value(state: State, seat: int, hand: int, controllers: tuple[int, ...]) -> int:
    """Progress on all routes; pieces in hand count as put down where they help most."""
    trader, merchant = 1 + 2 * seat, 2 + 2 * seat
    posts = state.posts
    total, gain = 0, 0
    for number, route in enumerate(state.board.routes):
        line = posts[route.first : route.end]
        if not hand and trader not in line and merchant not in line:
            continue
        mine = line.count(trader) + line.count(merchant)
        size, free = len(line), line.count(0)
        theirs = size - mine - free
        # a round space needs a merchant: a full route has one or not, any other may still get one
        worth = _worth(state, seat, number, controllers, bool(free) or merchant in line)
        now = _line_worth(worth, mine, size, theirs) if mine else 0
        total += now
        if hand and free:
            put = min(hand, free)
            if put == free and merchant not in line:
                worth = _worth(state, seat, number, controllers, False)
            gain = max(gain, _line_worth(worth, mine + put, size, theirs) - now - _STANDING * put)
    return total + (_STANDING - 2) * hand + gain  # a little less than standing: no piece is lifted for nothing


def _points(state: State, seat: int, cities: tuple[tuple[int, int, int, int], ...]) -> int:
    """The final score as far as everybody can see it."""
    player = state.players[seat]
    controlled, network, _, regions = cities[seat]
    return (
        player.score
        + ability_points(player)
        + marker_points(marker_count(state, seat))
        + (special_points(state, seat) if any(state.prestige) else 0)
        + (4 if CITY_PATRON in player.favours else 2) * controlled
        + network * VALUES[KEYS][player.levels[KEYS]]
        + regions
    )


def _prospects(state: State, seat: int, known: Known) -> int:
    """Points so far, and what abilities, markers and pieces promise."""
    player = state.players[seat]
    controllers, cities = _city_values(state.map, state.seats, state.rows, state.extras)
    total = POINT * _points(state, seat, cities)
    face = state.desk.face(player.mission, known) if player.mission >= 0 else None
    if face is not None:
        total += POINT * mission_points(state, seat, face, list(controllers))
    total += 60 * cities[seat][2]
    total += sum(levels[level] for levels, level in zip(_LEVEL, player.levels, strict=True))
    total += sum(_MARKER.get(marker, 40) for marker in player.unused)
    total += 110 * len(player.favours)
    ready = player.personal[TRADER] + 2 * player.personal[MERCHANT]
    total += _HIRED * min(ready, 6) + _IN_STOCK * max(0, ready - 6) + _IN_STOCK * sum(player.general)
    hand = 0
    if state.todo and isinstance(state.todo[0], Moving):
        hand = sum(1 for _, code in state.todo[0].lifted if owner_of(code) == seat)
    return total + _posts_value(state, seat, hand, controllers)


def _settled(state: State, seat: int, known: Known) -> int:
    """Own prospects against the points of the strongest other seat."""
    own = _prospects(state, seat, known)
    if state.active == seat:
        own += _IN_TURN
    cities = _city_values(state.map, state.seats, state.rows, state.extras)[1]
    rival = max(_points(state, other, cities) for other in range(state.seats) if other != seat)
    if state.ended:
        own += _LAST_WORD if _points(state, seat, cities) >= rival else -_LAST_WORD
    return own - POINT * rival // 3


def evaluate(state: State, seat: int, known: Known) -> int:
    """How good the position looks to a seat; a decision it has begun counts as well as it can be finished."""
    while state.todo and state.todo[0].by == seat and isinstance(state.todo[0], (Choosing, Paying)):
        state = apply(state, next(iter(candidates(state, known))))[0]  # a trader serves before a merchant
    if state.todo and state.todo[0].by == seat and isinstance(state.todo[0], (Claiming, Using)):
        results = (apply(state, action)[0] for action in candidates(state, known))
        return 1 + max(_settled(after, seat, known) for after in results)
    return _settled(state, seat, known)


def stand_in(state: State) -> Action:
    """The action with the best prospects by public knowledge; the first of equals, so all nodes agree.

    Pieces are moved only if none can be hired, placed or displaced: those put ever more pieces onto the board until a
    route is full, while moving to and fro would never end.
    """
    actions = useful(state)
    if not state.todo and any(isinstance(action, (Income, Place, Displace)) for action in actions):
        actions = [action for action in actions if not isinstance(action, Lift)]
    return best_looking(state, actions)


def useful(state: State) -> list[Action]:
    """What a stand-in may consider: a claim if there is one, and no idle end of a turn."""
    actions = list(candidates(state, public_knowledge(state)))
    if isinstance(actions[0], Claim):
        return actions[:1]  # claims come first: they bring a match to its end
    if len(actions) > 1 and isinstance(actions[-1], EndTurn) and state.actions > 0:
        actions.pop()  # an unused action never helps the table along
    return actions


def best_looking(state: State, actions: list[Action]) -> Action:
    """The first of the actions after which the position looks best to their seat."""
    if len(actions) == 1:
        return actions[0]
    known, seat = public_knowledge(state), actions[0].seat
    return max(actions, key=lambda action: evaluate(apply(state, action)[0], seat, known))
