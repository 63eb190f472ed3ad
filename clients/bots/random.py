"""`random`: any legal action, each as likely as the next."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, allowed
from kontor_games.engine.core.stream import Stream, u32


class Random:
    """Its choice depends on seed, seat and ply alone, so a resumed match goes on as it would have."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        actions = allowed(game, state, known)
        return actions[Stream("bot", self._seed, u32(seat), u32(ply)).below(len(actions))]
