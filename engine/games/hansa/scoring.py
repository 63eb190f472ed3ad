"""Final scoring, its breakdown, and ties (sections 21.6 and 23)."""

from __future__ import annotations

from functools import lru_cache

from kontor_games.engine.core.game import Result

from .data import (
    ACTIONS,
    CITY_PATRON,
    DATA,
    FIRST_MISSION,
    KEYS,
    MARKER_POINTS,
    MASTER_OF_ARTS,
    MISSIONS,
    SCORING,
    STEPS,
)
from .position import controller, largest_network, offices_of, value
from .state import OVER, Player, State

_FULL: tuple[tuple[int, int], ...] = tuple(
    (entry["end_points"], entry["end_points_with_favour"]) for entry in DATA["ability"]
)


def ability_points(player: Player) -> int:
    """B: fully developed abilities, the keys excepted."""
    return full_tracks(player.levels, MASTER_OF_ARTS in player.favours)


@lru_cache(maxsize=4096)
def full_tracks(levels: bytes, master: bool) -> int:
    """The same for levels, with or without the favour that pays more for them."""
    return sum(_FULL[i][master] for i, level in enumerate(levels) if level == STEPS[i])


def marker_count(state: State, seat: int) -> int:
    """Markers that count as collected: both piles and laid promo markers."""
    player = state.players[seat]
    return len(player.unused) + len(player.used) + sum(promo.owner == seat for promo in state.promos)


def marker_points(count: int) -> int:
    """C: points for collected markers."""
    return MARKER_POINTS[min(count, len(MARKER_POINTS) - 1)]


def special_points(state: State, seat: int) -> int:
    """D: special prestige spaces."""
    return sum(spot.value for spot, owner in zip(state.board.spots, state.prestige, strict=True) if owner == 1 + seat)


def region_points(state: State, controllers: list[int]) -> list[int]:
    """Wales and Scotland: ranks by controlled cities, then offices; ties share (21.6, R31)."""
    board = state.board
    total = [0] * state.seats
    offices = [offices_of(state, seat) for seat in range(state.seats)]
    for region in board.scored_regions:
        cities = [number for number, city in enumerate(board.cities) if region in city.regions]
        standing: dict[tuple[int, int], list[int]] = {}
        for seat in range(state.seats):
            count = sum(offices[seat][city] for city in cities)
            if count:
                ruled = sum(controllers[city] == seat for city in cities)
                standing.setdefault((ruled, count), []).append(seat)
        rank = 0
        for key in sorted(standing, reverse=True):
            tied = standing[key]
            share = sum(board.region_points[rank : rank + len(tied)]) // len(tied)
            for seat in tied:
                total[seat] += share
            rank += len(tied)
    return total


def network_points(state: State, seat: int) -> int:
    """F: offices of the largest network times the keys."""
    return largest_network(state, seat) * value(state.players[seat], KEYS)


def mission_points(state: State, seat: int, face: int | None, controllers: list[int]) -> int:
    """G: one point per mission city with an own office, five more for controlling all three."""
    if face is None:
        return 0
    wanted = MISSIONS[face - FIRST_MISSION]
    cities = [number for number, city in enumerate(state.board.cities) if city.id in wanted]
    offices = offices_of(state, seat)
    points: int = sum(DATA["mission_scoring"]["per_city_with_own_office"] for city in cities if offices[city])
    if all(controllers[city] == seat for city in cities):
        points += DATA["mission_scoring"]["all_three_controlled"]
    return points


def breakdown(state: State) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Points per category and seat, were the match over now; hidden missions count nothing."""
    controllers = [controller(state, city) for city in range(len(state.board.cities))]
    seats = range(state.seats)
    per_city = [
        SCORING["city_controlled_with_favour"] if CITY_PATRON in player.favours else SCORING["city_controlled"]
        for player in state.players
    ]
    out: list[tuple[str, tuple[int, ...]]] = [
        ("track", tuple(player.score for player in state.players)),
        ("abilities", tuple(ability_points(player) for player in state.players)),
        ("markers", tuple(marker_points(marker_count(state, seat)) for seat in seats)),
        ("special", tuple(special_points(state, seat) for seat in seats)),
        ("cities", tuple(per_city[seat] * controllers.count(seat) for seat in seats)),
    ]
    if state.board.scored_regions:
        out.append(("regions", tuple(region_points(state, controllers))))
    out.append(("network", tuple(network_points(state, seat) for seat in seats)))
    if state.missions:
        faces = [state.desk.face(player.mission) for player in state.players]
        out.append(("mission", tuple(mission_points(state, seat, faces[seat], controllers) for seat in seats)))
    return tuple(out)


def result(state: State) -> Result | None:
    """The outcome of a finished match."""
    if state.stage != OVER:
        return None
    table = breakdown(state)
    scores = tuple(sum(points[seat] for _, points in table) for seat in range(state.seats))
    network = dict(table)["network"]
    # R32: the lower level of actions wins a tie, then the larger network
    keys = [(-scores[seat], state.players[seat].levels[ACTIONS], -network[seat]) for seat in range(state.seats)]
    places = tuple(1 + sum(other < key for other in keys) for key in keys)
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    levels = ("actions_level", tuple(player.levels[ACTIONS] for player in state.players))
    return Result(state.ended, winners, scores, places, (*table, levels))
