"""A network match behind the same screen as a local one: views, menus, drafts; what others do arrives as news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import Action, Game, GameState, Known, Result, public_knowledge, result_dict, why_not
from engine.errors import IllegalAction

from . import draft_file
from .identity import six_words
from .ledger import Ledger
from .local_match import PERSON, draft_path
from .local_play import LocalPlay
from .match import Match
from .news import Data, names_of
from .replayer import Ply

ELSEWHERE = "elsewhere"  # a seat that is played at another node


@dataclass(frozen=True)
class Seat:
    """A seat as this screen shows it."""

    name: str
    kind: str


@dataclass(frozen=True)
class Agreed:
    """What this screen shows of the terms."""

    options: dict[str, Any]
    seats: tuple[Seat, ...]


class NetTable:
    """A match of this node, or one it watches, that looks like a local table."""

    def __init__(self, ledger: Ledger, match: Match | None, path: Path) -> None:
        self.path = path
        self.match_id = ledger.match
        self.game: Game[Any] = ledger.game
        self.history: list[Ply] = []  # the log is kept as plain data instead
        me = None if match is None else match.session.me
        kinds = [_kind(seat.kind, seat.peer == me) for seat in ledger.terms.seats]
        seats = tuple(Seat(seat.name, kind) for seat, kind in zip(ledger.terms.seats, kinds, strict=True))
        self.terms = Agreed(dict(ledger.terms.options), seats)
        self._ledger = ledger
        self.match = match

    @property
    def ledger(self) -> Ledger:
        return self._ledger if self.match is None else self.match.session.ledger

    @property
    def state(self) -> GameState:
        assert self.ledger.state is not None, "the set-up is not over"
        return self.ledger.state

    @property
    def ply(self) -> int:
        return self.ledger.ply

    @property
    def tip(self) -> bytes:
        return self.ledger.tip

    @property
    def turn(self) -> int | None:
        return self.ledger.turn

    @property
    def result(self) -> Result | None:
        return self.ledger.result

    @property
    def is_mine(self) -> bool:
        """Whether a person at this screen may act now."""
        turn, match = self.turn, self.match
        if turn is None or match is None or match.session.is_committed or match.session.is_stopped:
            return False
        return self.terms.seats[turn].kind == PERSON and match.session.me in self.ledger.active

    def known(self, seat: int | None) -> Known:
        """What a seat of this node knows; of other seats nothing."""
        return public_knowledge(self.state) if seat is None else self.ledger.known(seat)

    def why_not(self, state: GameState, action: Action) -> str | None:
        """The rule that forbids `action` in a drafted state, secret ones included, or None."""
        return why_not(self.game, state, action) or self.ledger.why_not_shown(state, action)

    def why_not_frame(self, actions: Sequence[Action]) -> str | None:
        return "this match is only watched" if self.match is None else self.match.session.why_not_play(actions)

    def commit(self, actions: Sequence[Action]) -> list[Ply]:
        """Send the turn as soon as everybody stands where we stand; what comes of it arrives as news."""
        if self.match is None:
            raise IllegalAction("this match is only watched")
        self.match.play(actions)
        return []

    def follow(self) -> list[Ply]:
        return []

    def close(self) -> None:
        """The node keeps the match."""


def _kind(kind: str, mine: bool) -> str:
    if not mine:
        return ELSEWHERE
    return PERSON if kind == "human" else kind


class NetPlay(LocalPlay):
    """The screen of one network match; calls come from the reactor thread, once the first state exists."""

    def __init__(self, table: NetTable, log: list[Data]) -> None:
        self._net = table
        self._log = log
        self._tip = table.tip
        super().__init__(table, {})
        path = draft_path(table.path)
        actions, committed = draft_file.load(path, table.tip, table.game.codec)
        if committed and table.why_not_frame(actions) is None:  # killed while it waited for somebody
            self._commit(actions)

    def info(self) -> Data:
        """What does not change during the match."""
        terms = self._net.ledger.terms
        return {**super().info(), "words": six_words(self._net.match_id), "recovery": terms.recovery}

    def status(self) -> Data:
        """Who is to act now; `auto` means: not this screen. `left`: this node has left in order."""
        self._refresh()
        ledger, match = self._net.ledger, self._net.match
        status = {**super().status(), "left": match is not None and match.session.me not in ledger.active}
        if ledger.is_over:
            result = ledger.result
            return {**status, "kind": "over", "result": None if result is None else result_dict(result)}
        if not self._net.is_mine:
            return {**status, "kind": "auto", "draft": [], "closed": False}
        return status

    def commit(self) -> list[Data]:
        """Make the draft final; it is sent as soon as everybody stands where we stand, whatever happens to us."""
        self._commit([ply.action for ply in self._draft if isinstance(ply.action, Action)])
        return []

    def _commit(self, actions: list[Action]) -> None:
        draft_file.save(draft_path(self._net.path), self._net.tip, actions, committed=True)
        try:
            self._net.commit(actions)
        except IllegalAction:
            self._store()
            raise
        self._reset(())

    def log(self) -> list[Data]:
        """Everything that has happened so far."""
        return list(self._log)

    def standing(self) -> Data:
        """Who is missing, and who says that somebody is gone."""
        match = self._net.match
        if match is None:
            return {"missing": [], "votes": {}, "stopped": False}
        ledger = match.session.ledger
        return {
            "missing": [names_of(ledger, p) for p in match.session.missing] if not ledger.is_complete else [],
            "votes": {
                names_of(ledger, p): [names_of(ledger, w) for w in gone]
                for p, gone in sorted(ledger.entries.ballots().items())
            },
            "stopped": match.session.is_stopped,
        }

    def _refresh(self) -> None:
        """After the chain has moved, what was drafted may rest on another state."""
        if self._tip != self._net.tip:
            self._tip = self._net.tip
            self._reset(())
            self._store()
