"""The faults that the explorer is known to find: where it looks, with which faults, and what it then says.

`KNOWN` are mended; the explorer finds each again when its mend is taken back (`unmended`). `FOUND` are those that it
found by itself in the mended code; they are mended too, and searched for again in every run.
"""

from __future__ import annotations

from dataclasses import dataclass

from .findings import Finding, Tally
from .search import Search
from .starts import Liars
from .world import Step


@dataclass(frozen=True)
class Known:
    """A search that finds one fault of the design; the schedule is the search's own business."""

    name: str
    start: str
    liars: Liars
    faults: tuple[Step, ...]
    depth: int
    promise: str
    words: str  # in the text of the finding
    leaves: int = 12

    def search(self) -> Tally:
        """Explore until it is found."""
        where = self.start, self.liars, self.faults, self.depth, self.leaves
        return Search(*where, is_enough=lambda tally: bool(self.found(tally))).run()

    def found(self, tally: Tally) -> list[Finding]:
        """Those findings that are this fault."""
        return [f for f in tally.findings.values() if f.promise == self.promise and self.words in f.text]


STILL = "stands still"
KNOWN = (
    Known("A2", "own turn", 2, (("trick", "chunk_nonsense", 0), ("reboot", 0, "synced")), 8, "P4", "one place: frame"),
    Known("A2 full disk", "own turn", None, (("disk", 0, True), ("reboot", 0, "synced")), 5, "P4", "one place: frame"),
    Known("A3", "own turn", 2, (("trick", "chunk_nonsense", 1),), 4, "P5", "cuts off honest peer"),
    Known("A4", "vanished", 2, (("trick", "vote_unknown", 3),), 3, "P5", STILL),
    Known("A5", "own turn", 2, (("trick", "where_wrong", 0),), 3, "P5", STILL),
    Known("B1", "own turn", None, (("lose", 0, 1),), 6, "P6", STILL),
    Known("N1", "one giv out", None, (), 4, "P5", "have parted", leaves=80),
    Known("N2", "deal", None, (("reboot", 0, "secret"),), 3, "P3", "blames honest peer"),
    Known("N3 turn", "own turn", None, (("reboot", 0, "cut"),), 5, "P4", "one place: frame"),
    Known("N3 withheld turn", "damaged journal", 2, (("trick", "where_old", 0),), 5, "P4", "one place: frame"),
    Known("N3 vote", "damaged vote", None, (("vote", 1, 2),), 3, "P4", "one place: gon"),
    Known("N7", "damaged memory", None, (("noreplay", 1),), 5, "P6", STILL),
)

FOUND = (
    # everybody leaves: the entry that opens the keys has no messages and is closed again and again
    Known("goodbyes of all", "goodbye", None, (("bye", 0), ("bye", 2)), 5, "hang", "does not return", leaves=6),
    # a goodbye that one peer gets, then a turn for the other: one lets the liar leave, the other lets it play
    Known("goodbye to one", "their turn", 2, (("trick", "bye_to_one", 0),), 6, "P5", "have parted"),
    # a cheat whom one survivor finds out before, the other after the entry with its message is closed
    Known("nonsense in a deal", "deal", 2, (("trick", "body_nonsense", 0),), 6, "P5", STILL, leaves=60),
)
