"""The file of a match among peers, to step through; hands can be read once the deck keys are opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import GameState, advance, digest, public_knowledge, result_dict, view
from engine.errors import KontorError

from .archive import item_of
from .ledger import Differs, Fault, Grown, Ledger, Ply
from .local_match import PERSON
from .news import said
from .proof import begin
from .replayer import Differs as Refuted
from .replayer import Load
from .transcript import EndRecord, Placed, Unreadable

HUMAN = "human"


class SealedReplay:
    """Every position of one match. Proofs and signatures are the verifier's business; here the chain has to run."""

    def __init__(self, path: Path, records: Sequence[Placed], load: Load) -> None:
        self._path = path
        self._first = records[0]
        self._load = load
        ledger = begin(records[0], load)
        self._items: list[Placed] = []
        self._log: list[dict[str, Any]] = []
        self._states: list[GameState] = []
        self._item_of_ply: list[int] = []  # how many items the chain had before the item of this ply
        self._is_finished = False
        for placed in records[1:]:
            if isinstance(placed.record, EndRecord):
                self._is_finished = True
                break
            self._add(ledger, placed)
        if ledger.state is None:
            raise Unreadable(f"{path}: the match was never set up")
        self._states.append(ledger.state)
        self._item_of_ply.append(len(self._items))
        self._game = ledger.game
        self._terms = ledger.terms
        self._match_id = ledger.match
        self._secrets = ledger.table.secrets() if ledger.is_over else {}
        self._cursor = (0, begin(records[0], load))

    def _add(self, ledger: Ledger, placed: Placed) -> None:
        before = ledger.state
        for ply in _take(ledger, placed):
            self._log.append(said(ply))
            # Somebody left before the set-up: that has no state of its own yet.
            self._states.append(before or _state(ledger))
            self._item_of_ply.append(len(self._items))
            if before is not None:
                before, _ = advance(ledger.game, before, ply.action)
        self._items.append(placed)

    def info(self) -> dict[str, Any]:
        """What does not change while stepping."""
        return {
            "game": self._game.id,
            "title": self._game.title,
            "match": self._match_id.hex(),
            "path": str(self._path),
            "options": dict(self._terms.options),
            "seats": [
                {"name": seat.name, "kind": PERSON if seat.kind == HUMAN else seat.kind} for seat in self._terms.seats
            ],
            "plies": len(self._log),
            "finished": self._is_finished,
            "open": self._is_open,
        }

    def view(self, ply: int, seat: int | None) -> dict[str, Any]:
        """What a seat saw (None: a spectator) before ply `ply`."""
        state = self._states[ply]
        known = public_knowledge(state)
        if seat is not None and self._terms.seats[seat].peer in self._secrets:
            known |= self._known(ply, seat)
        return view(self._game, state, seat, known)

    def digest(self, ply: int) -> str:
        """Digest of the state before ply `ply`."""
        return digest(self._states[ply]).hex()

    def log(self) -> list[dict[str, Any]]:
        """Every ply of the match in words of the notation, with its facts."""
        return self._log

    def result(self) -> dict[str, Any] | None:
        result = self._game.result(self._states[-1])
        return None if result is None else result_dict(result)

    @property
    def _is_open(self) -> bool:
        return all(seat.peer in self._secrets for seat in self._terms.seats)

    def _known(self, ply: int, seat: int) -> dict[int, int]:
        """Which slots a seat holds is the table's knowledge: run the chain up to here, on from where we were last."""
        wanted = self._item_of_ply[ply]
        position, ledger = self._cursor
        if position > wanted:
            position, ledger = 0, begin(self._first, self._load)
        for placed in self._items[position:wanted]:
            _take(ledger, placed)
        self._cursor = (wanted, ledger)
        return dict(ledger.table.cards.read(seat, self._secrets))


def _take(ledger: Ledger, placed: Placed) -> list[Ply]:
    try:
        facts = ledger.take_item(item_of(placed, ledger), trusted=True)
    except KontorError as error:
        raise Refuted(ledger.ply, placed, str(error)) from None
    if any(isinstance(fact, Fault | Differs) for fact in facts) or not any(isinstance(f, Grown) for f in facts):
        raise Refuted(ledger.ply, placed, "the record does not follow from the chain before it")
    return [fact for fact in facts if isinstance(fact, Ply)]


def _state(ledger: Ledger) -> GameState:
    assert ledger.state is not None
    return ledger.state
