"""A draft: actions of the seat to act that nobody else has seen, with undo and redo until they are committed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from kontor_games.engine import Action, Game, GameState, Known, KontorError, allowed, to_act
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import played, work_out
from kontor_games.net.wire.chain import parts


class Drafted(Protocol):
    """What a draft needs of its match."""

    @property
    def game(self) -> Game[Any]: ...

    @property
    def ply(self) -> int: ...

    def known(self, seat: int | None) -> Known:
        """What a seat knows of hidden cards."""

    def why_not(self, state: GameState, action: Action) -> str | None:
        """The rule that forbids an action in a drafted state, or None."""


class Draft:
    """The one draft of a match: only the seat to act can have one."""

    def __init__(self, match: Drafted, state: GameState, actions: Iterable[Action] = ()) -> None:
        self._match = match
        self._game: Game[Any] = match.game
        self._start = state
        self.state = state
        self.plies: list[Ply] = []
        self._redo: list[Action] = []
        for action in actions:
            self._extend(action)

    @property
    def author(self) -> int | None:
        """Whose draft it is; None while it is empty."""
        return self.actions[0].seat if self.plies else None

    @property
    def actions(self) -> list[Action]:
        return [ply.action for ply in self.plies if isinstance(ply.action, Action)]

    @property
    def texts(self) -> list[str]:
        return [ply.text or "" for ply in self.plies]

    @property
    def turn(self) -> int | None:
        """Who is to act after what is drafted; CHANCE while a card or a roll must come first."""
        return to_act(self._game, self.state)

    @property
    def must_commit(self) -> bool:
        """Whether nothing can be added: a card is revealed next, or another seat decides."""
        return bool(self.plies) and self.turn != self.author

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def known(self, seat: int | None) -> Known:
        """What the seat still knows alone; cards that the draft shows are not among it."""
        shown = {slot for ply in self.plies for slot, _ in self._opens(ply)}
        return {slot: face for slot, face in self._match.known(seat).items() if slot not in shown}

    def menu(self, seat: int) -> list[Action]:
        """What the seat may add now, in the game's fixed order."""
        if self.turn != seat or self.author not in (None, seat):
            return []
        return allowed(self._game, self.state, self.known(seat))

    def read(self, seat: int, text: str) -> Action:
        """The action that `text` means here; raises IllegalAction or MalformedAction with the reason."""
        if self.must_commit and self.author == seat:
            raise IllegalAction("the draft is complete: commit it or undo")
        action = self._game.notation.read(self.state, seat, text)
        reason = self._match.why_not(self.state, action)
        if reason:
            raise IllegalAction(reason)
        return action

    def add(self, seat: int, text: str) -> None:
        """Draft one action; raises like `read`."""
        self._extend(self.read(seat, text))
        self._redo.clear()

    def undo(self) -> bool:
        """Take the last action back; False if there is none."""
        if not self.plies:
            return False
        kept = self.actions
        self._redo.append(kept.pop())
        self._reset(kept)
        return True

    def redo(self) -> bool:
        """Draft again what was taken back last; False if there is none."""
        if not self._redo:
            return False
        self._extend(self._redo.pop())
        return True

    def discard(self) -> None:
        """Begin again."""
        self._reset(())
        self._redo.clear()

    def try_out(self, action: Action) -> tuple[GameState, Ply]:
        """What a legal action would bring; nothing changes."""
        return played(self._game, self.state, action, self._match.ply + len(self.plies))

    def _extend(self, action: Action) -> None:
        self.state, ply = self.try_out(action)
        self.plies.append(ply)

    def _reset(self, actions: Iterable[Action]) -> None:
        self.plies, self.state = [], self._start
        for action in actions:
            self._extend(action)

    def _opens(self, ply: Ply) -> tuple[tuple[int, int], ...]:
        return self._game.opens(ply.before, ply.action) if isinstance(ply.action, Action) else ()


def restored(match: Drafted, state: GameState, actions: Sequence[Action]) -> Draft:
    """A draft from before the restart, if the rules still allow all of it; otherwise an empty one."""
    if not actions:
        return Draft(match, state)
    try:
        work_out(match.game, state, actions[0].seat, parts(actions), match.ply, None, match.why_not)
    except KontorError:
        return Draft(match, state)
    return Draft(match, state, actions)
