"""A network match run again from its file, for viewers: every state, and hands once the keys are opened.

Nothing is judged here; that is `net/record/proof.py`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kontor_games.engine import Game, GameState, Known
from kontor_games.net.ledger.facts import Grown, Ply
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.terms import Terms

from .chain_records import item_of
from .rerun import judging
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, TermsRecord, UnreadableFile


class SealedReplay:
    """The ledger of a network match as its records are fed in, whose proofs are taken as checked."""

    def __init__(self, first: Placed, secrets: Mapping[int, int] | None = None) -> None:
        assert isinstance(first.record, TermsRecord)
        self.has_end = False
        self._first = first
        self._secrets = secrets  # deck keys, if they are known from elsewhere
        with judging(None, first):
            self.ledger = Ledger(first.record.raw, inline=True)

    def again(self) -> SealedReplay:
        return SealedReplay(self._first, self.secrets)

    @property
    def secrets(self) -> Mapping[int, int]:
        """The deck keys that are known, by peer."""
        return self.ledger.table.secrets() if self._secrets is None else self._secrets

    @property
    def game(self) -> Game[Any]:
        return self.ledger.game

    @property
    def terms(self) -> Terms:
        return self.ledger.terms

    @property
    def match(self) -> bytes:
        return self.ledger.match

    @property
    def ply(self) -> int:
        return self.ledger.ply

    @property
    def tip(self) -> bytes:
        return self.ledger.tip

    @property
    def state(self) -> GameState | None:
        return self.ledger.state

    @property
    def is_open(self) -> bool:
        return len(self.secrets) == len(self.ledger.terms.peers)

    def known(self, seat: int) -> Known:
        return dict(self.ledger.table.cards.read(seat, self.secrets)) if self.is_open else {}

    def feed(self, placed: Placed) -> Sequence[Ply]:
        if isinstance(placed.record, EndRecord):
            self.has_end = True
        if not isinstance(placed.record, FrameRecord | EntryRecord):
            return ()
        with judging(self.ledger, placed):  # nothing here was verified before
            facts = self.ledger.take_item(item_of(placed, self.ledger), trusted=True)
        if not any(isinstance(fact, Grown) for fact in facts):
            raise UnreadableFile(f"{placed}: does not follow from what is before it; kontor verify says more")
        return [fact for fact in facts if isinstance(fact, Ply)]
