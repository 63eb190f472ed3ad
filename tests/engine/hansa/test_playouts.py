"""Whole matches: every combination ends, nothing is lost, lists of legal actions are exact."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine import LocalMatch
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.state import State

from .playouts import combinations, describe, lively_policy, playout, random_policy, single_policy

COMBINATIONS = combinations()
IDS = [describe(*each) for each in COMBINATIONS]


def test_every_map_player_count_and_module_is_covered() -> None:
    assert len(COMBINATIONS) == 48 and len(set(IDS)) == 48


@pytest.mark.parametrize(("seats", "options"), COMBINATIONS, ids=IDS)
def test_every_combination_ends_and_keeps_all_pieces(seats: int, options: dict[str, Any]) -> None:
    tally = playout({**options, "max_rounds": 40}, seats, describe(seats, options).encode(), [lively_policy(b"x")])
    result = tally.match.result
    assert result is not None and result.reason in ("points", "markers", "cities", "rounds")
    assert len(result.scores) == seats and result.winners
    rows = dict(result.breakdown)
    rows.pop("actions_level")
    assert tuple(sum(points[seat] for points in rows.values()) for seat in range(seats)) == result.scores
    assert tally.largest <= 200


@pytest.mark.parametrize(("seats", "options"), COMBINATIONS[::5], ids=IDS[::5])
def test_uniform_play_keeps_all_pieces(seats: int, options: dict[str, Any]) -> None:
    tally = playout({**options, "max_rounds": 25}, seats, b"uniform", [random_policy(b"u")])
    assert tally.match.result is not None and tally.largest <= 200


@pytest.mark.parametrize(("seats", "options"), COMBINATIONS[::3], ids=IDS[::3])
def test_the_candidates_are_exactly_the_legal_actions(seats: int, options: dict[str, Any]) -> None:
    """Every action of the neighbourhood is judged the same by the list and by the reason."""
    stream = Stream("probe", describe(seats, options))

    def watch(match: LocalMatch[State], events: tuple[engine.Event, ...]) -> None:
        state, turn = match.state, match.turn
        if turn is None or turn < 0:
            return
        actions = match.legal()
        assert len(set(actions)) == len(actions)
        assert all(GAME.why_not(state, action) is None for action in actions)
        listed = set(actions)
        for _ in range(12):
            probe = probe_action(state, turn, stream)
            assert (GAME.why_not(state, probe) is None) == (probe in listed), probe

    playout({**options, "max_rounds": 12}, seats, b"exact", [lively_policy(b"e")], watch, check=False)


@pytest.mark.long
@pytest.mark.parametrize(("seats", "options"), COMBINATIONS, ids=IDS)
def test_two_hundred_matches_of_every_combination_keep_all_pieces(seats: int, options: dict[str, Any]) -> None:
    """The same as `scripts/hansa_table --games 200`, which prints one table."""
    ends: Counter[str] = Counter()
    plies = 0
    for number in range(200):
        seed = f"{describe(seats, options)} {number}".encode()
        policies = (lively_policy(seed), single_policy("collector", seed), single_policy("builder", seed))
        tally = playout({**options, "max_rounds": 200}, seats, seed, [policies[number % 3]])
        assert tally.match.result is not None and tally.largest <= 200
        ends[tally.match.result.reason] += 1
        plies += tally.plies
    print(f"{describe(seats, options)}: 200 matches, {plies // 200} plies each, {dict(sorted(ends.items()))}")


def probe_action(state: State, seat: int, stream: Stream) -> engine.Action:
    """A well-typed action with small numbers, mostly of kinds that could be legal."""
    cls = GAME.actions[stream.below(len(GAME.actions))]
    sizes = {"post": len(state.posts), "route": len(state.markers), "city": len(state.rows)}
    values = [
        stream.below(sizes.get(name, 10 if name in ("marker", "tile", "ability") else 4) + 1)
        for name in cls.__struct_fields__[1:]
    ]
    return cls(seat, *values)
