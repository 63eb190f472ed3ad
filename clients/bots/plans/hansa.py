"""A skilled player of Hansa Teutonica: always works at the route whose claim brings most per action.

**Worth.** `_worth` is what a seat holds, in hundredths of a point at the end: points that are safe, and what abilities,
markers, offices and the way from east to west will still bring in the rounds that are left.

**Claims.** What a route is worth to a seat is what `_worth` gains by the best result of claiming it, worked out by the
rules themselves on a board where the route is full. It does not depend on the other posts, so it is remembered.

**Projects.** A route costs actions: one for each post to be filled, moved pieces counted together, one for the claim,
and income for the pieces that are missing. The project with the most worth per action is worked at; ties go to the
lower number. A claim that ends the match counts as won or lost, by the exact points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from kontor_games.engine import Action, Game, Known
from kontor_games.engine.core.chance import Desk
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import (
    ACTIONS,
    BANK,
    BOARDS,
    BOOK,
    CITY_PATRON,
    DEVELOP_ABILITY,
    END_POINTS,
    EXTRA_ACTION,
    EXTRA_OFFICE,
    KEYS,
    MERCHANT,
    MOVE_3,
    PLUS_3,
    PLUS_4,
    PRIVILEGE,
    SWAP_OFFICES,
    TRADER,
    VALUES,
)
from kontor_games.engine.games.hansa.position import BARRED, controller, largest_network, offices_of, permit_for
from kontor_games.engine.games.hansa.rules import apply, candidates
from kontor_games.engine.games.hansa.scoring import (
    ability_points,
    marker_count,
    marker_points,
    mission_points,
    region_points,
    special_points,
)
from kontor_games.engine.games.hansa.state import (
    MARKER,
    OVER,
    PLAYING,
    SHOWING,
    Choosing,
    Claiming,
    Moving,
    Relocating,
    Replacing,
    State,
    change,
    owner_of,
    piece_code,
    shape_of,
)

POINT = 100
ACTION = 85  # what one more action in a turn brings on the whole
WON = 4000  # a match that ends now
ENOUGH, SHORTAGE = 7, 90  # pieces that are not offices yet; below that each is missed
_STEPS = (  # tracks by level, in tenths; a step that changes nothing is half of the next one that does
    (10, 20, 25, 30, 40),  # keys: times the offices of the network
    (20, 30, 35, 40, 45, 50),  # actions
)
_MARKER = {EXTRA_OFFICE: 180, SWAP_OFFICES: 60, MOVE_3: 60, DEVELOP_ABILITY: 150, PLUS_3: 220, PLUS_4: 300}
_LINK = (0, 70, 60, 50, 40, 30, 20, 10, 5)  # per cent of the prize with so many cities to go


class Project(NamedTuple):
    """A route to be claimed: worth per action, in thousandths, and what it takes."""

    rate: int
    route: int
    cost: int
    merchant: bool  # it needs one that does not stand there yet


def rounds_left(state: State) -> int:
    """How many more rounds there will be, roughly: by points, by full cities, by markers."""
    lead = max(player.score for player in state.players)
    by_points = 1 + max(0, END_POINTS - lead) * 5 // 4
    by_cities = 1 + 3 * max(0, state.board.limit - state.completed)
    by_markers = 2 + 7 * len(state.supply) // 4
    return min(by_points, by_cities, by_markers)


@lru_cache(maxsize=4096)
def _cities(
    number: int, seats: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Controllers; per seat the largest network, offices by city, and points of regions."""
    bare = State(Desk(), number, seats, 0, 0, b"", 0, PLAYING, (), b"", rows, extras, b"", b"", (), ())
    ruled = [controller(bare, city) for city in range(len(bare.board.cities))]
    regions = region_points(bare, ruled) if bare.board.scored_regions else [0] * seats
    networks = tuple(largest_network(bare, seat) for seat in range(seats))
    return tuple(ruled), networks, tuple(tuple(offices_of(bare, seat)) for seat in range(seats)), tuple(regions)


def points(state: State, seat: int) -> int:
    """The final score as far as everybody can see it."""
    ruled, networks, _, regions = _cities(state.map, state.seats, state.rows, state.extras)
    player = state.players[seat]
    return (
        player.score
        + ability_points(player)
        + marker_points(marker_count(state, seat))
        + (special_points(state, seat) if any(state.prestige) else 0)
        + (4 if CITY_PATRON in player.favours else 2) * ruled.count(seat)
        + networks[seat] * VALUES[KEYS][player.levels[KEYS]]
        + regions[seat]
    )


@lru_cache(maxsize=4096)
def _way_to_go(
    number: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...], mine: tuple[int, ...], colour: int
) -> int:
    """How many cities are missing on the shortest chain of own offices from east to west; 99 if there is no way."""
    board = BOARDS[number]
    west, east = board.east_west

    def price(city: int) -> int:
        if mine[city]:
            return 0
        spaces, filled = board.cities[city].spaces, len(rows[city])
        if filled < len(spaces):
            return 1 if spaces[filled].colour <= colour else 2
        return 3 if spaces or extras[city] else 2

    far = {west: price(west)}
    queue = [west]
    while queue:
        queue.sort(key=lambda city: (-far[city], city))
        here = queue.pop()
        if here == east:
            return far[here]
        for city in sorted(board.neighbours[here]):
            there = far[here] + price(city)
            if there < far.get(city, 99):
                far[city] = there
                queue.append(city)
    return 99


def _worth(state: State, seat: int, left: int, known: Known) -> int:
    """What a seat holds, in hundredths of a point."""
    ruled, networks, offices, _ = _cities(state.map, state.seats, state.rows, state.extras)
    player, board = state.players[seat], state.board
    mine, levels = offices[seat], player.levels
    total = POINT * points(state, seat)
    growth = left // 3  # offices still to come
    total += 10 * (networks[seat] + growth) * _STEPS[0][levels[KEYS]]
    total -= POINT * networks[seat] * VALUES[KEYS][levels[KEYS]]
    total += ACTION * left * _STEPS[1][levels[ACTIONS]] // 10
    total += (60 + 14 * left) * levels[PRIVILEGE]
    total += (20 + 9 * left) * levels[BANK] + (15 + 6 * left) * levels[BOOK]
    total += sum(_MARKER.get(marker, 40) for marker in player.unused) * min(left, 4) // 4
    if EXTRA_ACTION in player.favours:
        total += ACTION * left
    total -= SHORTAGE * max(0, ENOUGH - _pieces(state, seat))
    total += sum(7 * left * len(board.cities[city].routes) for city, owner in enumerate(ruled) if owner == seat)
    if not player.linked and state.linked < len(board.east_west_points):
        far = _way_to_go(state.map, state.rows, state.extras, mine, levels[PRIVILEGE])
        if far <= left:
            total += board.east_west_points[state.linked] * _LINK[min(far, 8)]
    face = state.desk.face(player.mission, known) if player.mission >= 0 else None
    if face is not None:
        total += POINT * mission_points(state, seat, face, list(ruled))
    return total


def _pieces(state: State, seat: int) -> int:
    """Pieces that can still be put on posts: all but those that became offices."""
    player = state.players[seat]
    on_posts = state.posts.count(piece_code(seat, TRADER)) + state.posts.count(piece_code(seat, MERCHANT))
    return on_posts + sum(player.personal) + sum(player.general)


def _standing(state: State, seat: int, left: int, known: Known) -> int:
    """Own worth against the others' points; the result if the match ends here."""
    others = [points(state, other) for other in range(state.seats) if other != seat]
    if state.ended or state.stage in (SHOWING, OVER):
        own = points(state, seat)
        face = state.desk.face(state.players[seat].mission, known) if state.players[seat].mission >= 0 else None
        if face is not None:
            ruled = _cities(state.map, state.seats, state.rows, state.extras)[0]
            own += mission_points(state, seat, face, list(ruled))
        lead = own - max(others)
        return POINT * lead + (WON if lead > 0 else -WON) + _worth(state, seat, left, known) - POINT * own
    return _worth(state, seat, left, known) - 35 * sum(others)


def _bare(state: State, seat: int) -> State:
    """The state without all that the worth of claims does not depend on, so that it can be remembered."""
    players = tuple(
        replace(
            player,
            personal=(min(_pieces(state, seat), ENOUGH + 4) if number == seat else 0, 0),
            general=(0, 0),
            plate=(),
            waiting=(),
        )
        for number, player in enumerate(state.players)
    )
    return replace(
        state,
        desk=Desk(),
        players=players,
        posts=bytes(len(state.posts)),
        supply=state.supply[:1],
        removed=(),
        round=1,
        active=seat,
        actions=1,
        fresh=0,
        permits=(),
        todo=(),
        max_rounds=0,
    )


@lru_cache(maxsize=256)
def _gains(bare: State, seat: int, left: int, face: int | None) -> tuple[tuple[int, int], ...]:
    """By route: what the best result of a claim brings with traders alone, and with a merchant among them."""
    known = {} if face is None else {bare.players[seat].mission: face}
    before = _standing(bare, seat, left, known)
    out: list[tuple[int, int]] = []
    for number, route in enumerate(bare.board.routes):
        found: list[int] = []
        rest = bare.players[seat].personal[TRADER] - (route.end - route.first)
        if rest < 0:
            out.append((0, 0))  # there are not enough pieces for it
            continue
        less = change(bare, seat, personal=(rest, 0))
        for merchant in (0, 1):
            line = [piece_code(seat, shape) for shape in route.ship]
            if merchant:
                line[0] = piece_code(seat, MERCHANT)
            full = replace(less, posts=bare.posts[: route.first] + bytes(line) + bare.posts[route.end :])
            claimed = apply(full, a.Claim(seat, number))[0]
            ends = (apply(claimed, result)[0] for result in candidates(claimed, known))
            found.append(max(_standing(end, seat, left, known) for end in ends) - before)
        out.append((found[0], found[1]))
    return tuple(out)


def gains(state: State, seat: int, known: Known) -> tuple[tuple[int, int], ...]:
    """By route: what a claim brings without and with a merchant."""
    mission = state.players[seat].mission
    face = state.desk.face(mission, known) if mission >= 0 else None
    left = rounds_left(state)
    return _gains(_bare(state, seat), seat, left, face)


def projects(state: State, seat: int, known: Known, hand: int = 0) -> list[Project]:
    """Every route that can be claimed, the most worthwhile first; `hand` pieces are just being moved."""
    worth = gains(state, seat, known)
    player = state.players[seat]
    trader, merchant = piece_code(seat, TRADER), piece_code(seat, MERCHANT)
    book, bank = VALUES[BOOK][player.levels[BOOK]], VALUES[BANK][player.levels[BANK]]
    own = sum(player.personal)
    spare = player.personal[MERCHANT] + player.general[MERCHANT]
    standing = len(_idle(state, seat, -1))
    per_turn = VALUES[ACTIONS][player.levels[ACTIONS]]
    left = rounds_left(state)
    out: list[Project] = []
    for number, route in enumerate(state.board.routes):
        line = state.posts[route.first : route.end]
        discs = line.count(merchant)
        mine = line.count(trader) + discs
        free = line.count(0)
        theirs = len(line) - mine - free
        plain, better = worth[number]
        takes_disc = better > plain + 25 and not discs and (free + theirs > 0) and spare > 0
        gain = better if discs or takes_disc else plain
        ships = sum(1 for at, ship in enumerate(route.ship) if ship and not line[at])
        if gain <= 0 or ships > spare + hand:
            continue
        if mine < len(line) and permit_for(state, seat, number) == BARRED:
            continue
        moved = min(hand, free)
        idle = min(standing - mine * (mine < len(line)), free - moved)
        use = idle if idle >= 2 or (idle and not own) else 0
        use = min(use, book) if own else use
        pieces = free - moved - use + sum(2 + shape_of(code) for code in line if code and owner_of(code) != seat)
        missing = max(0, pieces - own)
        if missing > sum(player.general):
            continue
        cost = 1 + (free - moved - use) + theirs + -(-use // book) + -(-missing // bank)
        if cost > per_turn * left + state.actions:
            continue
        turns = max(0, cost - state.actions + per_turn - 1) // per_turn
        rate = gain * 1000 // cost * (10 - min(turns, 4)) // 10
        out.append(Project(rate, number, cost, takes_disc))
    out.sort(key=lambda project: (-project.rate, project.route))
    return out


def _best_rate(state: State, seat: int, known: Known, hand: int = 0) -> int:
    found = projects(state, seat, known, hand)
    return found[0].rate if found else 0


def _posts_of(state: State, route: int) -> range:
    found = state.board.routes[route]
    return range(found.first, found.end)


def choose(game: Game[Any], state: State, known: Known, seat: int) -> Action:
    """What a skilled player does here."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return actions[0]
    if not state.todo:
        return _main(state, seat, known, actions)
    task = state.todo[0]
    if isinstance(task, Choosing):
        return _shape(state, task, known, actions)
    if isinstance(task, Moving):
        return _move(state, task, known, actions)
    if isinstance(task, Relocating):
        return _relocate(state, task, known, actions)
    if isinstance(task, Replacing):
        order = {project.route: place for place, project in enumerate(projects(state, seat, known))}
        return min(actions, key=lambda action: order.get(action.route, 99) if isinstance(action, a.PlaceMarker) else 99)
    return _by_standing(state, seat, known, actions)


def _by_standing(state: State, seat: int, known: Known, actions: Iterable[Action]) -> Action:
    """The action after which the seat stands best; of equals, the one that leaves the better project."""
    left = rounds_left(state)
    is_claim = isinstance(state.todo[0], Claiming) if state.todo else False

    def key(action: Action) -> tuple[int, int]:
        after = apply(state, action)[0]
        rate = 0 if is_claim or after.stage != PLAYING else _best_rate(after, seat, known)
        return _standing(after, seat, left, known), rate

    return max(actions, key=key)


def _main(state: State, seat: int, known: Known, actions: list[Action]) -> Action:
    """A marker that helps now, else the next step of the best project."""
    for action in actions:
        if isinstance(action, a.UseMarker) and _helps(state, seat, known, action):
            return action
        if isinstance(action, a.BuyFavour) and _is_bargain(state, seat, known, action):
            return action
    if state.actions > 0:
        legal = set(actions)
        for project in projects(state, seat, known)[:6]:
            step = _step(state, seat, project)
            if step is not None and step in legal:
                return step
        hired = _income(state, seat, False)
        if hired in legal:
            return hired
    return actions[-1]  # the end of the turn


def _helps(state: State, seat: int, known: Known, action: a.UseMarker) -> bool:
    if action.marker in (PLUS_3, PLUS_4):
        return bool(projects(state, seat, known))
    if action.marker == DEVELOP_ABILITY:
        return True
    left = rounds_left(state)
    if action.marker == MOVE_3:
        found = projects(state, seat, known)
        if not found or state.actions < 2:
            return False
        return any(0 <= owner_of(state.posts[post]) != seat for post in _posts_of(state, found[0].route))
    if action.marker == SWAP_OFFICES:
        before = _standing(state, seat, left, known) + _MARKER[SWAP_OFFICES]
        used = apply(state, action)[0]
        return any(_standing(apply(used, swap)[0], seat, left, known) > before for swap in candidates(used, known))
    return False


def _is_bargain(state: State, seat: int, known: Known, action: a.BuyFavour) -> bool:
    """A favour tile costs a turn and two markers."""
    left = rounds_left(state)
    bought = apply(state, action)[0]
    return _worth(bought, seat, left, known) > _worth(state, seat, left, known) + ACTION * state.actions + 150


def _step(state: State, seat: int, project: Project) -> Action | None:
    """The next action of a project."""
    player = state.players[seat]
    posts = _posts_of(state, project.route)
    empty = [post for post in posts if not state.posts[post]]
    foreign = [post for post in posts if state.posts[post] and owner_of(state.posts[post]) != seat]
    if not empty and not foreign:
        return a.Claim(seat, project.route)
    own = sum(player.personal)
    idle = _idle(state, seat, project.route)
    wanted = min(len(idle), len(empty))
    if wanted and (wanted >= 2 or not own) and not project.merchant:
        return a.Lift(seat, idle[0])
    if project.merchant and not player.personal[MERCHANT]:
        return _income(state, seat, True)
    needed = [post for post in empty if player.personal[MERCHANT] or not state.board.post_ship[post]]
    if needed and own:
        return a.Place(seat, needed[0])
    if foreign and not empty:
        post = min(foreign, key=lambda post: (shape_of(state.posts[post]), post))
        if own >= 2 + shape_of(state.posts[post]):
            return a.Displace(seat, post)
    return _income(state, seat, bool(empty))


def _idle(state: State, seat: int, route: int) -> list[int]:
    """Own pieces on other routes: traders first, those whose routes are farthest from a claim; full routes stay."""
    found: list[tuple[int, int, int]] = []
    for number, other in enumerate(state.board.routes):
        if number == route:
            continue
        mine = [post for post in range(other.first, other.end) if owner_of(state.posts[post]) == seat]
        if len(mine) < other.end - other.first:
            found += [(shape_of(state.posts[post]), len(mine), post) for post in mine]
    return [post for _, _, post in sorted(found)]


def _income(state: State, seat: int, merchant: bool) -> Action:
    """Hire as many as the bank gives: traders, and a merchant if one is wanted or traders run out."""
    player = state.players[seat]
    most = VALUES[BANK][player.levels[BANK]]
    discs = 1 if merchant and player.general[MERCHANT] and not player.personal[MERCHANT] else 0
    traders = min(player.general[TRADER], most - discs)
    return a.Income(seat, traders, min(player.general[MERCHANT], most - traders))


def _shape(state: State, task: Choosing, known: Known, actions: list[Action]) -> Action:
    """A merchant only where the claim needs one."""
    route = state.board.post_route[task.post]
    plain, better = gains(state, task.by, known)[route]
    stands = any(state.posts[post] == piece_code(task.by, MERCHANT) for post in _posts_of(state, route))
    return actions[-1] if better > plain + 25 and not stands else actions[0]


def _move(state: State, task: Moving, known: Known, actions: list[Action]) -> Action:
    """Own pieces go to the best project, pieces of others away from it."""
    found = projects(state, task.by, known, len(task.lifted))
    if not found:
        return _first(actions, a.Done) or actions[-1]
    target = found[0].route
    posts = _posts_of(state, target)
    if task.why == MARKER or (task.lifted and owner_of(task.lifted[0][1]) != task.by):
        return _clear(state, task, posts, actions)
    empty = sum(1 for post in posts if not state.posts[post])
    lifts = {action.post: action for action in actions if isinstance(action, a.Lift)}
    if len(task.lifted) < empty:
        for post in _idle(state, task.by, target):
            if post in lifts:
                return lifts[post]
    puts = [action for action in actions if isinstance(action, a.Put)]
    if not puts:
        return _first(actions, a.Done) or actions[0]
    best = {project.route: project.rate for project in found}
    return max(puts, key=lambda put: (put.post in posts, best.get(state.board.post_route[put.post], 0)))


def _clear(state: State, task: Moving, posts: range, actions: list[Action]) -> Action:
    for action in actions:
        if isinstance(action, a.Lift) and action.post in posts and owner_of(state.posts[action.post]) != task.by:
            return action
    puts = [action for action in actions if isinstance(action, a.Put) and action.post not in posts]
    done = _first(actions, a.Done)
    if puts:
        worth = gains(state, task.by, known={})
        return min(puts, key=lambda put: (worth[state.board.post_route[put.post]][0], put.post))
    return done or actions[0]


def _first(actions: Iterable[Action], kind: type[Action]) -> Action | None:
    return next((action for action in actions if isinstance(action, kind)), None)


def _relocate(state: State, task: Relocating, known: Known, actions: list[Action]) -> Action:
    """A displaced piece, and those that come with it, go where they help most; a neutral one where it hurts least."""
    extras = [action for action in actions if isinstance(action, a.Extra)]
    if extras:
        return extras[0]  # for nothing
    placed = [action for action in actions if isinstance(action, (a.Settle, a.Put))]
    if not placed:
        return _first(actions, a.Done) or actions[0]
    is_mine = task.owner == task.by
    seen: dict[int, int] = {}
    code = task.hand or task.piece
    judge: Callable[[Action], int] = lambda action: _after_put(state, task.by, known, action, code, seen)  # noqa: E731
    return max(placed, key=judge) if is_mine else min(placed, key=judge)


def _after_put(state: State, seat: int, known: Known, action: Action, code: int, seen: dict[int, int]) -> int:
    """The best project once a piece stands on a post; the posts of one route are as good as each other."""
    assert isinstance(action, (a.Settle, a.Put))
    route = state.board.post_route[action.post]
    if route not in seen:
        posts = state.posts[: action.post] + bytes((code,)) + state.posts[action.post + 1 :]
        found = projects(replace(state, posts=posts), seat, known)
        here = next((project.rate for project in found if project.route == route), 0)
        seen[route] = 2 * (found[0].rate if found else 0) + here
    return seen[route]
