"""Bots of every kind: legal, the same every time, and stronger than what came before them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.clients.bots.plans.hansa.play import LATE
from kontor_games.engine import Action, LocalMatch, allowed
from tests.engine.playouts import all_games, policies, steps

GAMES = engine.game_ids()
OFTEN = 25  # what a novice could do so often in a match, it does at least once
STALL = 3000  # plies: a real match has a few hundred


def played(game: Any, kinds: list[str], seed: bytes, plies: int = STALL) -> tuple[LocalMatch[Any], list[Any]]:
    """A match of these kinds, and what was done in it."""
    match = LocalMatch(game, {}, len(kinds), seed)
    players = [bots.make(kind, seed + bytes([seat])) for seat, kind in enumerate(kinds)]
    return match, [action for _, action, _, _ in steps(match, players, plies)]


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
@pytest.mark.parametrize("kind", ["novice", "skilled"])
def test_bots_choose_the_same_every_time(game: Any, kind: str) -> None:
    seats = game.seats[-1]
    first, second = (played(game, [kind] * seats, b"same", 40)[1] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", [pytest.param("novice", marks=pytest.mark.long), "skilled"])  # novices end below too
def test_a_match_of_bots_ends_by_the_rules(name: str, kind: str) -> None:
    game = engine.load(name)
    match, _ = played(game, [kind] * game.seats[0], b"end")
    assert match.result is not None and match.result.reason != "rounds"


def test_pieces_that_may_not_go_where_they_are_wanted_are_left_alone() -> None:
    """In Britannia permits are short: two players used to move pieces to and fro for ever."""
    game = engine.load("hansa")
    match = LocalMatch(game, {"map": "britannia_3"}, 2, b"permits")
    for _ in steps(match, policies("skilled", 2, b"permits"), STALL):
        pass
    assert match.result is not None
    assert match.state.round < LATE, "it was ended by the net, not by the plan"


@pytest.mark.parametrize("name", GAMES)
def test_a_novice_tries_every_kind_of_action(name: str) -> None:
    game = engine.load(name)
    match: LocalMatch[Any] = LocalMatch(game, {}, 3, b"novices")
    offered: Counter[type] = Counter()
    chosen: Counter[type] = Counter()
    for before, action, _, _ in steps(match, policies("novice", 3, b"novices"), STALL):
        if isinstance(action, Action):
            kinds = {type(each) for each in allowed(game, before, match.known(action.seat))}
            if len(kinds) > 1:
                offered.update(kinds)
                chosen[type(action)] += 1
    assert match.result is not None and match.result.reason not in ("rounds", "standstill")
    shunned = {kind.__name__: count for kind, count in offered.items() if count >= OFTEN and not chosen[kind]}
    assert not shunned


@pytest.mark.parametrize("name", GAMES)
def test_a_resumed_bot_goes_on_as_it_would_have(name: str) -> None:
    """A bot that is made anew wherever chance has answered chooses what the old one would have chosen."""
    game = engine.load(name)
    match = LocalMatch(game, {}, 2, b"resume")
    kept = policies("skilled", 2, b"resume")
    fresh = policies("skilled", 2, b"resume")
    for _ in range(60):
        if any(True for _ in match.settle()):
            fresh = policies("skilled", 2, b"resume")
        turn = match.turn
        if turn is None or turn < 0:
            break
        arguments = (game, match.state, match.known(turn), turn, match.ply)
        action = kept[turn].choose(*arguments)
        assert fresh[turn].choose(*arguments) == action
        match.play(action)


@pytest.mark.parametrize("name", GAMES)
def test_skilled_beats_greedy(name: str) -> None:
    """A sample, which ends when it is decided; the figures are in docs/bots.md."""
    won = 0
    for number in range(3):
        if won == 2:
            break
        kinds = ["greedy"] * 3
        kinds[number] = "skilled"
        match, _ = played(engine.load(name), kinds, bytes([number]))
        assert match.result is not None
        won += match.result.winners == (number,)
    assert won >= 2
