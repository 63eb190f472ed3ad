"""The course of a sealed match from its file, for viewers: every state, and hands once the keys are opened.

Nothing is judged here; that is `net/record/proof.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kontor_games.engine import Game, GameState
from kontor_games.net.ledger.facts import Grown, Ply
from kontor_games.net.ledger.ledger import Ledger

from .chain_records import item_of
from .local_replay import judging
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, TermsRecord, Unreadable


class SealedCourse:
    """All plies of one sealed match, with the states before them."""

    def __init__(self, records: Sequence[Placed]) -> None:
        self._records = [item for item in records if isinstance(item.record, FrameRecord | EntryRecord)]
        self._first = records[0]
        self._lengths: list[int] = []  # plies that each record brings
        self._whole = self._begin()
        self.plies = list(self._run(self._whole, None))
        if self._whole.state is None:
            raise Unreadable("the match in this file ended before its set-up was complete")
        self.last: GameState = self._whole.state
        self.is_finished = any(isinstance(item.record, EndRecord) for item in records)
        self._secrets = dict(self._whole.table.secrets())

    @property
    def game(self) -> Game[Any]:
        return self._whole.game

    @property
    def terms(self) -> Any:
        return self._whole.terms

    @property
    def match_id(self) -> bytes:
        return self._whole.match

    @property
    def is_open(self) -> bool:
        """Whether all deck keys are known, so that every hand can be shown."""
        return len(self._secrets) == len(self._whole.terms.peers)

    def known(self, ply: int, seat: int) -> dict[int, int]:
        """The hidden cards of a seat before this ply; the match is dealt again up to here."""
        ledger = self._begin()
        for _ in self._run(ledger, ply):
            pass
        return dict(ledger.table.cards.read(seat, self._secrets))

    def _begin(self) -> Ledger:
        assert isinstance(self._first.record, TermsRecord)
        with judging(None, self._first):
            return Ledger(self._first.record.raw, inline=True)

    def _run(self, ledger: Ledger, until: int | None) -> Iterator[Ply]:
        """Feed records and give their plies; a record that would go beyond `until` is not fed any more."""
        for number, placed in enumerate(self._records):
            if until is not None and ledger.ply + self._lengths[number] > until:
                return
            with judging(ledger, placed):  # nothing here was verified before
                facts = ledger.take_item(item_of(placed, ledger), trusted=True)
            if not any(isinstance(fact, Grown) for fact in facts):
                raise Unreadable(f"{placed}: does not follow from what is before it; kontor verify says more")
            plies = [fact for fact in facts if isinstance(fact, Ply)]
            if until is None:
                self._lengths.append(len(plies))
            yield from plies
