"""Lines of a match's log as clients get them: number, seat, notation, facts, what moves where, and a sentence.

Every line has the number of the turn it belongs to. A turn begins when another seat than the one whose turn it was acts
where nothing is left unfinished (`Offer.at_rest`): whoever only answers somebody else's action (where does the
displaced piece go?) begins none. What chance does belongs to the turn before it; the set-up is turn 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kontor_games.engine import Action, Game, event_dict
from kontor_games.net.ledger.facts import Ply

from .wording import Audience, Wording


@dataclass
class LogEntry:
    """One ply as it went into the log; worded once for each reader, when somebody first wants to read it."""

    ply: int
    seat: int | None  # None: chance
    text: str | None
    chance: str
    events: tuple[dict[str, Any], ...]
    travels: tuple[dict[str, Any], ...]
    turn: int
    whose: int | None  # the seat whose turn it is
    worded: dict[int | None, dict[str, Any]] = field(default_factory=dict)


def log_entry(game: Game[Any], ply: Ply, last: LogEntry | None) -> LogEntry:
    """The log entry for one applied action, after the entry before it."""
    action = ply.action
    seat = action.seat if isinstance(action, Action) else None
    turn, whose = (0, None) if last is None else (last.turn, last.whose)
    if seat is not None and seat != whose and (whose is None or game.offer.at_rest(ply.before)):
        turn, whose = turn + 1, seat
    moves = [travel for event in ply.events for travel in game.offer.travels(ply.before, event)]
    return LogEntry(
        ply.number,
        seat,
        ply.text,
        "" if seat is not None else type(action).__name__,
        tuple(event_dict(event) for event in ply.events),
        tuple({name: getattr(move, name) for name in move.__struct_fields__} for move in moves),
        turn,
        whose,
    )


def turns_of(game: Game[Any], plies: Iterable[Ply]) -> list[tuple[int, int]]:
    """The first ply of every turn, and its number."""
    turns: list[tuple[int, int]] = []
    last: LogEntry | None = None
    for ply in plies:
        last = log_entry(game, ply, last)
        if not turns or turns[-1][1] != last.turn:
            turns.append((last.ply, last.turn))
    return turns


def line(wording: Wording, to: Audience, entry: LogEntry) -> dict[str, Any]:
    """A `Line` of the API."""
    if to.you not in entry.worded:
        entry.worded[to.you] = _line(wording, to, entry)
    return entry.worded[to.you]


def _line(wording: Wording, to: Audience, entry: LogEntry) -> dict[str, Any]:
    sentence = " ".join(filter(None, (wording.event(to, event) for event in entry.events)))
    if not sentence and entry.chance:
        sentence = wording.chance(to.game, entry.chance)
    return {
        "ply": entry.ply,
        "seat": entry.seat,
        "text": entry.text,
        "say": sentence,
        "events": list(entry.events),
        "travels": list(entry.travels),
        "turn": entry.turn,
    }
