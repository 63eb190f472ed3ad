"""What runs here, as other nodes are told: the version of this program, and of the rules of every game it has."""

from __future__ import annotations

from functools import cache

from kontor_games import engine
from kontor_games.net.system.version import version
from kontor_games.net.wire.messages import About


@cache
def about() -> About:
    """What other nodes are told; made when the first of them is there, because it loads all games."""
    return About(version(), {game: engine.load(game).rules_version for game in engine.game_ids()})
