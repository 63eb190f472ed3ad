"""What is found in a match file, and the words for it: the first line says what holds and who signed it, no more.

Terminal, local API and web client show the same line. A file that stops is not a player who left: nobody can tell from
it whether the match went on, so the line says where the file stops and whose part would come next.

Each kind of file has a judge. It is fed the records in order and raises Refuted at the first that does not hold; what
it found in all of them together it tells as a `Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kontor_games.engine import result_dict
from kontor_games.net.ledger.facts import Fault
from kontor_games.net.wire.identity import fingerprint

from .compare import listed
from .evidence import judge
from .local_chain import LOCAL_DECK
from .local_replay import LocalReplay
from .proof import Proven, ProvenDeparture, SealedProof
from .rerun import SEALED_DECK, Load, Refuted
from .transcript import Placed, SignedRecord

_UP_TO = "up to ply"


@dataclass(frozen=True)
class Finding:
    """What was found in a file."""

    message: str = ""
    game: str = ""
    match: str = ""
    players: tuple[str, ...] = ()
    plies: int = 0
    differs_at: int | None = None  # the first ply that differs
    finished: bool = False  # over, and not only by the word of the last peer to move
    final: bool = False  # signed at its end by all who stayed
    result: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    peers: tuple[dict[str, Any], ...] = ()  # of a network match: key, fingerprint, names, signed, left
    sealed: bool = False  # a network match whose hidden cards are proven
    fault: str = ""  # what the file proves somebody did, if it is evidence
    tip: str = ""  # the last link of a network match's chain: equal tips are equal matches


class Judge(Protocol):
    """Judges the file of one match."""

    def feed(self, placed: Placed) -> object:
        """The next record after the terms; raises Refuted if it does not hold."""

    def finding(self, is_torn: bool) -> Finding:
        """What all records so far come to, as the whole file or as what is before its torn end; may raise Refuted."""

    def refuted(self, error: Refuted) -> Finding:
        """What is said about a file that was refuted in this way."""


class LocalJudge:
    """Judges a local match: is it consistent? Nobody signed it."""

    def __init__(self, records: Sequence[Placed], load: Load) -> None:
        self._replay = LocalReplay.of(records, load)

    def feed(self, placed: Placed) -> object:
        return self._replay.feed(placed)

    def finding(self, is_torn: bool) -> Finding:
        if is_torn:
            return self._say("everything before it is consistent")
        if self._replay.has_end:
            return self._say("consistent, unsigned")
        note = "unfinished: chance and hidden cards can be checked once the match is over"
        if self._replay.state is None:
            note = "unfinished: the match has terms, but was not begun"
        return self._say("consistent so far, unsigned, unfinished", note)

    def refuted(self, error: Refuted) -> Finding:
        return replace(self._say(str(error)), differs_at=error.ply)

    def _say(self, message: str, *notes: str) -> Finding:
        replay = self._replay
        return Finding(
            message,
            game=replay.game.id,
            match=replay.match.hex(),
            players=tuple(seat.name for seat in replay.terms.seats),
            plies=replay.ply,
            finished=replay.has_end,
            result=None if replay.result is None else result_dict(replay.result),
            notes=notes,
        )


class SealedJudge:
    """Judges a network match, or evidence: a chain followed by signed messages that prove a fault."""

    def __init__(self, records: Sequence[Placed], load: Load) -> None:
        self._proof = SealedProof(records[0], load)
        self._extra: list[Placed] = []

    def feed(self, placed: Placed) -> object:
        if self._extra or isinstance(placed.record, SignedRecord):
            self._extra.append(placed)  # judged when the chain is proven
            return ()
        return self._proof.feed(placed)

    def finding(self, is_torn: bool) -> Finding:
        proven = self._proof.proven()
        found = _found(proven)  # before evidence is added to the ledger
        before = headline("verified", found.message)
        if self._extra:  # evidence says nothing about how the match ended
            fault = self._fault(proven)
            message = f"proves a fault of {proven.names[fault.peer]} ({fault.code}): {fault.detail}"
            found = replace(found, message=message, fault=fault.code, finished=False, final=False)
        return replace(found, message=f"before it: {before}") if is_torn else found

    def refuted(self, error: Refuted) -> Finding:
        return Finding(str(error), differs_at=error.ply)  # a false file may name anybody: its names are not repeated

    def _fault(self, proven: Proven) -> Fault:
        if any(not isinstance(placed.record, SignedRecord) for placed in self._extra):
            raise Refuted(proven.ledger.ply, self._extra[0], "evidence comes last")
        if proven.has_end:
            raise Refuted(proven.ledger.ply, self._extra[0], "evidence follows a chain without an end")
        return judge(proven.ledger, self._extra)


JUDGES: dict[str | None, Callable[[Sequence[Placed], Load], Judge]] = {
    LOCAL_DECK: LocalJudge,
    SEALED_DECK: SealedJudge,
    None: LocalJudge,  # says what is wrong with terms that cannot be read
}


def _found(proven: Proven) -> Finding:
    ledger = proven.ledger
    return Finding(
        words(proven),
        game=ledger.terms.game,
        match=ledger.match.hex(),
        players=tuple(seat.name for seat in ledger.terms.seats),
        plies=ledger.ply,
        finished=proven.is_finished,
        final=proven.is_finished and not proven.unsigned,
        result=None if ledger.result is None else result_dict(ledger.result),
        notes=notes(proven),
        peers=tuple(_peers(proven)),
        sealed=True,
        tip=ledger.tip.hex(),
    )


def _peers(proven: Proven) -> Iterator[dict[str, Any]]:
    """Who holds which key: names prove nothing."""
    left = {peer: departure for departure in proven.departures for peer in departure.peers}
    for number, peer in enumerate(proven.ledger.terms.peers):
        departure = left.get(number)
        yield {
            "key": peer.key.hex(),
            "fingerprint": fingerprint(peer.key),
            "names": [seat.name for seat in proven.ledger.terms.seats if seat.peer == number],
            "signed": number in proven.signed,
            "left": "" if departure is None else "voted out" if departure.voters else "in order",
        }


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


def _departed(proven: Proven, departure: ProvenDeparture) -> str:
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
