"""What a path of actions does, as far as nobody else and no chance is needed."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Path
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama import rules
from kontor_games.engine.games.yokohama.state import State
from kontor_games.engine.games.yokohama.tables import Tables

# the parts of a gain in the order in which they are told; the last three are still to be decided
GAINS = ("points", "yen", "copper", "silk", "tea", "fish", "import", "agents", "goods", "pieces", "moves")
_DECIDED = {"good": "goods", "hire": "pieces", "move": "moves"}


class Course(NamedTuple):
    """The state after a path, and the events of each of its actions."""

    after: State
    events: tuple[tuple[Event, ...], ...]


@lru_cache(128)
def course(t: Tables, s: State, path: Path) -> Course:
    """Play a path of legal actions."""
    after, told = s, []
    for action in path:
        after, events = rules.apply(t, after, action)
        told.append(events)
    return Course(after, tuple(told))


def gains(s: State, done: Course) -> dict[str, int]:
    """What the seat to act gains, by `GAINS`; zero where it gains none."""
    found = dict.fromkeys(GAINS, 0)
    for event in _of(s.active, done):
        match event:
            case e.Scored(points=points):
                found["points"] += points
            case e.Gained(count=count, what=what):
                found[what] += count
            case e.AgentGained():
                found["agents"] += 1
            case _:
                pass
    for what, part in _DECIDED.items():
        found[part] = max(0, _still(done.after, what) - _still(s, what))
    return found


def _still(s: State, what: str) -> int:
    """How much is still to be decided."""
    return sum(task.a for task in s.queue if task.what == what)


def costs(s: State, done: Course) -> dict[str, int]:
    """What the seat to act pays to the supply, by resource."""
    found: dict[str, int] = {}
    for event in _of(s.active, done):
        if isinstance(event, e.Spent):
            found[event.what] = found.get(event.what, 0) + event.count
    return found


def _of(seat: int, done: Course) -> list[Event]:
    """The events of one seat."""
    return [event for events in done.events for event in events if getattr(event, "seat", None) == seat]
