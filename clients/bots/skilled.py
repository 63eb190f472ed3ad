"""`skilled`: plays each game by a plan of its own (`plans`): targets, tempo, when to end. Quick and deterministic.

A plan either chooses one action (`choose`), or plans a line of them (`line`), which is then played to where it ends. A
line ends where a frame does, at the latest, so a match that is resumed goes on as it would have.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, allowed

from .greedy import Greedy


class Skilled:
    """Deterministic. A game without a plan is played as `greedy` does."""

    def __init__(self, seed: bytes = b"") -> None:
        self._fallback = Greedy(seed)
        self._line: list[Action] = []  # what is left of the line being played
        self._next = (-1, -1)  # the seat and the ply that its next action is for

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        plan = plan_of(game.id)
        if plan is None:
            return self._fallback.choose(game, state, known, seat, ply)
        if hasattr(plan, "choose"):
            action: Action = plan.choose(game, state, known, seat)
            return action
        if (seat, ply) != self._next or not self._line:
            actions = allowed(game, state, known)
            if len(actions) == 1:
                return actions[0]
            self._line = list(self._plan(plan)(game, state, known, seat))
        self._next = (seat, ply + 1)
        return self._line.pop(0)

    def _plan(self, plan: Any) -> Any:
        """What plans a line."""
        return plan.line


class Brisk(Skilled):
    """Looks at fewer lines, for those who play many turns on; where a plan chooses single actions, as `Skilled`."""

    def _plan(self, plan: Any) -> Any:
        return plan.brisk


@cache
def plan_of(game: str) -> Any:
    """The plan of a game, None if there is none."""
    name = f"{__package__}.plans.{game}"
    return None if find_spec(name) is None else import_module(name)
