"""The rest of one's own turn, looked at as a whole: a beam over the actions until somebody else or chance is next.

A horizon inside a turn misleads, because the first half of a turn only costs. So a line is judged where it ends: when
the turn has passed, or when chance must answer. Of the open lines the best few are followed; lines that reach the same
state are one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kontor_games.engine import Action, Game, GameState, Known, advance, allowed, to_act

Worth = Callable[[Game[Any], Any, int, Known], int]  # game, state, seat, what it knows


class Line(NamedTuple):
    worth: int
    actions: tuple[Action, ...]
    state: GameState
    known: Known


def best_line(
    game: Game[Any], state: GameState, known: Known, seat: int, worth: Worth, width: int, longest: int = 12
) -> tuple[Action, ...]:
    """The actions of the line with the best end; of equals the first in the game's fixed order."""
    best: Line | None = None
    beam = [Line(0, (), state, known)]
    seen: set[GameState] = {state}
    while beam:
        longer: list[Line] = []
        for line in beam:
            for action in allowed(game, line.state, line.known):
                after, _ = advance(game, line.state, action)
                if after in seen:
                    continue
                seen.add(after)
                shown = game.opens(line.state, action)
                left = {s: f for s, f in line.known.items() if (s, f) not in shown} if shown else line.known
                found = Line(worth(game, after, seat, left), (*line.actions, action), after, left)
                if to_act(game, after) == seat and len(found.actions) < longest:
                    longer.append(found)
                elif best is None or found.worth > best.worth:
                    best = found
        longer.sort(key=lambda line: -line.worth)
        beam = longer[:width]
    if best is None:  # every action leads back to where the turn was before
        return (allowed(game, state, known)[0],)
    return best.actions
