"""A skilled player of Yokohama: plans a whole turn, from the assistants it places to what the action brings."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Game, Known
from kontor_games.engine.games.yokohama.state import State

WIDTH = 6


def worth(game: Game[Any], state: State, seat: int, known: Known) -> int:
    """What the position is worth to a seat once its turn is over."""
    return game.evaluate(state, seat, known)
