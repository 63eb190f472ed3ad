"""The rest of one's own turn, looked at as a whole: a beam over the actions until somebody else or chance is next.

A horizon inside a turn misleads, because the first half of a turn only costs. So a line is judged where it ends: when
the turn has passed, or when chance must answer. Of the open lines the best few are followed; lines that reach the same
state are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kontor_games.engine import Action, Game, GameState, Known, advance, allowed, to_act

LONGEST = 14  # actions of a line, at most
Worth = Callable[[Any, int, Known], int]  # state, seat, what it knows


class Line(NamedTuple):
    worth: int
    actions: tuple[Action, ...]
    state: GameState
    known: Known


def best_line(
    game: Game[Any], state: GameState, known: Known, seat: int, worth: Worth, width: int
) -> tuple[Action, ...]:
    """The actions of the line with the best end; of equals the first in the game's fixed order."""
    best = max(beam(game, state, known, seat, worth, width, width), key=lambda line: line.worth, default=None)
    if best is None:  # every action leads back to where the turn was before
        return (allowed(game, state, known)[0],)
    return best.actions


def beam(
    game: Game[Any], state: GameState, known: Known, seat: int, worth: Worth, first: int, width: int
) -> Iterator[Line]:
    """Lines to where they end; so many are followed after the first action, and so many after each further one."""
    lines = [Line(0, (), state, known)]
    seen = {state}
    followed = first
    while lines:
        longer: list[Line] = []
        for line in lines:
            for action in allowed(game, line.state, line.known):
                after, _ = advance(game, line.state, action)
                if after in seen:
                    continue
                seen.add(after)
                left = without_shown(game, line.state, line.known, action)
                found = Line(worth(after, seat, left), (*line.actions, action), after, left)
                if to_act(game, after) == seat and len(found.actions) < LONGEST:
                    longer.append(found)
                else:
                    yield found
        longer.sort(key=lambda line: -line.worth)
        lines, followed = longer[:followed], width


def without_shown(game: Game[Any], state: GameState, known: Known, action: Action) -> Known:
    """What is left of one's knowledge of hidden cards after an action that may show some."""
    shown = {slot for slot, _ in game.opens(state, action)}
    return {slot: face for slot, face in known.items() if slot not in shown} if shown else known
