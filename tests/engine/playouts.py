"""Matches played by programs, for tests over every game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from kontor_games.clients import bots
from kontor_games.engine import Action, Chance, ConfigError, Event, Game, GameState, LocalMatch, game_ids, load
from kontor_games.engine.core.stream import H, Stream, u32

from . import toy

MAX_PLIES = 60_000
SOME_PLIES = 500  # enough to see every phase; whole matches of aimless players can be very long

Options = dict[str, Any]
Step = tuple[GameState, Action | Chance, GameState, tuple[Event, ...]]


def all_games() -> list[Game[Any]]:
    """Every game of the engine, and the toy that uses every feature."""
    return [*(load(game) for game in game_ids()), toy.GAME]


def option_sets(game: Game[Any], seats: int) -> Iterator[Options]:
    """The defaults, then every other value of each option alone, as far as the game allows it."""
    candidates = [{option.id: value} for option in game.options for value in option.allowed if value != option.default]
    for options in ({}, *candidates):
        try:
            game.check_options(options, seats)
        except ConfigError:
            continue
        yield options


def bounded(game: Game[Any]) -> Options:
    """Options under which aimless players come to an end too: games without a limit of their own get one."""
    return {"max_rounds": 200} if any(option.id == "max_rounds" for option in game.options) else {}


def policies(name: str, seats: int, seed: bytes) -> list[Any]:
    """One bot for each seat, seeded like the bots of a local match; «game:idea» is a player of that game's tests."""
    if ":" in name:
        game, _, idea = name.partition(":")
        made: list[Any] = import_module(f"tests.engine.{game}.policies").make(idea, seats, seed)
        return made
    return [bots.make(name, H("bot-seed", seed, u32(seat), size=32)) for seat in range(seats)]


def choose(match: LocalMatch[Any], players: list[Any]) -> Action:
    """What the player to act does."""
    turn = match.turn
    assert turn is not None
    action: Action = players[turn].choose(match.game, match.state, match.known(turn), turn, match.ply)
    return action


def steps(match: LocalMatch[Any], players: list[Any], plies: int = MAX_PLIES) -> Iterator[Step]:
    """Play on to the end, ply by ply; fails if there is no end or no legal action."""
    while match.turn is not None and match.ply < plies:
        before = match.state
        settled = False
        for action, events in match.settle():
            yield before, action, match.state, events
            before, settled = match.state, True
            assert match.ply <= MAX_PLIES, f"{match.game.id}: no end after {MAX_PLIES} plies"
            if match.ply >= plies:
                return
        if settled:
            continue
        chosen = choose(match, players)
        yield before, chosen, *_played(match, chosen)
        assert match.ply <= MAX_PLIES, f"{match.game.id}: no end after {MAX_PLIES} plies"


def _played(match: LocalMatch[Any], action: Action) -> tuple[GameState, tuple[Event, ...]]:
    events = match.play(action)
    return match.state, events


def play(match: LocalMatch[Any], players: list[Any], plies: int = MAX_PLIES) -> LocalMatch[Any]:
    """Play on to the end, or to this ply."""
    for _ in steps(match, players, plies):
        pass
    return match


def new_match(game: Game[Any], options: Options, seats: int, seed: bytes) -> LocalMatch[Any]:
    return LocalMatch(game, options, seats, seed)


def watch(
    game: Game[Any],
    options: Options,
    seats: int,
    seed: bytes,
    see: Callable[[LocalMatch[Any]], None],
    plies: int = SOME_PLIES,
) -> LocalMatch[Any]:
    """A random match, or its first plies; `see` looks at it before its first ply and after each."""
    match = new_match(game, options, seats, seed)
    see(match)
    for _ in steps(match, policies("random", seats, seed), plies):
        see(match)
    return match


def chooser(*seed: bytes | str) -> Callable[[int], int]:
    """Numbers below a bound, from a seed."""
    return Stream(*seed).below
