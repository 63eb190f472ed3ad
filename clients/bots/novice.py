"""`novice`: a player who knows the game but not yet how to win it: good turns, plain ones, and now and then an odd one.

Looking one step ahead at every turn (`greedy`) has faults that no beginner has: it moves a piece to and fro for ever,
hoards, farms one corner, and never tries half of the actions. So a novice mostly does what a skilled player would, at
times what looks best at once, and at times one of the few that look best, whichever it is. That breaks every loop.
"""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, advance, allowed
from kontor_games.engine.core.stream import Stream, u32

from .skilled import Skilled

MOOD = (45, 40)  # of a hundred decisions: as a skilled player would, and plain ones; the others are odd
MOODS = {"hansa": (70, 22)}  # where plain decisions cost more than a beginner's do
SOME = 4  # an odd one is among so many


class Novice:
    """Its choice depends on seed, seat and ply alone, so a resumed match goes on as it would have."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._skilled = Skilled(seed)

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        stream = Stream("novice", self._seed, u32(seat), u32(ply))
        mood = stream.below(100)
        skilled, plain = MOODS.get(game.id, MOOD)
        if mood < skilled:
            return self._skilled.choose(game, state, known, seat, ply)
        actions = allowed(game, state, known)
        if len(actions) == 1:
            return actions[0]
        worth = [game.evaluate(advance(game, state, action)[0], seat, known) for action in actions]
        order = sorted(range(len(actions)), key=lambda index: -worth[index])
        return actions[order[0 if mood < skilled + plain else stream.below(min(SOME, len(order)))]]
