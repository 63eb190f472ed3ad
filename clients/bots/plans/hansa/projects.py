"""What claims are worth in Hansa Teutonica, and which route to work at.

**Claims.** What a route is worth to a seat is what `worth` gains by the best result of claiming it, worked out by the
rules themselves on a board where the route is full. It does not depend on the other posts, so it is remembered.

**Projects.** A route costs actions: one for each post to be filled, moved pieces counted together, one for the claim,
and income for the pieces that are missing. The project with the most worth per action is worked at; ties go to the
lower number.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from kontor_games.engine import Known
from kontor_games.engine.core.chance import Desk
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import (
    ACTIONS,
    BANK,
    BOOK,
    MERCHANT,
    TRADER,
    VALUES,
    Route,
)
from kontor_games.engine.games.hansa.position import BARRED, permit_for
from kontor_games.engine.games.hansa.rules import apply, candidates
from kontor_games.engine.games.hansa.state import (
    State,
    change,
    owner_of,
    piece_code,
    shape_of,
)

from .worth import ENOUGH, merchants, pieces, rounds_left, standing

NOWHERE = -1  # no route in mind


class Project(NamedTuple):
    """A route to be claimed: worth per action, in thousandths, and what it takes."""

    rate: int
    route: int
    cost: int
    merchant: bool  # it needs one that does not stand there yet


def _bare(state: State, seat: int) -> State:
    """The state without all that the worth of claims does not depend on, so that it can be remembered."""
    discs = min(1, merchants(state, seat))
    traders = min(pieces(state, seat), ENOUGH + 4) - discs
    players = tuple(
        replace(
            player,
            personal=(traders if number == seat else 0, 0),
            general=(0, discs if number == seat else 0),
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
    before = standing(bare, seat, left, known)
    out: list[tuple[int, int]] = []
    for number, route in enumerate(bare.board.routes):
        found: list[int] = []
        rest = bare.players[seat].personal[TRADER] - (route.end - route.first)
        if rest < 0:
            out.append((0, 0))  # there are not enough pieces for it
            continue
        less = change(bare, seat, personal=(rest, 0))
        for merchant in (0, 1) if _asks_for_merchant(bare, number) else (0,):
            line = [piece_code(seat, shape) for shape in route.ship]
            if merchant:
                line[0] = piece_code(seat, MERCHANT)
            full = replace(less, posts=bare.posts[: route.first] + bytes(line) + bare.posts[route.end :])
            claimed = apply(full, a.Claim(seat, number))[0]
            ends = (apply(claimed, result)[0] for result in candidates(claimed, known))
            found.append(max(standing(end, seat, left, known) for end in ends) - before)
        out.append((found[0], found[-1]))
    return tuple(out)


def _asks_for_merchant(state: State, route: int) -> bool:
    """Whether a claim of a route can bring something that needs a merchant."""
    for city in (state.board.routes[route].a, state.board.routes[route].b):
        found, filled = state.board.cities[city], len(state.rows[city])
        if found.special or (filled < len(found.spaces) and found.spaces[filled].shape == MERCHANT):
            return True
    return False


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
    merchant = piece_code(seat, MERCHANT)
    book, bank = VALUES[BOOK][player.levels[BOOK]], VALUES[BANK][player.levels[BANK]]
    own, stock = sum(player.personal), sum(player.general)
    spare = player.personal[MERCHANT] + player.general[MERCHANT]
    posts, routes = state.posts, state.board.routes
    mine_on = [_pieces_on(posts, seat, route) for route in routes]
    out_there = sum(mine for mine, route in zip(mine_on, routes, strict=True) if mine < route.end - route.first)
    per_turn = VALUES[ACTIONS][player.levels[ACTIONS]]
    affordable = per_turn * rounds_left(state) + state.actions
    out: list[Project] = []
    for number, (plain, better) in enumerate(worth):
        if plain <= 0 >= better:
            continue
        route, mine = routes[number], mine_on[number]
        line = posts[route.first : route.end]
        discs = line.count(merchant)
        free = line.count(0)
        theirs = len(line) - mine - free
        takes_disc = better > plain + 25 and not discs and (free + theirs > 0) and spare > 0
        gain = better if discs or takes_disc else plain
        ships = sum(1 for at, ship in enumerate(route.ship) if ship and not line[at]) if free else 0
        if gain <= 0 or ships > spare + hand:
            continue
        if mine < len(line) and permit_for(state, seat, number) == BARRED:
            continue
        moved = min(hand, free)
        lifted = min(out_there - mine * (mine < len(line)), free - moved)
        use = lifted if lifted >= 2 or (lifted and not own) else 0
        use = min(use, book) if own else use
        needed = free - moved - use
        if theirs:
            needed += sum(2 + shape_of(code) for code in line if code and owner_of(code) != seat)
        missing = max(0, needed - own)
        if missing > stock:
            continue
        cost = 1 + (free - moved - use) + theirs + -(-use // book) + -(-missing // bank)
        if cost > affordable:
            continue
        turns = max(0, cost - state.actions + per_turn - 1) // per_turn
        rate = gain * 1000 // cost * (10 - min(turns, 4)) // 10
        out.append(Project(rate, number, cost, takes_disc))
    out.sort(key=lambda project: (-project.rate, project.route))
    return out


def _pieces_on(posts: bytes, seat: int, route: Route) -> int:
    """How many pieces of a seat stand on a route."""
    trader = piece_code(seat, TRADER)
    return posts.count(trader, route.first, route.end) + posts.count(trader + 1, route.first, route.end)


def aimed(found: list[Project], target: int) -> list[Project]:
    """The projects with the one that somebody has set their mind on first."""
    return sorted(found, key=lambda project: project.route != target) if target != NOWHERE else found


def best_rate(state: State, seat: int, known: Known, hand: int = 0) -> int:
    found = projects(state, seat, known, hand)
    return found[0].rate if found else 0


def posts_of(state: State, route: int) -> range:
    found = state.board.routes[route]
    return range(found.first, found.end)


def idle(state: State, seat: int, route: int) -> list[int]:
    """Own pieces on other routes: traders first, those whose routes are farthest from a claim; full routes stay."""
    posts, codes = state.posts, (piece_code(seat, TRADER), piece_code(seat, MERCHANT))
    found: list[tuple[int, int, int]] = []
    for number, other in enumerate(state.board.routes):
        count = _pieces_on(posts, seat, other)
        if count and number != route and count < other.end - other.first:
            mine = (post for post in range(other.first, other.end) if posts[post] in codes)
            found += [(shape_of(posts[post]), count, post) for post in mine]
    return [post for _, _, post in sorted(found)]
