"""The words of verdicts: the first line says what holds and who signed it, and nothing more than that.

Terminal, local API and web client show the same line. A file that stops is not a player who left: nobody can tell from
it whether the match went on, so the line says where the file stops and whose part would come next.
"""

from __future__ import annotations

from collections.abc import Sequence

from .proof import Departure, Proven

_UP_TO = "up to ply"


def headline(verdict: str, message: str) -> str:
    """The first line of a report."""
    return f"{verdict} {message}" if message.startswith(_UP_TO) else f"{verdict}: {message}"


def words(proven: Proven) -> str:
    """What the file of a network match proves, without the verdict itself."""
    return "; ".join([_course(proven), *(_departed(proven, each) for each in proven.departures), *_signed_too(proven)])


def notes(proven: Proven) -> tuple[str, ...]:
    """What a reader should know beside the first line."""
    found = []
    if proven.ledger.is_over and proven.unopened:
        found.append(f"deck keys not opened: {_all(proven, proven.unopened)}; rules about hidden cards are unchecked")
    since = proven.ledger.run.stand_in_since
    if since is not None and proven.ledger.run.forfeit is None:
        found.append(f"played with a stand-in since ply {since}")
    return tuple(found)


def _course(proven: Proven) -> str:
    ledger, stayed, missing = proven.ledger, proven.stayed, proven.unsigned
    if not ledger.is_over:
        return f"{_UP_TO} {ledger.ply}; this file stops there (next: {_next(proven)})"
    if proven.alone is not None:
        last = "goodbye" if proven.alone not in stayed else "last move"
        return f"ended by {proven.names[proven.alone]}'s {last} alone; nobody else signed it"
    everybody = len(stayed) == len(proven.names)
    head = "finished" if everybody else f"finished with {len(stayed)} of {len(proven.names)}"
    if missing:
        count = len(stayed) - len(missing)
        return f"{head}, signed by {count} of {len(stayed)} (not by {_all(proven, missing)})"
    return f"{head}, signed by all {len(stayed)}" if everybody else head


def _next(proven: Proven) -> str:
    ledger = proven.ledger
    if ledger.turn is not None:
        return ledger.terms.seats[ledger.turn].name
    owing = [p for p in ledger.active if ledger.table.owed(p)]
    return _all(proven, owing) if owing else "a message of somebody who has left"


def _departed(proven: Proven, departure: Departure) -> str:
    who = _all(proven, departure.peers)
    when = "after the end" if departure.is_late else f"at ply {departure.ply}"
    if departure.voters:
        were = "were" if len(departure.peers) > 1 or " & " in who else "was"
        return f"{who} {were} voted out {when} by {_all(proven, departure.voters)}"
    forfeits = not departure.is_late and proven.ledger.run.forfeit in departure.peers
    return f"{who} left in order {when}{' and forfeits' if forfeits else ''}"


def _signed_too(proven: Proven) -> list[str]:
    """Departed peers that have signed the end all the same."""
    departed = [p for p in proven.signed if p not in proven.stayed]
    return [f"{_all(proven, departed)} signed the end too"] if departed else []


def _all(proven: Proven, peers: Sequence[int]) -> str:
    return listed([proven.names[p] for p in peers])


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
