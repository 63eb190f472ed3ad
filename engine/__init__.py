"""Kontor's engine: pure rules, hidden cards as slots, digests. Knows no network, file or clock."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from kontor_games.engine.core.action import Action, Event, event_dict
from kontor_games.engine.core.chance import CHANCE, Chance, Left
from kontor_games.engine.core.choices import Choice, allowed, choices, is_forced
from kontor_games.engine.core.digest import canonical, digest
from kontor_games.engine.core.game import (
    Game,
    GameState,
    Option,
    Result,
    advance,
    legal,
    public_knowledge,
    result_dict,
    step,
    to_act,
    view,
    why_not,
)
from kontor_games.engine.core.match import LocalMatch
from kontor_games.engine.core.offer import Figure, Offer, Travel
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

from . import games as _games
from .errors import ConfigError, IllegalAction, KontorError, MalformedAction

__all__ = [
    "CHANCE",
    "Action",
    "Chance",
    "Choice",
    "ConfigError",
    "Event",
    "Figure",
    "Game",
    "GameState",
    "IllegalAction",
    "Known",
    "KontorError",
    "Left",
    "LocalMatch",
    "MalformedAction",
    "Offer",
    "Option",
    "Reason",
    "Result",
    "Travel",
    "advance",
    "allowed",
    "canonical",
    "choices",
    "digest",
    "event_dict",
    "game_ids",
    "is_forced",
    "legal",
    "load",
    "public_knowledge",
    "result_dict",
    "rules_versions",
    "step",
    "to_act",
    "view",
    "why_not",
]


@cache
def game_ids() -> tuple[str, ...]:
    """The ids of all games: a folder in `engine/games` is a game."""
    return tuple(sorted(module.name for module in iter_modules(_games.__path__) if module.ispkg))


@cache
def load(game: str, rules: int | None = None) -> Game[Any]:
    """The game with this id under this version of its rules (None: the newest, which new matches are played by).

    Imported on first use, because each game reads its data file.
    """
    if game not in game_ids():
        raise ConfigError(f"there is no game {game!r}; there are {', '.join(game_ids())}")
    newest: Game[Any] = import_module(f".games.{game}", __name__).GAME
    if rules is None or rules == newest.rules_version:
        return newest
    older = _older(game)
    if rules not in older:
        here = ", ".join(map(str, rules_versions(game)))
        raise ConfigError(f"{game}: rules version {rules} is not known here; this program has version {here}")
    return older[rules]


def rules_versions(game: str) -> tuple[int, ...]:
    """The versions of a game's rules that this program has, the newest last."""
    return (*sorted(_older(game)), load(game).rules_version)


def _older(game: str) -> dict[int, Game[Any]]:
    """The versions that old files and matches still need, by number: `OLDER` in the game's `versions.py`, if any."""
    name = f"{__name__}.games.{game}.versions"
    return {record.rules_version: record for record in import_module(name).OLDER} if find_spec(name) else {}
