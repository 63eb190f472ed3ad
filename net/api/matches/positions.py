"""A position for a program that looks ahead: the state that all know, and what one seat knows besides."""

from __future__ import annotations

import base64
from typing import Any

from kontor_games.engine import Game, GameState, Known, canonical


def position_of(game: Game[Any], state: GameState | None, known: Known) -> dict[str, Any]:
    """The fields of `position` that say where a match stands."""
    return {
        "game": game.id,
        "rules": game.rules_version,
        "state": "" if state is None else base64.b64encode(canonical(state)).decode("ascii"),
        "known": sorted([slot, face] for slot, face in known.items()),
    }
