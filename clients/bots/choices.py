"""What a bot may choose from."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, legal


def choices(game: Game[Any], state: GameState, known: Known) -> list[Action]:
    """The legal actions, rules about its own hidden cards included."""
    actions = legal(game, state, known)
    hidden = game.why_not_hidden
    return [action for action in actions if hidden(state, action, known) is None] if hidden else actions
