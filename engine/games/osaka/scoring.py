"""Who wins (§9)."""

from __future__ import annotations

from collections.abc import Sequence

from kontor_games.engine.core.game import Result

from .state import OVER, REASONS, Player, State


def ranking(players: Sequence[Player]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The winners, and the place of every seat: most VP, then most tokens, else shared."""
    keys = [(player.vp, sum(player.tokens)) for player in players]
    places = tuple(1 + sum(other > key for other in keys) for key in keys)
    return tuple(seat for seat, place in enumerate(places) if place == 1), places


def result(state: State) -> Result | None:
    """The result once the match is over."""
    if state.phase != OVER:
        return None
    winners, places = ranking(state.players)
    vp = tuple(player.vp for player in state.players)
    tokens = tuple(sum(player.tokens) for player in state.players)
    return Result(REASONS[state.ended], winners, vp, places, (("vp", vp), ("tokens", tokens)))
