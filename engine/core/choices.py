"""The menu of the seat to act: choices, each a path of one or more actions that a person thinks of as one.

1. Every legal action begins a path.
2. While the game says that the decision after a path belongs to it (`Offer.continues`), the path is extended by each
   legal action there. If that gives more than `MOST_ENDINGS` paths for one first action, that action stands alone and
   the rest is asked afterwards.
3. A path ends where chance must answer or somebody else decides.
4. Paths that lead to the same state are one choice if they have the same last events or are of the same kind: the
   shortest, then the one with the fewest events, stands for all, in the place of the first (a walk straight to an
   area stands for those over others).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .action import Action, Event
from .game import Game, GameState, advance, legal, to_act
from .offer import Path
from .value import Known

MOST_ENDINGS = 24
MOST_STEPS = 6


@dataclass(frozen=True)
class Choice:
    """One entry of a menu: its actions, the state before each and after all, the events of each, what it reveals."""

    actions: Path
    before: tuple[GameState, ...]
    after: GameState
    events: tuple[tuple[Event, ...], ...]
    reveals: bool  # it opens a card, or chance answers next


def allowed(game: Game[Any], state: GameState, known: Known) -> list[Action]:
    """The legal actions of the seat to act, rules about its own hidden cards included."""
    actions = legal(game, state, known)
    hidden = game.why_not_hidden
    return [action for action in actions if hidden(state, action, known) is None] if hidden else actions


def choices(game: Game[Any], state: GameState, known: Known) -> list[Choice]:
    """What the seat to act may choose, in the game's fixed order."""
    found: list[Choice] = []
    kinds: list[str] = []
    reached: dict[GameState, list[int]] = {}  # the choices that lead to a state
    for action in allowed(game, state, known):
        for choice in _endings(game, state, _extended_by(game, Choice((), (), state, (), False), action), known):
            kind = game.offer.kind(state, choice.actions)
            twins = reached.setdefault(choice.after, [])
            same = [i for i in twins if found[i].events[-1] == choice.events[-1] or kinds[i] == kind]
            if not same:
                twins.append(len(found))
                found.append(choice)
                kinds.append(kind)
            elif kinds[same[0]] == kind and _effort(choice) < _effort(found[same[0]]):
                found[same[0]] = choice
    return found


def _effort(choice: Choice) -> tuple[int, int]:
    """How roundabout a path is."""
    return len(choice.actions), sum(map(len, choice.events))


def is_forced(found: list[Choice]) -> bool:
    """Whether there is only one thing to do, and it reveals nothing."""
    return len(found) == 1 and not found[0].reveals


def _endings(game: Game[Any], state: GameState, first: Choice, known: Known) -> list[Choice]:
    """The paths that begin with this one; only itself if there are too many."""
    done: list[Choice] = []
    unfinished = [first]
    while unfinished:
        path = unfinished.pop(0)
        longer = list(_continued(game, state, path, known))
        unfinished += longer
        if not longer:
            done.append(path)
        if len(done) + len(unfinished) > MOST_ENDINGS:
            return [first]
    return done


def _continued(game: Game[Any], state: GameState, path: Choice, known: Known) -> Iterator[Choice]:
    """Each way to go on with a path; none if its end is a place to stop."""
    seat = path.actions[0].seat
    if len(path.actions) == MOST_STEPS or to_act(game, path.after) != seat:
        return
    if game.offer.continues(state, path.actions, path.after):
        for action in allowed(game, path.after, known):
            yield _extended_by(game, path, action)


def _extended_by(game: Game[Any], path: Choice, action: Action) -> Choice:
    after, events = advance(game, path.after, action)
    reveals = path.reveals or bool(game.opens(path.after, action)) or after.desk.want is not None
    return Choice((*path.actions, action), (*path.before, path.after), after, (*path.events, events), reveals)
