"""An event as its records make it: who takes part, what was drawn, what was handed in. A machine: no files, no clock.

An event is **open** until `EventEnded`, and between two rounds or in one. The rules, in order:

1. The first record declares everything: game, options, terms, points, tie-breaks, method, seed. It never changes.
2. Players are keys. A name is for people; two players of one event cannot have the same.
3. Whoever is added takes part from the next round on, and scores what was declared for the rounds before. Whoever is
   dropped is not drawn again; what they have scored stays. A round robin of tables of two is fixed by its first round.
   Whoever is dropped before a round could have drawn them never took part: the organiser had typed a wrong key.
4. A round is what `pairing.draw` makes of the records before it. Nobody can ask for another one.
5. A round takes results until the next is drawn or the event ends. Then a table without one scores as declared.
6. A table has one result. A better file replaces a worse one: signed by all, then over, then unfinished. Of two files
   that are equally good the first counts, whoever hands in the second.
7. `EventEnded` holds the standings that follow from everything before it.

Who would cheat, and what stands against it:

- *A forged result.* A result is nothing but what a verified file says, and the checker reads the file again.
- *The file of another match*, of other people, of other options or of an easier game: everything in the terms is
  compared with what was declared and drawn (`why_not_played`).
- *An old file again*, of an earlier round, another event or a friendly match between the same people: the terms of an
  event's matches name the drawing of their round (`round_mark`), and all players have signed them.
- *Two files that contradict each other*: rule 6. A player who signed two ways is named (`result_files.py`).
- *A loser who hands in nothing, or an early copy*: any player's file does, and the complete one replaces it (rule 6).
- *A loser who does not sign the end, or leaves*: what that scores was declared before, and never depends on the loser.
- *An organiser who changes a pairing or a result afterwards*: pairings and points are computed again by whoever checks;
  a changed record needs a new signature and changes all hashes after it, and then the marks that the players signed
  do not fit. Whoever kept an older copy proves that the organiser signed two (`event_check.py`, `why_not_after`).
- *An organiser who tries seeds until the first round pleases*: cannot be seen. Let the seed be something that nobody
  can choose and everybody knows, and declare it before the players are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kontor_games.net.wire.text import same_name, why_not_name

from .event_records import (
    MAX_PLAYERS,
    EventEnded,
    EventRecord,
    EventSettings,
    PlayerAdded,
    PlayerDropped,
    ResultFiled,
    RoundDrawn,
    round_mark,
)

RANKS: Final = {"unfinished": 0, "unsigned": 1, "signed": 2}  # how much a file is worth


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part, or did."""

    key: str
    name: str
    first_round: int  # the first that they could be drawn for
    is_here: bool = True


class EventState:
    """All that follows from the records so far."""

    def __init__(self, settings: EventSettings, first: str) -> None:
        self.settings = settings
        self.entrants: dict[str, Entrant] = {}  # in the order in which they came
        self.rounds: list[RoundDrawn] = []
        self.marks: list[str] = []  # of the rounds
        self.results: dict[tuple[int, int], ResultFiled] = {}  # by round and table
        self.filed: dict[str, ResultFiled] = {}  # by file: also those that a better one has replaced
        self.is_over = False
        self.final: EventEnded | None = None
        self.count = 1  # records
        self.tip = first  # the hash of the last one

    @property
    def here(self) -> list[Entrant]:
        """Who would be drawn now."""
        return [each for each in self.entrants.values() if each.is_here]

    def size_points(self, size: int) -> tuple[int, ...]:
        """What the places of a table of this size score."""
        return self.settings.points[self.settings.sizes.index(size)]

    def missing(self) -> list[int]:
        """The tables of the round under way that have no result."""
        if not self.rounds or self.is_over:
            return []
        last = self.rounds[-1]
        tables = range(1, len(last.tables) + 1)
        return [table for table in tables if (last.number, table) not in self.results]

    def why_not(self, record: EventRecord) -> str | None:
        """Why this record cannot come next, or None; whether a round or standings are right is for others to say."""
        if self.is_over:
            return "the event is over"
        match record:
            case EventSettings():
                return "an event is declared once"
            case PlayerAdded():
                return self._why_not_added(record)
            case PlayerDropped(key=key):
                who = self.entrants.get(key)
                return None if who is not None and who.is_here else "nobody with this key takes part"
            case RoundDrawn(number=number):
                return None if number == len(self.rounds) + 1 else f"the next round is {len(self.rounds) + 1}"
            case ResultFiled():
                return self._why_not_filed(record)
            case EventEnded():
                return None if self.rounds else "no round was drawn"

    def _why_not_added(self, record: PlayerAdded) -> str | None:
        known = self.entrants.get(record.key)
        if known is not None and known.is_here:
            return f"{known.name} has this key and takes part already"
        if known is not None and known.name != record.name:
            return f"this key took part as {known.name}, and keeps that name"
        if known is None and len(self.entrants) >= MAX_PLAYERS:
            return f"an event has at most {MAX_PLAYERS} players"
        if reason := why_not_name(record.name):
            return reason
        others = (each.name for each in self.entrants.values() if each.key != record.key)
        if any(same_name(name, record.name) for name in others):
            return f"somebody here is called {record.name} already"
        if self.rounds and self.settings.method == "robin" and self.settings.sizes == (2,) and known is None:
            return "a round robin of two is fixed by its first round; only those who were there can come back"
        return None

    def _why_not_filed(self, record: ResultFiled) -> str | None:
        if not self.rounds or record.round > len(self.rounds):
            return f"round {record.round} was not drawn"
        if record.round < len(self.rounds):
            return f"round {record.round} is closed: round {len(self.rounds)} was drawn"
        if record.table > len(self.rounds[-1].tables):
            return f"round {record.round} has no table {record.table}"
        if record.file in self.filed:
            return "this file was handed in before"
        before = self.results.get((record.round, record.table))
        if before is not None and RANKS[record.finish] <= RANKS[before.finish]:
            if before.match == record.match:
                return "this match was handed in before, by a file that says as much or more"
            return "another match of this table was handed in before, and the first counts"
        return None

    def take(self, record: EventRecord, digest: str) -> None:
        """The record is the next, and its hash is this; raises ValueError if it cannot be."""
        if reason := self.why_not(record):
            raise ValueError(reason)
        match record:
            case PlayerAdded(key=key, name=name):
                before = self.entrants.get(key)
                first = len(self.rounds) + 1 if before is None else before.first_round
                self.entrants[key] = Entrant(key, name, first)
            case PlayerDropped(key=key):
                who = self.entrants[key]
                if who.first_round > len(self.rounds):
                    del self.entrants[key]
                else:
                    self.entrants[key] = Entrant(key, who.name, who.first_round, is_here=False)
            case RoundDrawn():
                self.rounds.append(record)
                self.marks.append(round_mark(digest))
            case ResultFiled():
                self.results[record.round, record.table] = record
                self.filed[record.file] = record
            case EventEnded():
                self.is_over, self.final = True, record
        self.count += 1
        self.tip = digest
