"""The evaluation: sensible single choices, and one greedy player against random ones."""

from __future__ import annotations

import time

import pytest

from kontor_games.clients.bots.greedy import Greedy
from kontor_games.clients.bots.random import Random
from kontor_games.engine import LocalMatch
from kontor_games.engine.games.yokohama.state import State

from .position import GAME, Position, order


def best(x: Position) -> str:
    action = Greedy().choose(GAME, x.s, x.match.known(x.s.active), x.s.active, 0)
    return GAME.notation.say(x.s, action)


def test_greedy_delivers_an_order_it_can_pay() -> None:
    x = Position(3).player(0, orders=(order("order_04"),), goods=(1, 1, 2, 3))
    assert best(x) == "fulfil order_04"


def test_greedy_claims_an_achievement_it_has_reached() -> None:
    x = Position(3)
    tile = next(i for i, row in enumerate(x.s.achievements) if row < 4)
    assert tile == 0
    x.player(0, goods=(9, 9, 9, 9), hidden=())
    assert best(x).startswith("claim a_")


def test_greedy_takes_the_token_and_builds() -> None:
    x = Position(3).acting("bank", 5)
    assert best(x) == "token"


def test_evaluation_sees_only_what_its_seat_knows() -> None:
    x = Position(3)
    blind = GAME.evaluate(x.s, 0, {})
    informed = GAME.evaluate(x.s, 0, x.match.known(0))
    assert blind == GAME.evaluate(x.s, 0, x.match.known(1))
    assert isinstance(blind, int) and isinstance(informed, int)


def winners(number: int, seats: int) -> tuple[int, ...]:
    """A match of one greedy player, seats rotated, against random ones."""
    seed = number.to_bytes(2, "big")
    match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 200}, seats, b"strength" + seed)
    greedy = number % seats
    bots = [Greedy() if seat == greedy else Random(seed) for seat in range(seats)]
    while match.result is None:
        for _ in match.settle():
            pass
        turn = match.turn
        if turn is not None:
            match.play(bots[turn].choose(GAME, match.state, match.known(turn), turn, match.ply))
    return match.result.winners


@pytest.mark.long
def test_greedy_wins_nine_of_ten_matches_against_random_players() -> None:
    half_points = 0
    for number in range(200):
        seats = 2 + number % 3
        won = winners(number // 3, seats)
        if number // 3 % seats in won:
            half_points += 2 if len(won) == 1 else 1
    assert half_points >= 2 * 180, half_points / 400


@pytest.mark.long
def test_no_legal_call_takes_twenty_milliseconds_of_cpu_time() -> None:
    slowest = 0.0
    for number in range(100):
        seed = number.to_bytes(2, "big")
        seats = 2 + number % 3
        match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 60, "mini_1": True, "mini_2": True}, seats, seed)
        bot = Random(seed)
        while match.result is None:
            for _ in match.settle():
                pass
            turn = match.turn
            if turn is not None:
                begun = time.process_time()
                match.legal()
                slowest = max(slowest, time.process_time() - begun)
                match.play(bot.choose(GAME, match.state, match.known(turn), turn, match.ply))
    assert slowest < 0.02, slowest
