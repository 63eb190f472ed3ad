"""What a match file says about a table of an event, and why it does not count. A machine: verdicts come from judges.

The order of the questions is the order of the answers that help most: a file that does not verify says nothing; a file
of another event is not one of other players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kontor_games.net.wire.terms import Terms

from .event_records import EventSettings, ResultFiled
from .event_state import EventState


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A file as its judges describe it."""

    file: str  # the digest of its bytes
    verdict: str
    line: str
    match: str = ""
    fault: str = ""  # what it is evidence of
    terms: Terms | None = None  # None: it does not verify, or is a local match
    finished: bool = False
    final: bool = False
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    left: tuple[int, ...] = ()


class Rejected(NamedTuple):
    """Why a file does not count: the name of the fault, and a sentence."""

    fault: str
    text: str


def why_not_played(state: EventState, played: PlayedMatch) -> Rejected | None:
    """Why this file is not a match of the event, or None."""
    if played.verdict != "verified":
        return Rejected(played.verdict, played.line)
    terms = played.terms
    if terms is None:
        return Rejected("nobody signed it", "a match on one machine proves nothing; an event counts network matches")
    if played.fault:
        return Rejected("evidence", f"this file is evidence of a fault ({played.fault}), not the file of a match")
    if terms.rated is None:
        return Rejected("not of an event", "its terms name no event: it was not played at a table of one")
    keeper = "" if terms.rated.keeper is None else terms.rated.keeper.hex()
    if keeper != state.settings.organiser:
        return Rejected("another event", "its terms name another organiser")
    if terms.rated.name not in state.marks:
        return Rejected("another event", "its terms name a round that was not drawn here: of another event, or redrawn")
    if place_of(state, played) is None:
        return _why_not_these(state, terms)
    return why_not_terms_of(state.settings, terms)


def _why_not_these(state: EventState, terms: Terms) -> Rejected:
    number = state.marks.index(terms.rated.name if terms.rated else "") + 1
    keys = seat_keys(terms)
    for table, drawn in enumerate(state.rounds[number - 1].tables, 1):
        if sorted(drawn) == sorted(keys):
            return Rejected("other seats", f"the players of table {table} in round {number} sat in another order")
    return Rejected("other players", f"round {number} has no table of exactly these keys")


def why_not_terms_of(settings: EventSettings, terms: Terms) -> Rejected | None:
    """What differs between the terms of a match and what was declared, or None."""
    size = len(terms.seats)
    wanted = {
        "game": settings.game,
        "rules": settings.rules,
        "data": bytes.fromhex(settings.data),
        "options": dict(settings.options),
        "recovery": settings.recovery,
        "grace": grace_for(settings, size),
        "spectators": settings.spectators,
        "deck": "sealed/1",
        "guests": None,
        "pace": None,
    }
    for name, declared in wanted.items():
        found = getattr(terms, name)
        if found != declared:
            words = (
                "the rules' data differ" if name == "data" else f"{name} is {found!r}; the event declared {declared!r}"
            )
            fault = f"other {name}" if name in ("game", "rules", "options") else "other terms"
            return Rejected(fault, words)
    return None


def grace_for(settings: EventSettings, size: int) -> int | None:
    """The grace that the terms of a table of this size have; where nobody can be put out there is none."""
    return settings.grace if settings.grace and size > 2 and settings.recovery == "majority" else None


def seat_keys(terms: Terms) -> tuple[str, ...]:
    """The keys of a match in the order of its seats."""
    return tuple(terms.peers[seat.peer].key.hex() for seat in terms.seats)


def place_of(state: EventState, played: PlayedMatch) -> tuple[int, int] | None:
    """The round and table of which this is the match."""
    terms = played.terms
    if terms is None or terms.rated is None or terms.rated.name not in state.marks:
        return None
    number = state.marks.index(terms.rated.name) + 1
    keys = seat_keys(terms)
    tables = state.rounds[number - 1].tables
    return next(((number, table) for table, drawn in enumerate(tables, 1) if drawn == keys), None)


def result_of(state: EventState, played: PlayedMatch) -> ResultFiled:
    """The record of a file that counts."""
    place = place_of(state, played)
    assert place is not None
    has_end = played.finished and bool(played.places)
    return ResultFiled(
        round=place[0],
        table=place[1],
        file=played.file,
        match=played.match,
        finish="unfinished" if not has_end else "signed" if played.final else "unsigned",
        places=played.places if has_end else (),
        scores=played.scores if has_end else (),
        left=played.left,
    )
