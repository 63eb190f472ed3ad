"""The last plies of a match as a seat saw them, one position after the other, for clients that show what happened."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import GameState, public_knowledge, view

from .log_lines import line
from .shown import MOST_STAGED, ShownMatch
from .wording import Wording


def staged_of(shown: ShownMatch, seat: int | None, first: int, wording: Wording) -> dict[str, Any]:
    """The position before `first` and those after each ply from there on, as far as they are kept; else `cut`."""
    last = list(shown.last_plies)
    if shown.state is None or not last or first >= shown.ply:
        return {"before": None, "plies": [], "cut": first < shown.ply}
    states = [*(ply.before for ply in last[1:]), shown.state]
    known = None if seat is None else shown.ever_known(seat)
    to = shown.audience(seat)
    lines = {entry.ply: entry for entry in shown.log[-MOST_STAGED:]}

    def seen(state: GameState) -> dict[str, Any]:
        public = public_knowledge(state) if known is None else known
        return {"view": view(shown.game, state, seat, public), "points": list(shown.game.points(state))}

    asked = [(ply, after) for ply, after in zip(last, states, strict=True) if ply.number >= first]
    plies = [{"ply": ply.number, **seen(after), "line": line(wording, to, lines[ply.number])} for ply, after in asked]
    return {"before": seen(asked[0][0].before), "plies": plies, "cut": first < last[0].number}
