"""Who wants to play a match again, and whose table is the one to go to. A machine without I/O.

A rematch is an ordinary table: a node opens it, and tells the other peers of the old match its id. So there may be
several at once, and everybody must come to the same one without talking about it:

* A proposal is valid for `OPEN_FOR` seconds from when it was made here or heard here.
* Only a peer of the old match may propose, and has one proposal for each match: a newer one replaces it.
* Whoever wants a rematch goes to the table of the *lowest key* among the proposals that are valid, its own among them.
  Whoever hears of a lower one while it is at another table for the same match moves there. The node with the lowest
  key stays where it is, so all who hear of each other end at one table.

Who may sit where follows from the old terms alone: seats are rotated by one, so that the second plays first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kontor_games.net.wire.terms import Terms

OPEN_FOR: Final = 600.0  # seconds
MAX_MATCHES: Final = 64  # for which proposals are remembered; the oldest are forgotten


@dataclass(frozen=True, slots=True)
class RematchProposal:
    """A table at which somebody wants to play again."""

    peer: bytes
    table: str
    is_in_lobby: bool
    until: float


@dataclass(frozen=True, slots=True)
class SeatAgain:
    """Where somebody sits at the next table."""

    seat: int
    name: str
    kind: str
    is_guest: bool


class RematchBook:
    """The proposals of all matches that this node has played."""

    def __init__(self, me: bytes) -> None:
        self._me = me
        self._proposals: dict[bytes, dict[bytes, RematchProposal]] = {}  # by match, then by peer
        self._at: dict[bytes, RematchProposal] = {}  # by match: whose table we are at

    def proposed(self, match: bytes, peer: bytes, table: str, is_in_lobby: bool, now: float) -> RematchProposal:
        """Somebody, or this node itself, has opened a table for this match."""
        theirs = self._proposals.pop(match, {})
        made = theirs[peer] = RematchProposal(peer, table, is_in_lobby, now + OPEN_FOR)
        self._proposals[match] = theirs  # the newest match is the last
        while len(self._proposals) > MAX_MATCHES:
            forgotten = next(iter(self._proposals))
            del self._proposals[forgotten]
            self._at.pop(forgotten, None)
        return made

    def best(self, match: bytes, now: float) -> RematchProposal | None:
        """The table to go to, None if nobody has proposed one, or too long ago."""
        valid = [each for each in self._proposals.get(match, {}).values() if each.until > now]
        return min(valid, key=lambda each: each.peer, default=None)

    def went(self, match: bytes, proposal: RematchProposal) -> None:
        """This node is at that table now."""
        self._at[match] = proposal

    def move(self, match: bytes, now: float) -> tuple[RematchProposal, RematchProposal] | None:
        """From which table to which this node has to move, None if it is where it should be or wants no rematch."""
        at, best = self._at.get(match), self.best(match, now)
        return (at, best) if at is not None and best is not None and best.table != at.table else None

    def match_of(self, table: str) -> bytes | None:
        """The old match that is played again at this table, None for any other table."""
        for match, theirs in self._proposals.items():
            if any(each.table == table for each in theirs.values()):
                return match
        return None

    def own(self, now: float) -> list[tuple[bytes, RematchProposal]]:
        """What this node has proposed itself and is still valid, with the match."""
        found = ((match, theirs.get(self._me)) for match, theirs in self._proposals.items())
        return [(match, mine) for match, mine in found if mine is not None and mine.until > now]

    def expired(self, now: float) -> list[RematchProposal]:
        """The tables of this node whose time is over; they are told once."""
        over = []
        for theirs in self._proposals.values():
            mine = theirs.get(self._me)
            if mine is not None and mine.until <= now:
                over.append(theirs.pop(self._me))
        return over


def rotated(terms: Terms, key: bytes) -> tuple[SeatAgain, ...]:
    """Where the seats of one peer are at the next table: each moves one forward, the first to the end."""
    index, count = terms.index_of(key), len(terms.seats)
    return tuple(
        SeatAgain((number - 1) % count, seat.name, seat.kind, number in (terms.guests or ()))
        for number, seat in enumerate(terms.seats)
        if seat.peer == index
    )
