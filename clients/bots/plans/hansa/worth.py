"""What a seat holds in Hansa Teutonica, in hundredths of a point at the end: points that are safe, and what abilities,
markers, offices and the way from east to west will still bring in the rounds that are left.
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush

from kontor_games.engine import Known
from kontor_games.engine.core.chance import Desk
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
from kontor_games.engine.games.hansa.position import network, row_controller
from kontor_games.engine.games.hansa.scoring import (
    ability_points,
    marker_count,
    marker_points,
    mission_points,
    region_points,
    special_points,
)
from kontor_games.engine.games.hansa.state import (
    OVER,
    PLAYING,
    SHOWING,
    State,
    piece_code,
)

POINT = 100
ACTION = 60  # what one more action in a turn brings on the whole
WON = 4000  # a match that ends now
SEATS = 5  # at most
ENOUGH, SHORTAGE = 7, 90  # pieces that are not offices yet; below that each is missed
_STEPS = (  # tracks by level, in tenths; a step that changes nothing is half of the next one that does
    (10, 20, 25, 30, 40),  # keys: times the offices of the network
    (20, 30, 35, 40, 45, 50),  # actions
)
MARKER_WORTH = {EXTRA_OFFICE: 90, SWAP_OFFICES: 30, MOVE_3: 30, DEVELOP_ABILITY: 75, PLUS_3: 110, PLUS_4: 150}
_HASTE = (0, 0, 100, 100, 40, -40)  # per cent of that by players: many of them soon empty the supply, which ends it all
_LINK = (0, 70, 60, 50, 40, 30, 20, 10, 5)  # per cent of the prize with so many cities to go
_AIM, _STEP = 200, 25  # more of it for whoever has all actions, and less of that for each city: the chain is a target


def rounds_left(state: State) -> int:
    """How many more rounds there will be, roughly: by points, by full cities, by markers."""
    lead = max(player.score for player in state.players)
    by_points = 1 + max(0, END_POINTS - lead) * 5 // 4
    by_cities = 1 + 3 * max(0, state.board.limit - state.completed)
    by_markers = 2 + 7 * len(state.supply) // 4
    return min(by_points, by_cities, by_markers)


@lru_cache(maxsize=4096)
def cities(
    number: int, seats: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Controllers; per seat the largest network, offices by city, and points of regions."""
    board = BOARDS[number]
    found = [_city(extra + row) for extra, row in zip(extras, rows, strict=True)]
    ruled = tuple(each[0] for each in found)
    offices = tuple(tuple(each[1 + seat] for each in found) for seat in range(seats))
    networks = tuple(_network(number, mine) for mine in offices)
    regions = [0] * seats
    if board.scored_regions:
        bare = State(Desk(), number, seats, 0, 0, b"", 0, PLAYING, (), b"", rows, extras, b"", b"", (), ())
        regions = region_points(bare, list(ruled))
    return ruled, networks, offices, tuple(regions)


@lru_cache(maxsize=4096)
def _city(row: bytes) -> tuple[int, ...]:
    """Who controls a city with these offices, and how many of them each seat has."""
    return (row_controller(row), *(row.count(code) + row.count(code + 1) for code in range(1, 2 * SEATS, 2)))


@lru_cache(maxsize=4096)
def _network(number: int, offices: tuple[int, ...]) -> int:
    return network(BOARDS[number], offices)


def points(state: State, seat: int) -> int:
    """The final score as far as everybody can see it."""
    ruled, networks, _, regions = cities(state.map, state.seats, state.rows, state.extras)
    player = state.players[seat]
    return (
        player.score
        + ability_points(player)
        + marker_points(marker_count(state, seat) if state.promos else len(player.unused) + len(player.used))
        + (special_points(state, seat) if any(state.prestige) else 0)
        + (4 if CITY_PATRON in player.favours else 2) * ruled.count(seat)
        + networks[seat] * VALUES[KEYS][player.levels[KEYS]]
        + regions[seat]
    )


@lru_cache(maxsize=4096)
def _way_to_go(
    number: int, rows: tuple[bytes, ...], extras: tuple[bytes, ...], mine: tuple[int, ...], colour: int, discs: bool
) -> int:
    """How many cities are missing on the shortest chain of own offices from east to west; 99 if there is no way.

    A city counts twice if its next space needs a higher privilege, or a merchant and there is none.
    """
    board = BOARDS[number]
    west, east = board.east_west

    def price(city: int) -> int:
        if mine[city]:
            return 0
        spaces, filled = board.cities[city].spaces, len(rows[city])
        if filled < len(spaces):
            lacks_disc = spaces[filled].shape == MERCHANT and not discs
            return 1 + (spaces[filled].colour > colour) + lacks_disc
        return 3 if spaces or extras[city] else 2

    far = {west: price(west)}
    queue = [(far[west], west)]
    while queue:
        way, here = heappop(queue)
        if here == east:
            return way
        if way > far[here]:
            continue
        for city in board.neighbours[here]:
            there = way + price(city)
            if there < far.get(city, 99):
                far[city] = there
                heappush(queue, (there, city))
    return 99


def worth(state: State, seat: int, left: int, known: Known) -> int:
    """What a seat holds, in hundredths of a point."""
    ruled, networks, offices, _ = cities(state.map, state.seats, state.rows, state.extras)
    player, board = state.players[seat], state.board
    mine, levels = offices[seat], player.levels
    total = POINT * points(state, seat)
    growth = left // 3  # offices still to come
    total += 10 * (networks[seat] + growth) * _STEPS[0][levels[KEYS]]
    total -= POINT * networks[seat] * VALUES[KEYS][levels[KEYS]]
    total += ACTION * left * _STEPS[1][levels[ACTIONS]] // 10
    total += (60 + 14 * left) * levels[PRIVILEGE]
    total += (20 + 9 * left) * levels[BANK] + (15 + 6 * left) * levels[BOOK]
    unused = sum(MARKER_WORTH.get(marker, 40) for marker in player.unused) * min(left, 4) // 4
    total += unused * _HASTE[state.seats] // 100
    if EXTRA_ACTION in player.favours:
        total += ACTION * left
    total -= SHORTAGE * max(0, ENOUGH - pieces(state, seat))
    total += sum(7 * left * len(board.cities[city].routes) for city, owner in enumerate(ruled) if owner == seat)
    if not player.linked and state.linked < len(board.east_west_points):
        discs = merchants(state, seat) > 0
        far = _way_to_go(state.map, state.rows, state.extras, mine, levels[PRIVILEGE], discs)
        if far <= left:
            aimed = max(0, _AIM - _STEP * far) * levels[ACTIONS] // 5
            total += board.east_west_points[state.linked] * (_LINK[min(far, 8)] + aimed)
    elif player.linked:
        total += max(board.east_west_points) * _AIM * levels[ACTIONS] // 5
    face = state.desk.face(player.mission, known) if player.mission >= 0 else None
    if face is not None:
        total += POINT * mission_points(state, seat, face, list(ruled))
    return total


def merchants(state: State, seat: int) -> int:
    """Merchants that are not offices yet."""
    player = state.players[seat]
    return player.personal[MERCHANT] + player.general[MERCHANT] + state.posts.count(piece_code(seat, MERCHANT))


def pieces(state: State, seat: int) -> int:
    """Pieces that can still be put on posts: all but those that became offices."""
    player = state.players[seat]
    on_posts = state.posts.count(piece_code(seat, TRADER)) + state.posts.count(piece_code(seat, MERCHANT))
    return on_posts + sum(player.personal) + sum(player.general)


def standing(state: State, seat: int, left: int, known: Known) -> int:
    """Own worth against the others' points; the result if the match ends here."""
    others = [points(state, other) for other in range(state.seats) if other != seat]
    if state.ended or state.stage in (SHOWING, OVER):
        own = points(state, seat)
        face = state.desk.face(state.players[seat].mission, known) if state.players[seat].mission >= 0 else None
        if face is not None:
            ruled = cities(state.map, state.seats, state.rows, state.extras)[0]
            own += mission_points(state, seat, face, list(ruled))
        lead = own - max(others)
        return POINT * lead + (WON if lead > 0 else -WON) + worth(state, seat, left, known) - POINT * own
    return worth(state, seat, left, known) - 35 * sum(others)
