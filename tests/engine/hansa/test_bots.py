"""Bots and stand-ins: greedy against random, and matches that finish without players."""

from __future__ import annotations

import pytest

from kontor_games.engine import LocalMatch
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.state import State

from .playouts import greedy_policy, playout, random_policy


@pytest.mark.parametrize(("seats", "board"), [(2, "base"), (2, "east"), (3, "britannia"), (4, "base"), (5, "east")])
def test_stand_ins_alone_bring_a_match_to_its_end(seats: int, board: str) -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"map": board}, seats, b"alone")
    match.leave(*range(seats))
    for _ in match.settle():
        pass
    assert match.result is not None and match.state.round < 100, "a sensible match is over by then"


def duel(number: int) -> float:
    """What greedy gets out of one match against two random players: 1, 0, or a share."""
    seed = f"duel {number}".encode()
    greedy = number % 3
    policies = [greedy_policy if seat == greedy else random_policy(seed + bytes([seat])) for seat in range(3)]
    board = ("base_3", "east", "britannia_3")[number // 3 % 3]
    result = playout({"map": board, "max_rounds": 200}, 3, seed, policies, check=False).match.result
    assert result is not None
    return 1 / len(result.winners) if greedy in result.winners else 0.0


def test_greedy_wins_six_matches_against_random_players() -> None:
    assert sum(duel(number) for number in range(6)) >= 5


@pytest.mark.long
def test_greedy_wins_nine_of_ten_matches_against_random_players() -> None:
    games = 200
    won = sum(duel(number) for number in range(games))
    print(f"greedy won {won:g} of {games} three-player matches against random, seats and maps rotated")
    assert won >= 0.9 * games
