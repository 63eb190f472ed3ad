"""A match on this machine alone, as the API plays it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from kontor_games.engine import Action, GameState, Known
from kontor_games.engine.core.stream import H, u32
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.record import draft_file
from kontor_games.net.record.local_match import RecordedMatch
from kontor_games.net.record.match_files import match_name

from .draft import Draft, restored
from .shown import PERSON, SeatFacts, ShownMatch, Status

STEPS: Final = 64  # plies of chance and stand-ins in a row before the reactor gets its turn again


class ShownLocalMatch(ShownMatch):
    """One local table; chance and stand-ins go on by themselves, bots come through the API."""

    kind = "local"

    def __init__(
        self,
        table: RecordedMatch,
        on_change: Callable[[ShownMatch], None],
        later: Callable[[Callable[[], None]], object],
    ):
        seats = [SeatFacts(seat.name, seat.kind, None, True) for seat in table.terms.seats]
        super().__init__(match_name(table.match_id), table.game, seats, on_change)
        self.table = table
        for ply in table.history:
            self.add_line(ply)
        self.updated = int(table.path.stat().st_mtime)
        self._later = later
        self._closed = False
        actions, _ = draft_file.load(table.files.draft, table.tip, table.game.codec)
        self._draft = restored(self, table.state, actions)

    @property
    def path(self) -> Path:
        return self.table.path

    @property
    def draft(self) -> Draft:
        return self._draft

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.table.terms.options)

    @property
    def ply(self) -> int:
        return self.table.ply

    @property
    def state(self) -> GameState:
        return self.table.state

    @property
    def status(self) -> Status:
        return "over" if self.table.turn is None else "playing"

    def known(self, seat: int | None) -> Known:
        return self.table.known(seat)

    def why_not(self, state: GameState, action: Action) -> str | None:
        return self.table.why_not(state, action)

    def commit(self) -> None:
        self.play(self.draft.actions)

    def play(self, actions: Sequence[Action]) -> None:
        if not actions:
            raise IllegalAction("nothing is drafted")
        self._happened(self.table.commit(actions))
        self.go_on()

    def save_draft(self) -> None:
        draft_file.save(self.table.files.draft, self.table.tip, self.draft.actions)

    def bot_seed(self, seat: int) -> bytes:
        return H("bot-seed", self.table.seed, u32(seat), size=32)

    def file(self) -> bytes:
        return self.path.read_bytes()

    def leave(self) -> None:
        staying = [seat for seat in self.mine if seat not in self.gone]
        if not staying or self.status == "over":
            raise IllegalAction("there is nobody left to leave")
        self._happened(self.table.leave(*staying))
        self.go_on()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.table.close()

    def go_on(self) -> None:
        """Let chance and stand-ins play until somebody must decide."""
        if self._closed:
            return
        for _ in range(STEPS):
            plies = self.table.follow()
            if not plies:
                break
            self._happened(plies)
        else:
            self._later(self.go_on)
        self._on_change(self)

    def _happened(self, plies: Sequence[Ply]) -> None:
        for ply in plies:
            self.happens(ply)
        self.updated = int(time.time())
        self._draft = Draft(self, self.table.state)
        self.save_draft()


def person_kind(kind: str) -> str:
    """What the terms call a seat of the API."""
    return PERSON if kind == "me" else kind
