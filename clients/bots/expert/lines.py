"""Lines of one's own turn that deserve a closer look: what `skilled` would do, and what else it would think of.

Some plans name other lines themselves (`lines`): other routes to work at, other builds. For the others a beam over the
turn finds them, by what the plan thinks a position is worth. A line ends where the turn does or where chance must
answer, so what comes after it may depend on what is revealed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, advance, to_act

from ..skilled import Skilled, plan_of
from ..turns import LONGEST, Line, beam, without_shown
from .styles import Style

Actions = tuple[Action, ...]


def candidates(
    game: Game[Any], state: GameState, known: Known, seat: int, ply: int, style: Style, most: int = 0
) -> list[Actions]:
    """The lines to compare, at most so many, that of `skilled` first; no two lead to the same state."""
    first, end = _skilled_line(game, state, known, seat, ply)
    found = [first]
    seen = {end}
    for actions, after in _others(game, state, known, seat, style):
        if len(found) >= (most or style.most):
            break
        if after not in seen:
            seen.add(after)
            found.append(actions)
    return found


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
) -> Iterator[tuple[Actions, GameState]]:
    """Other lines and where they end, the most promising first."""
    plan = plan_of(game.id)
    if hasattr(plan, "lines"):
        for planned in plan.lines(game, state, known, seat):
            after, length = state, 0
            while length < len(planned) and to_act(game, after) == seat:
                after, _ = advance(game, after, planned[length])
                length += 1
            yield planned[:length], after
        return
    worth = game.evaluate if plan is None else plan.standing
    yield from _in_turns(beam(game, state, known, seat, worth, 2 * style.width, style.width))


def _in_turns(ends: Iterable[Line]) -> list[tuple[Actions, GameState]]:
    """The best line of each first action by worth, then their second best, and so on: the choice stays wide."""
    places: dict[Action, int] = {}
    ranked: list[tuple[int, int, Line]] = []
    for number, line in enumerate(sorted(ends, key=lambda end: -end.worth)):
        place = places.get(line.actions[0], 0)
        places[line.actions[0]] = place + 1
        ranked.append((place, number, line))
    return [(line.actions, line.state) for _, _, line in sorted(ranked, key=lambda each: each[:2])]
