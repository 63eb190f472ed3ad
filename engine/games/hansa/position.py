"""Questions about a position that several rules ask: control, free posts, permits, networks."""

from __future__ import annotations

from collections.abc import Sequence

from .data import ACTIONS, EXTRA_ACTION, FREE_RELOCATION, MERCHANT, NEUTRAL, NEUTRAL_TRADER, ROUTE_BLOCK, VALUES, Board
from .state import Player, State, owner_of

_NEUTRAL_PAIR = bytes((NEUTRAL_TRADER, NEUTRAL_TRADER))
# owner -> tables for bytes.translate: 1 for each piece of this owner, or of the others
_OWN = tuple(bytes(int(owner_of(code) == owner) for code in range(256)) for owner in range(NEUTRAL + 1))
_OTHERS = tuple(bytes(int(owner_of(code) not in (owner, -1)) for code in range(256)) for owner in range(NEUTRAL + 1))


def value(player: Player, ability: int) -> int:
    """What an ability is worth now."""
    return VALUES[ability][player.levels[ability]]


def actions_per_turn(player: Player) -> int:
    """Actions at the start of a turn; one more with the tile."""
    return value(player, ACTIONS) + (EXTRA_ACTION in player.favours)


def row_of(state: State, city: int) -> bytes:
    """All offices of a city from the least to the most valuable (13.3)."""
    return state.extras[city] + state.rows[city]


def controller(state: State, city: int) -> int:
    """Who controls a city (perhaps the neutral player), or -1: most offices, then the rightmost (13.3)."""
    return row_controller(state.extras[city] + state.rows[city])


def row_controller(row: bytes) -> int:
    """The same for a row of offices from the least to the most valuable."""
    if not row:
        return -1
    counts = [0] * (NEUTRAL + 1)
    for code in row:
        counts[owner_of(code)] += 1
    most = max(counts)
    for code in reversed(row):
        if counts[owner_of(code)] == most:
            return owner_of(code)
    return -1


def offices_of(state: State, seat: int) -> list[int]:
    """How many offices a seat has in each city."""
    codes = (1 + 2 * seat, 2 + 2 * seat)
    counts: list[int] = []
    for row, extra in zip(state.rows, state.extras, strict=True):
        whole = extra + row
        counts.append(whole.count(codes[0]) + whole.count(codes[1]) if whole else 0)
    return counts


def is_linked(state: State, seat: int) -> int:
    """1 if the seat has offices all along a chain between the two end cities (13.4)."""
    board = state.board
    west, east = board.east_west
    offices = offices_of(state, seat)
    if not offices[west] or not offices[east]:
        return 0
    seen, queue = {west}, [west]
    while queue:
        here = queue.pop()
        if here == east:
            return 1
        for city in sorted(board.neighbours[here]):
            if offices[city] and city not in seen:
                seen.add(city)
                queue.append(city)
    return 0


def largest_network(state: State, seat: int) -> int:
    """Offices in the largest connected group of own cities (section 23)."""
    return network(state.board, offices_of(state, seat))


def network(board: Board, offices: Sequence[int]) -> int:
    """The same for offices by city."""
    seen: set[int] = set()
    best = 0
    for start, count in enumerate(offices):
        if not count or start in seen:
            continue
        seen.add(start)
        queue, total = [start], 0
        while queue:
            here = queue.pop()
            total += offices[here]
            for city in sorted(board.neighbours[here]):
                if offices[city] and city not in seen:
                    seen.add(city)
                    queue.append(city)
        best = max(best, total)
    return best


def has_free_space(state: State, city: int) -> int:
    """1 if a printed office space of the city is empty."""
    return int(len(state.rows[city]) < len(state.board.cities[city].spaces))


def own_posts(state: State, owner: int) -> bytes:
    """Per post 1 if a piece of this owner stands there."""
    return state.posts.translate(_OWN[owner])


def foreign_posts(state: State, owner: int) -> bytes:
    """Per post 1 if a piece of anybody else stands there."""
    return state.posts.translate(_OTHERS[owner])


def owns_route(state: State, seat: int, route: int) -> int:
    """1 if every post of the route holds a piece of this owner."""
    found = state.board.routes[route]
    return int(own_posts(state, seat).find(0, found.first, found.end) < 0)


def owned_routes(state: State, seat: int) -> list[int]:
    """Routes on which every post holds a piece of this owner."""
    own = own_posts(state, seat)
    if b"\1\1" not in own:
        return []  # no route has fewer posts
    return [number for number, route in enumerate(state.board.routes) if own.find(0, route.first, route.end) < 0]


def neutral_routes(state: State) -> list[int]:
    """Routes on which every post holds a neutral trader."""
    posts = state.posts
    if _NEUTRAL_PAIR not in posts:
        return []  # the usual case after every action of a match of two: no route has fewer posts
    return [
        number
        for number, route in enumerate(state.board.routes)
        if all(code == NEUTRAL_TRADER for code in posts[route.first : route.end])
    ]


def accepts(board: Board, post: int, shape: int) -> bool:
    """Ship posts take merchants only."""
    return shape == MERCHANT or not board.post_ship[post]


def free_posts(state: State, shape: int) -> list[int]:
    """All empty posts that take this shape."""
    posts = state.posts
    return [post for post in state.board.takers[shape] if not posts[post]]


def destinations(state: State, origin: int, owner: int, shape: int) -> list[int]:
    """Where a piece may go after a displacement on route `origin`: the nearest ring with a fitting post (10.4)."""
    if owner != NEUTRAL and FREE_RELOCATION in state.players[owner].favours:
        return free_posts(state, shape)  # R30: the whole board, the origin included
    posts = state.posts
    for ring in state.board.rings[shape][origin]:
        spots = [post for post in ring if not posts[post]]
        if spots:
            return spots
    return []


def has_destination(state: State, origin: int, owner: int, shape: int) -> bool:
    """The same as a question: stops at the first fitting post."""
    if owner != NEUTRAL and FREE_RELOCATION in state.players[owner].favours:
        return bool(free_posts(state, shape))
    posts = state.posts
    for ring in state.board.rings[shape][origin]:
        for post in ring:
            if not posts[post]:
                return True
    return False


def blocks_on(state: State, route: int) -> int:
    """How many block markers lie beside a route."""
    return sum(1 for promo in state.promos if promo.route == route and promo.marker == ROUTE_BLOCK)


FREE, BARRED = -1, -2  # no permit needed; none to be had


def permit_for(state: State, seat: int, route: int) -> int:
    """The city whose permit an action on this route uses up, FREE in England, or BARRED (21.2, R8)."""
    board = state.board
    region = board.routes[route].region
    if region == board.home:
        return FREE
    for city in board.permit_cities[region]:
        row = state.rows[city]
        if row and owner_of(row[-1]) == seat and city not in state.permits:
            return city
    return BARRED
