"""Lines of a match's log as clients get them: number, seat, notation, facts, and a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kontor_games.engine import Action, Chance, Event, event_dict

from .wording import Wording


@dataclass
class LogEntry:
    """One ply as it went into the log; worded once, when somebody first wants to read it."""

    ply: int
    seat: int | None  # None: chance
    text: str | None
    chance: str
    events: tuple[dict[str, Any], ...]
    worded: dict[str, Any] | None = None


def log_entry(ply: int, action: Action | Chance, text: str | None, events: Iterable[Event]) -> LogEntry:
    """The log entry for one applied action."""
    is_player = isinstance(action, Action)
    seat = action.seat if isinstance(action, Action) else None
    chance = "" if is_player else type(action).__name__
    return LogEntry(ply, seat, text, chance, tuple(event_dict(event) for event in events))


def line(wording: Wording, game: str, names: Sequence[str], entry: LogEntry) -> dict[str, Any]:
    """A `Line` of the API."""
    if entry.worded is None:
        entry.worded = _line(wording, game, names, entry)
    return entry.worded


def _line(wording: Wording, game: str, names: Sequence[str], entry: LogEntry) -> dict[str, Any]:
    sentence = " ".join(wording.event(game, names, event) for event in entry.events)
    if not sentence and entry.chance:
        sentence = wording.chance(game, entry.chance)
    return {
        "ply": entry.ply,
        "seat": entry.seat,
        "text": entry.text,
        "say": sentence,
        "events": list(entry.events),
    }
