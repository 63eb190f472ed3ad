"""Whoever leaves, the match comes to an end by its rules: stand-ins do not stall, and no limit of rounds is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kontor_games.engine import Game, game_ids, load

from .playouts import new_match, option_sets, play, policies

ENOUGH = 6_000  # plies; a match among stand-ins has a few hundred
FIRST = 15  # ply of the first departure
Table = tuple[Game[Any], int, dict[str, Any]]


def tables() -> Iterator[Table]:
    """Every game with every number of players, on every map that there is for them."""
    for game in map(load, game_ids()):
        for seats in game.seats:
            for options in option_sets(game, seats):
                if not options or options.get("map") in ("east", "britannia"):
                    yield game, seats, options


TABLES = list(tables())


def ends(game: Game[Any]) -> tuple[int, int]:
    """The smallest and the largest table; all others are long."""
    return game.seats[0], game.seats[-1]


def named(table: Table) -> str:
    return f"{table[0].id}-{table[1]}-{table[2].get('map', 'default')}"


def left_alone(table: Table, number: int, kind: str) -> str:
    """How a match ended in which all but one seat left, one after another; `kind` is who stays."""
    game, seats, options = table
    seed = b"departures %d" % number
    match = new_match(game, options, seats, seed)
    players = policies(kind, seats, seed)
    stays = number % seats
    for ply, seat in enumerate(seat for seat in range(seats) if seat != stays):
        play(match, players, FIRST + 10 * ply + 7 * number)
        match.leave(seat)
    play(match, players, ENOUGH)
    assert match.result is not None, f"{game.id}, {seats} players, {options}: no end after {match.ply} plies"
    return match.result.reason


@pytest.mark.parametrize("table", [table for table in TABLES if not table[2] and table[1] in ends(table[0])], ids=named)
def test_a_match_ends_by_its_rules_when_all_but_one_left(table: Table) -> None:
    assert left_alone(table, 0, "random") != "rounds"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["random", "greedy", "skilled"])
@pytest.mark.parametrize("table", TABLES, ids=named)
def test_many_matches_end_by_their_rules_when_all_but_one_left(table: Table, kind: str) -> None:
    for number in range(5):
        assert left_alone(table, number, kind) != "rounds"


def test_no_limit_of_rounds_is_set_unless_the_players_want_one() -> None:
    for game in ("hansa", "yokohama"):
        assert load(game).check_options({}, 3)["max_rounds"] == 0
        assert load(game, 1).check_options({}, 3)["max_rounds"] > 0
