"""States and actions of a game as types, for bytes between processes that run the same rules."""

from __future__ import annotations

import base64
from functools import cache, reduce
from operator import or_
from typing import Any, NamedTuple

import msgspec

from kontor_games import engine
from kontor_games.engine import Game, GameState


class GameTypes(NamedTuple):
    """What msgspec has to be told to read values of one game."""

    state: Any
    action: Any  # the union of all


@cache
def types_of(game: str, rules: int) -> GameTypes:
    """Those of one rules version of a game."""
    found = engine.load(game, rules)
    first = found.begin({}, found.seats[0], bytes(32))
    return GameTypes(type(first), reduce(or_, found.actions))


def read_position(position: dict[str, Any]) -> tuple[Game[Any], GameState, dict[int, int]]:
    """Game, state and what the seat knows, from a position of the node."""
    game = engine.load(position["game"], position["rules"])
    kind = types_of(game.id, game.rules_version).state
    state: Any = msgspec.msgpack.decode(base64.b64decode(position["state"]), type=kind)
    return game, state, dict(position["known"])
