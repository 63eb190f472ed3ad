"""Final scoring, places and the result (rules 14)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kontor_games.engine.core.game import Result
from kontor_games.engine.games.yokohama.rules.queries import flags

from .state import NEUTRAL, NONE, OVER, POINTS, Player, State
from .tables import Tables


def board_prizes(s: State, board: tuple[int, ...], prizes: tuple[int, ...]) -> list[int]:
    """Majority on the church or customs board; the assistant furthest right breaks ties."""
    return list(_prizes(s.seats, s.switches.neutral_score, board, prizes))


@lru_cache(4096)
def _prizes(seats: int, neutral: int, board: tuple[int, ...], prizes: tuple[int, ...]) -> tuple[int, ...]:
    points = [0] * seats
    count: dict[int, int] = {}
    right: dict[int, int] = {}
    for space, owner in enumerate(board):
        if owner == NONE or (owner == NEUTRAL and not neutral):  # R24
            continue
        count[owner] = count.get(owner, 0) + 1
        right[owner] = space
    ranked = sorted(count, key=lambda owner: (-count[owner], -right[owner]))
    for owner, prize in zip(ranked, prizes, strict=False):  # R25, R37: who has none takes no prize
        if owner >= 0:
            points[owner] = prize
    return tuple(points)


def technology_prizes(t: Tables, s: State) -> list[int]:
    """Sum of production values; ties go to the earlier player in turn order."""
    points = [0] * s.seats
    sums = [sum(t.technologies[face].production for face in player.techs) for player in s.players]
    ranked = sorted(
        (seat for seat in range(s.seats) if s.players[seat].techs), key=lambda seat: (-sums[seat], order_of(s, seat))
    )
    for seat, prize in zip(ranked, t.scoring.technology, strict=False):
        points[seat] = prize
    return points


def order_of(s: State, seat: int) -> int:
    """Place in turn order, the start player first."""
    return (seat - s.start) % s.seats


def country_points(t: Tables, count: Sequence[int]) -> int:
    """Best grouping: the k-th set holds every country with at least k flags."""
    sets = t.scoring.sets
    return sum(sets[min(sum(1 for n in count if n > layer), len(sets) - 1)] for layer in range(max(count, default=0)))


def leftover_points(t: Tables, player: Player) -> int:
    rules = t.scoring
    free = sum(1 for country in player.agents[player.used :] if country == len(t.countries))
    return (
        (player.unused - free) * rules.agent
        + free * rules.free_agent
        + player.imports * rules.imports
        + player.yen // rules.yen_per_point
        + sum(player.goods) // rules.goods_per_point
    )


def final_points(t: Tables, s: State) -> list[tuple[str, list[int]]]:
    """Points of the end scoring by category."""
    return [
        ("church_majority", board_prizes(s, s.church, t.scoring.church)),
        ("customs_majority", board_prizes(s, s.customs, t.scoring.customs)),
        ("technology_majority", technology_prizes(t, s)),
        ("countries", [country_points(t, flags(t, player)) for player in s.players]),
        ("leftovers", [leftover_points(t, player) for player in s.players]),
    ]


def result(t: Tables, s: State) -> Result | None:
    """The result once the match is over."""
    if s.stage != OVER:
        return None
    breakdown = [(name, tuple(player.points[i] for player in s.players)) for i, name in enumerate(POINTS)]
    breakdown += [(name, tuple(points)) for name, points in final_points(t, s)]
    scores = tuple(sum(points[seat] for _, points in breakdown) for seat in range(s.seats))
    ranked = sorted(range(s.seats), key=lambda seat: (-scores[seat], order_of(s, seat)))
    places = tuple(ranked.index(seat) + 1 for seat in range(s.seats))
    return Result(s.ending, (ranked[0],), scores, places, tuple(breakdown))
