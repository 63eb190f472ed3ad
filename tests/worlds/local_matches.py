"""Local matches for tests: the toy game over a real file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kontor_games.engine import Action, ConfigError, Game, legal
from kontor_games.engine.core.stream import Stream
from kontor_games.net.record.local_match import RecordedMatch, seed_from
from kontor_games.net.record.rerun import Load
from tests.engine import toy

SEATS = (("Ada", "person"), ("Bob", "random"), ("Cyd", "greedy"))


def load(game: str, rules: int) -> Game[Any]:
    """The toy under its name and version, and nothing else."""
    assert game == "toy"
    if rules != toy.GAME.rules_version:
        raise ConfigError(f"toy: rules version {rules} is not known here")
    return toy.GAME


def new_table(
    path: Path, seed: str = "7", game: Game[Any] = toy.GAME, seats: Any = SEATS, **options: Any
) -> RecordedMatch:
    """A match that has just begun."""
    return RecordedMatch.create(path, game, options, seats, seed_from(seed))


def menu(table: RecordedMatch) -> list[Action]:
    """What the seat to act may do."""
    assert table.turn is not None
    return legal(table.game, table.state, table.known(table.turn))


def play_on(table: RecordedMatch, plies: int = 10_000, choices: Stream | None = None) -> None:
    """Random legal play until the match ends or has this many plies."""
    stream = choices or Stream("x", table.ply.to_bytes(4, "big"))
    while table.turn is not None and table.ply < plies:
        if table.follow():
            continue
        actions = menu(table)
        table.commit([actions[stream.below(len(actions))]])


def finished(path: Path, seed: str = "7", game: Game[Any] = toy.GAME, seats: Any = SEATS, **options: Any) -> Path:
    """A file with a whole match."""
    table = new_table(path, seed, game, seats, **options)
    play_on(table)
    table.close()
    return path


LOAD: Load = load
