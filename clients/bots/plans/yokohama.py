"""A skilled player of Yokohama: plans a whole turn, from the assistants it places to what the action brings.

**Patience.** Church and customs end the match when they are full. Who fills them ahead of time cuts off what brings
points late: technologies, achievements, pairs of flags.
"""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, Known
from kontor_games.engine.core.data import load_data
from kontor_games.engine.games.yokohama.data import tables
from kontor_games.engine.games.yokohama.evaluate import evaluate
from kontor_games.engine.games.yokohama.prospects import Pace
from kontor_games.engine.games.yokohama.state import State

from ..turns import best_line

WIDTH = 6
PATIENT = Pace(24, 16)

_TABLES = tables(load_data("yokohama")[0])


def line(game: Game[Any], state: State, known: Known, seat: int) -> tuple[Action, ...]:
    """The rest of the turn."""
    return best_line(game, state, known, seat, standing, WIDTH)


def brisk(game: Game[Any], state: State, known: Known, seat: int) -> tuple[Action, ...]:
    """The same at a glance, for those who play many turns on."""
    return best_line(game, state, known, seat, standing, 1)


def standing(state: State, seat: int, known: Known) -> int:
    """What the position is worth to a seat once its turn is over; also for those who look further than this plan."""
    return evaluate(_TABLES, state, seat, known, PATIENT)
