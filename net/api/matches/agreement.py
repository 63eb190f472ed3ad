"""What people agree to at a table, as sentences: before they agree, and in the match that comes of it.

Facts in, sentences out; the words are the client's (`Wording.agreement`). What a majority can do to the others is said
here, in full, wherever somebody chooses it or agrees to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kontor_games.net.sealed.escrow import threshold
from kontor_games.net.wire.identity import fingerprint, fingerprint_words
from kontor_games.net.wire.messages import DAY, HUMAN, Clauses, Package, Recovery, TableView
from kontor_games.net.wire.terms import Terms

from .wording import Wording

Said = dict[str, str]
KINDS: tuple[Recovery, ...] = ("majority", "none")
MOST_MACHINES = 8


@dataclass(frozen=True, slots=True)
class Agreed:
    """What is agreed besides game, options and who sits where."""

    recovery: Recovery
    machines: int  # nodes that take part; a free seat at a table counts as one
    spectators: bool
    clauses: Clauses | None = None
    guests: tuple[tuple[str, str], ...] = ()  # their names, and whose machine they play at
    package: Package | None = None


def agreed_at(view: TableView) -> Agreed:
    """What the terms of this table would say."""
    taken = [seat for seat in view.seats if seat is not None]
    owners = {seat.peer: seat.name for seat in reversed(taken) if not seat.guest and seat.kind == HUMAN}
    guests = tuple((seat.name, owners.get(seat.peer) or fingerprint(seat.peer)[:9]) for seat in taken if seat.guest)
    machines = len({seat.peer for seat in taken}) + view.seats.count(None)
    return Agreed(view.recovery, machines, view.spectators, view.clauses, guests, view.package)


def agreed_in(terms: Terms) -> Agreed:
    """What the terms of a match say."""
    numbers = terms.guests or ()
    owners = {
        seat.peer: seat.name
        for number, seat in reversed(list(enumerate(terms.seats)))
        if number not in numbers and seat.kind == HUMAN
    }
    places = [terms.seats[number] for number in numbers]
    guests = tuple((p.name, owners.get(p.peer) or fingerprint(terms.peers[p.peer].key)[:9]) for p in places)
    return Agreed(terms.recovery, len(terms.peers), terms.spectators, terms.clauses, guests, terms.package)


def says(wording: Wording, agreed: Agreed) -> list[Said]:
    """Every sentence that belongs to it, the weightiest first."""

    def said(id: str, **facts: Any) -> Said:
        return {"id": id, "text": wording.agreement(id, facts)}

    found = [{"id": "recovery", "text": recovery_text(wording, agreed.recovery, agreed.machines)}]
    found += [said("guest", name=name, host=host) for name, host in agreed.guests]
    found += _clauses(wording, agreed.clauses, said)
    if agreed.package is not None:
        found.append(said("package", name=agreed.package.name, version=agreed.package.version))
    return [*found, said("spectators" if agreed.spectators else "no_spectators")]


def _clauses(wording: Wording, clauses: Clauses | None, said: Callable[..., Said]) -> list[Said]:
    if clauses is None:
        return []
    found = []
    if clauses.rated is not None:
        keeper = clauses.rated.keeper
        if clauses.rated.is_event and keeper is not None:
            found.append(said("event", organiser=fingerprint_words(keeper)))
        else:
            found.append(said("rated", ladder=clauses.rated.name))
    if clauses.grace is not None:
        found.append(said("grace", time=_time(wording, clauses.grace)))
    if clauses.pace is not None:
        found.append(said(f"pace_{clauses.pace.kind}", time=_time(wording, clauses.pace.seconds)))
    return found


def recovery_text(wording: Wording, recovery: Recovery, machines: int) -> str:
    """What happens if somebody is lost, and what it costs; of two machines neither can be the majority."""
    if machines <= 2:
        return wording.agreement("two", {})
    return wording.agreement(recovery, {"machines": machines, "most": threshold(machines)})


def choices(wording: Wording, machines: int) -> list[Said]:
    """Both kinds of recovery with their consequences, where there is a choice."""
    if machines <= 2:
        return []
    return [
        {
            "id": kind,
            "title": wording.agreement(f"{kind}_title", {}),
            "text": recovery_text(wording, kind, machines),
        }
        for kind in KINDS
    ]


def all_choices(wording: Wording) -> dict[str, Any]:
    """For whoever opens a table: by the number of machines, the sentence for two and the choices for more."""
    two = {"id": "", "title": "", "text": recovery_text(wording, "majority", 2)}
    return {str(machines): choices(wording, machines) or [two] for machines in range(2, MOST_MACHINES + 1)}


def _time(wording: Wording, seconds: int) -> str:
    for unit, size in (("days", DAY), ("hours", 3600), ("minutes", 60)):
        if seconds % size == 0:
            return wording.agreement(unit, {"n": seconds // size})
    return wording.agreement("seconds", {"n": seconds})
