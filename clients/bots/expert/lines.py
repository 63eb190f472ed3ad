"""Lines of one's own turn that deserve a closer look: what `skilled` would do, and what else it would think of.

Some plans name other lines themselves (`lines`): other routes to work at, other builds. For the others a beam over the
turn finds them, by what the plan thinks a position is worth. A line ends where the turn does or where chance must
answer, so what comes after it may depend on what is revealed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kontor_games.engine import Action, Game, GameState, Known, advance, to_act

from ..skilled import Skilled, plan_of
from ..turns import LONGEST, Line, beam, without_shown
from .styles import Style

Actions = tuple[Action, ...]


class Candidates(NamedTuple):
    """Lines to compare, that of `skilled` first, and what its plan thinks of each, against the first; 0: the same."""

    lines: list[Actions]
    opinions: list[int]


def candidates(
    game: Game[Any], state: GameState, known: Known, seat: int, ply: int, style: Style, most: int = 0
) -> Candidates:
    """The lines to compare, at most so many; no two lead to the same state."""
    first, end = _skilled_line(game, state, known, seat, ply)
    lines, ends, worths = [first], {end}, [0]
    own: int | None = None
    best: int | None = None
    for actions, after, worth in _others(game, state, known, seat, style):
        if after == end and own is None:
            own = worth
        best = worth if best is None else max(best, worth)
        if after not in ends and len(lines) < (most or style.most):
            ends.add(after)
            lines.append(actions)
            worths.append(worth)
    own = own if own is not None else best or 0
    return Candidates(lines, [0, *(worth - own for worth in worths[1:])])


def _skilled_line(game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> tuple[Actions, GameState]:
    """What a skilled player does until the turn ends or chance must answer."""
    player = Skilled()
    actions: Actions = ()
    while to_act(game, state) == seat and len(actions) < LONGEST:
        action = player.choose(game, state, known, seat, ply + len(actions))
        actions = (*actions, action)
        known = without_shown(game, state, known, action)
        state, _ = advance(game, state, action)
    return actions, state


def _others(
    game: Game[Any], state: GameState, known: Known, seat: int, style: Style
) -> Iterator[tuple[Actions, GameState, int]]:
    """Other lines, where they end and what the plan thinks of them, the most promising first."""
    plan = plan_of(game.id)
    if hasattr(plan, "lines"):
        for planned, worth in plan.lines(game, state, known, seat):
            after, length = state, 0
            while length < len(planned) and to_act(game, after) == seat:
                after, _ = advance(game, after, planned[length])
                length += 1
            yield planned[:length], after, worth
        return
    judge = game.evaluate if plan is None else plan.standing
    yield from _in_turns(beam(game, state, known, seat, judge, 2 * style.width, style.width))


def _in_turns(ends: Iterable[Line]) -> list[tuple[Actions, GameState, int]]:
    """The best line of each first action by worth, then their second best, and so on: the choice stays wide."""
    places: dict[Action, int] = {}
    ranked: list[tuple[int, int, Line]] = []
    for number, line in enumerate(sorted(ends, key=lambda end: -end.worth)):
        place = places.get(line.actions[0], 0)
        places[line.actions[0]] = place + 1
        ranked.append((place, number, line))
    return [(line.actions, line.state, line.worth) for _, _, line in sorted(ranked, key=lambda each: each[:2])]
