"""A skilled player of Hansa Teutonica: always works at the route whose claim brings most per action.

`worth` says what a seat holds, `projects` what it should work at, `play` what it does next, `pieces` where pieces go
that are moved or displaced. A claim that ends the match counts as won or lost, by the exact points.
"""

from kontor_games.engine import Known
from kontor_games.engine.games.hansa.state import State

from . import worth
from .play import choose, lines

__all__ = ["choose", "lines", "standing"]


def standing(state: State, seat: int, known: Known) -> int:
    """How well a seat stands, for those who look further than this plan."""
    return worth.standing(state, seat, worth.rounds_left(state), known)
