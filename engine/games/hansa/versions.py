"""Rules versions before the newest.

**1.** Ended a match after 200 rounds unless the players chose another limit. Its stand-in could move pieces to and fro
while there were others to hire.
"""

from __future__ import annotations

from dataclasses import replace

from kontor_games.engine.core.game import with_default

from . import GAME
from .evaluate import best_looking, useful

OLDER = (
    replace(
        GAME,
        rules_version=1,
        options=with_default(GAME.options, "max_rounds", 200),
        stand_in=lambda state: best_looking(state, useful(state)),
    ),
)
