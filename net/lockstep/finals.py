"""The end of a match: what ended it, everybody's last signature under the last tip, and when the record is complete.

    playing ──> ended ──> signed ──> completed
       ^          │
       └──────────┘  what ended it was taken back, or can be put right

A match has ended when the game is over, nobody is left to play with, or a cheat at the table cannot be put out. When
the keys are opened too (`ledger.is_complete`), this node signs the last tip with its state, once: a final signature has
one place in a match (`ledger/places.py`). The table secret can go then. With the signatures of all who are still at the
table the transcript is complete.

An attacker would sign another tip as its last one: such a signature is kept and passed on, and does not count here.
"""

from __future__ import annotations

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import Mark, decode, encode
from kontor_games.net.wire.match_talk import Signed

from .effects import Completed, Effect, Ended, GoesOn, Journal, SecretSpent
from .faults import Faults
from .pledges import Pledges
from .speaker import Speaker
from .standing import Standing


class Finals:
    """Whether the match has ended, and the final signatures."""

    def __init__(self, ledger: Ledger, peers: Standing, faults: Faults, pledges: Pledges, speaker: Speaker) -> None:
        self.own: Signed | None = None
        self.ended: str | None = None  # how, as far as it was told
        self.is_completed = False
        self._ledger = ledger
        self._peers = peers
        self._faults = faults
        self._pledges = pledges
        self._speaker = speaker

    def all(self) -> list[Signed]:
        """Every final signature at hand, whatever it stands under."""
        found = (self.own, *(each.final for _, each in self._peers))
        return [signed for signed in found if signed is not None]

    def under_our_tip(self) -> dict[int, Signed]:
        """Final signatures under our tip, by peer."""
        here = (self._ledger.tip, self._ledger.digest)
        found: dict[int, Signed] = {}
        for signed in sorted(self.all(), key=lambda signed: signed.peer):
            mark = decode(Mark, signed.raw)
            if (mark.h, mark.d) == here:
                found[signed.peer] = signed
        return found

    def of(self, peer: int) -> Signed | None:
        """The final signature of a peer."""
        return self.own if peer == self._pledges.me else self._peers[peer].final

    def keep(self, signed: Signed) -> None:
        """Somebody's final signature, ours too."""
        if signed.peer == self._pledges.me:
            self.own = signed
        else:
            self._peers[signed.peer].final = signed

    def take(self, source: int | None, signed: Signed) -> list[Effect]:
        """A final signature arrived: write it down and pass it on."""
        self.keep(signed)
        return [Journal(signed), *self._speaker.spread(signed, source)]

    def spent(self) -> list[Effect]:
        """What is left to do after a restart if the match was complete."""
        return [SecretSpent()] if self.own is not None and self._ledger.is_complete else []

    def step(self) -> list[Effect]:
        """Say that the match has ended or goes on, sign its end, and say when all have signed."""
        ledger = self._ledger
        how = ledger.how_ended if ledger.is_over else "fault" if self._faults.is_doomed else None
        if how != self.ended:
            self.ended = how
            return [GoesOn()] if how is None else [Ended(how)]
        if not ledger.is_complete:
            return []
        if self.own is None and self._pledges.may_sign:
            return self._sign()
        if not self.is_completed and set(self.under_our_tip()) >= set(ledger.active):
            self.is_completed = True
            return [Completed()]
        return []

    def _sign(self) -> list[Effect]:
        def ended(signed: Signed) -> list[Effect]:
            self.own = signed
            return [*self._speaker.spread(signed, None), SecretSpent()]

        ledger = self._ledger
        mark = Mark(ledger.match, self._pledges.me, ledger.tip, ledger.digest)
        return self._pledges.pledge("final", encode(mark), ended)
