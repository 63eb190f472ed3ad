"""The last plies of a match as a seat saw them, one position after the other, for clients that show what happened."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import public_knowledge, view

from .log_lines import line
from .shown import MOST_STAGED, ShownMatch
from .wording import Wording


def staged_of(shown: ShownMatch, seat: int | None, first: int, wording: Wording) -> dict[str, Any]:
    """The positions after each ply from `first` on, as far as they are kept; `cut` if some are not."""
    last = list(shown.last_plies)
    if shown.state is None or not last:
        return {"plies": [], "cut": first < shown.ply}
    states = [*(ply.before for ply in last[1:]), shown.state]
    known = None if seat is None else shown.ever_known(seat)
    to = shown.audience(seat)
    lines = {entry.ply: entry for entry in shown.log[-MOST_STAGED:]}
    plies = [
        {
            "ply": ply.number,
            "view": view(shown.game, after, seat, public_knowledge(after) if known is None else known),
            "line": line(wording, to, lines[ply.number]),
            "points": list(shown.game.points(after)),
        }
        for ply, after in zip(last, states, strict=True)
        if ply.number >= first
    ]
    return {"plies": plies, "cut": first < last[0].number}
