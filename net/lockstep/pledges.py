"""What this node has signed in a match, and what it may sign next: nothing twice, nothing before it is on the disk.

Every message of our own but an acknowledgement goes through `pledge`:

1. The book of places (`ledger/places.py`) is asked for its place. If this node has signed something there before, those
   very bytes are said again, whatever was to be said now.
2. The effect `Pledge` has it written to two places on the disk: the journal, and a short list of our open words.
3. Only `written` lets it count: `then` takes it into the ledger and shows it to others. While anything waits for the
   disk, `may_sign` is false and no other part of ours is made.

What this node signed and lost with a damaged file is learned again from the second place or from peers (`stand_by`).
Until the chain has come back to where those words belong (`_lost_words`), nothing new is signed. If nobody can say what
was signed, or two copies of this node contradict each other, the node only reads (`reads_only`) and says why.

An attacker would crash us between signing and writing, or hand back an old message of ours to have us sign another one
for its place: 1 and 3 leave nothing to gain by either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.places import PlaceBook, tip_before
from kontor_games.net.wire.chain import Chat, decode
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.match_talk import Item, Kind, Signed

from .effects import Effect, Journal, Pledge, ReadsOnly
from .wishes import Wishes

MAX_OPEN_WORDS = 32  # of our own, kept in the second place on the disk
Then: TypeAlias = Callable[[Signed], list[Effect]]


class Pledges:
    """This node's own words in one match."""

    def __init__(self, ledger: Ledger, signer: Signer, wishes: Wishes) -> None:
        if ledger.me is None:
            raise LocalError("this node is not a peer of this match")
        self.me = ledger.me
        self.reads_only: str | None = None  # why this node signs nothing more here
        self.next_line = 0  # the number of our next line of chat
        self._ledger = ledger
        self._signer = signer
        self._wishes = wishes
        self._places = PlaceBook()
        self._waiting: dict[int, tuple[Signed, Then]] = {}  # signed by us, not on the disk for certain
        self._number = 0
        self._open_words: list[Signed] = []  # our own newest messages, until their places are closed
        self._lost_words: list[Signed] = []  # ours, not in the journal, for tips that we have not reached again
        self._written: set[bytes] = set()  # messages of others in the journal that are not in the chain yet
        self._own_written: set[bytes] = set()  # all of ours that are in the journal

    # ---- signing

    @property
    def may_sign(self) -> bool:
        """Whether a new part of ours may be made: nothing waits for the disk, and what we signed before is in place."""
        if self.reads_only is not None or self._waiting:
            return False
        if self._lost_words:
            if any(self._ledger.position_of(tip) is None for tip in self.lost_tips()):
                return False
            self._lost_words = []
        return True

    @property
    def has_turn(self) -> bool:
        """Whether a turn of ours waits for the disk."""
        return any(signed.kind == "frame" for signed, _ in self._waiting.values())

    def pledge(self, kind: Kind, raw: bytes, then: Then) -> list[Effect]:
        """Sign a message of ours and have it written down; `then` says what follows when that is done.

        If this node has signed something else for the same place, that is what it says again.
        """
        signed = self._places.first(self.seal(kind, raw))
        self.keep_open([*self._open_words, signed])
        self._number += 1
        self._waiting[self._number] = (signed, then)
        return [Pledge(self._number, signed, tuple(self._open_words))]

    def seal(self, kind: Kind, raw: bytes) -> Signed:
        """Sign what has no place of its own: an acknowledgement, which may be corrected."""
        return Signed(kind, self.me, raw, self._signer.sign(kind, raw))

    def written(self, number: int) -> list[Effect]:
        """This pledge is on the disk in both places: now it counts, and others may see it."""
        signed, then = self._waiting.pop(number)
        self._own_written.add(signed.raw)
        return then(signed)

    def read_only(self, reason: str) -> list[Effect]:
        """This node signs nothing more in this match."""
        if self.reads_only is not None:
            return []
        self.reads_only = reason
        self._wishes.drop()
        return [ReadsOnly(reason)]

    def stand_by(self, signed: Signed) -> list[Effect]:
        """Never sign anything else for the place of this message of ours."""
        try:
            clash = self._places.learn([signed])
        except RemoteError:
            return []  # not what this program signs
        return [] if clash is None else self.read_only("another copy of this node plays this match with the same key")

    # ---- what others said that ours rests on

    def journal_grounds(self, grounds: Iterable[Signed]) -> list[Effect]:
        """Have written down what a message of ours rests on, unless it is written already."""
        new = [other for other in grounds if other.raw not in self._written]
        self._written.update(other.raw for other in new)
        return [Journal(other) for other in new]

    def journal_item(self, item: Item) -> list[Effect]:
        """Have written down what others said in an item of the chain, unless it is written already."""
        new = [part for part in item.parts if part.raw not in self._written and part.raw not in self._own_written]
        self._written.clear()
        return [Journal(part) for part in new]

    # ---- after a restart

    def restored(self, signed: Signed) -> None:
        """A message of ours stands in the journal."""
        self._own_written.add(signed.raw)
        self.stand_by(signed)

    def is_in_journal(self, signed: Signed) -> bool:
        """Whether this message of ours is written in the journal."""
        return signed.raw in self._own_written

    def lose(self, signed: Signed) -> None:
        """A message of ours that the journal has lost: it stands, and waits for the chain to come back to its place."""
        self._lost_words.append(signed)

    def lost_tips(self) -> list[bytes]:
        """The tips that the messages lost with the journal name."""
        return [tip_before(signed) for signed in self._lost_words]

    def keep_open(self, words: Sequence[Signed]) -> None:
        """Keep those of our words that belong in the second place.

        The newest that names a tip always does: it shows how far the chain had come when the journal is lost. So does
        our last turn with what we said after it: nobody else need have it yet.
        """
        placed = [k for k, word in enumerate(words) if word.kind in ("frame", "dealer")]
        turns = [k for k in placed if words[k].kind == "frame"]
        first = turns[-1] if turns else placed[-1] if placed else len(words)
        still = [word for k, word in enumerate(words) if k >= first or self._is_open(word)]
        self._open_words = still[-MAX_OPEN_WORDS:]

    def _is_open(self, word: Signed) -> bool:
        """Whether this message of ours is one whose loss could make us sign another in its place."""
        if word.kind in ("frame", "dealer"):
            tip = tip_before(word)
            return tip in self._ledger.entries.position.open_tips() or self._ledger.position_of(tip) is None
        return word.kind == "final" or (word.kind == "chat" and decode(Chat, word.raw).n == self.next_line - 1)
