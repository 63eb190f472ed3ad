"""`greedy`: the action after which the position looks best, one ply ahead; what chance may bring is left open."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, advance, allowed


class Greedy:
    """Deterministic: of equally good actions it takes the first in the game's fixed order."""

    def __init__(self, seed: bytes = b"") -> None:
        pass  # it needs no randomness, but is made like every bot

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        actions = allowed(game, state, known)
        if len(actions) == 1:
            return actions[0]
        worth = [game.evaluate(advance(game, state, action)[0], seat, known) for action in actions]
        return actions[worth.index(max(worth))]
