"""A draft: steps of the seat to act that nobody else has seen, with undo and redo until they are committed.

A step is one choice of the menu, thus one or more actions. What leaves no choice and reveals nothing follows by itself,
for seats that people play: after a step that somebody chose, whose undo takes it back as well, and at the beginning of
a turn, where it stays. Programs that name such actions all the same need not know of this: to name one that was done
already changes nothing, unless the same words mean something new by now. `play` (match_routes.py) does without a draft.

Only actions are kept on the disk; `_take` finds the same steps in them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kontor_games.engine import (
    Action,
    Choice,
    Game,
    GameState,
    Known,
    KontorError,
    advance,
    choices,
    is_forced,
    to_act,
)
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import played, work_out
from kontor_games.net.wire.chain import parts

BETWEEN: Final = "; "  # stands between the notations of a choice
MOST_FORCED: Final = 64  # steps in a row that follow by themselves


class Drafted(Protocol):
    """What a draft needs of its match."""

    @property
    def game(self) -> Game[Any]: ...

    @property
    def ply(self) -> int: ...

    @property
    def mine(self) -> tuple[int, ...]:
        """The seats that people at this node play."""

    def known(self, seat: int | None) -> Known:
        """What a seat knows of hidden cards."""

    def why_not(self, state: GameState, action: Action) -> str | None:
        """The rule that forbids an action in a drafted state, or None."""


@dataclass(frozen=True)
class DraftStep:
    """One choice that was drafted, the state after it, and what else could have been chosen."""

    plies: tuple[Ply, ...]
    after: GameState
    forced: bool  # there was nothing else
    among: Sequence[Choice]

    @property
    def reveals(self) -> bool:
        """Whether a card or a roll comes next."""
        return self.after.desk.want is not None

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(ply.action for ply in self.plies if isinstance(ply.action, Action))

    @property
    def text(self) -> str:
        return BETWEEN.join(ply.text or "" for ply in self.plies)


class Draft:
    """The one draft of a match: only the seat to act can have one."""

    def __init__(self, match: Drafted, state: GameState, actions: Sequence[Action] = ()) -> None:
        self._match = match
        self._game: Game[Any] = match.game
        self._start = state
        self._redo: list[tuple[Action, ...]] = []
        self._choices: list[Choice] | None = None  # of the seat to act, once somebody asked
        self.menu: tuple[object, list[dict[str, Any]]] | None = None  # the same in words, and whose words; see menu.py
        self.steps: list[DraftStep] = []
        self._take(actions)

    @property
    def state(self) -> GameState:
        return self.steps[-1].after if self.steps else self._start

    @property
    def author(self) -> int | None:
        """Whose draft it is; None while it is empty."""
        return self.steps[0].actions[0].seat if self.steps else None

    @property
    def plies(self) -> list[Ply]:
        return [ply for step in self.steps for ply in step.plies]

    @property
    def actions(self) -> list[Action]:
        return [action for step in self.steps for action in step.actions]

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
        return bool(self.steps) and self.turn != self.author

    @property
    def may_commit(self) -> bool:
        """Whether it can be confirmed as it is: nothing begun is unfinished."""
        return bool(self.steps) and (self.turn != self.author or self._game.offer.at_rest(self.state))

    @property
    def can_undo(self) -> bool:
        """Whether somebody chose a step; what happened by itself cannot be taken back."""
        return not all(step.forced for step in self.steps)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def known(self, seat: int | None) -> Known:
        """What the seat still knows alone; cards that the draft shows are not among it."""
        shown = {slot for ply in self.plies for slot, _ in self._opens(ply)}
        return {slot: face for slot, face in self._match.known(seat).items() if slot not in shown}

    def choices(self, seat: int) -> list[Choice]:
        """What the seat may add now, in the game's fixed order."""
        if self.turn != seat or self.author not in (None, seat):
            return []
        if self._choices is None:
            self._choices = choices(self._game, self.state, self.known(seat))
        return self._choices

    def read(self, seat: int, text: str) -> list[Action]:
        """The actions that `text` means here; raises IllegalAction or MalformedAction with the reason."""
        said = [part.strip() for part in text.split(BETWEEN.strip()) if part.strip()] or [""]
        try:
            return read_path(self._match, self.state, seat, said, is_begun=self.author == seat)
        except KontorError:
            if not self._is_done(seat, said[0]):
                raise
        return self.read(seat, BETWEEN.join(said[1:])) if said[1:] else []

    def begin(self, seat: int) -> None:
        """Draft what leaves no choice at the beginning of a turn."""
        if not self.steps:
            self._follow(seat)

    def add(self, seat: int, text: str) -> None:
        """Draft one or more actions, all of them or none; raises like `read`."""
        self.begin(seat)
        actions = self.read(seat, text)
        if actions:
            self._take(actions)
            self._redo.clear()
            self._follow(seat)

    def undo(self, to: int | None = None) -> bool:
        """Go back to the first `to` steps (the last chosen one goes, if it is None); False if that changes nothing."""
        chosen = [place for place, step in enumerate(self.steps) if not step.forced]
        kept = [place for place in chosen if to is None or place <= to]
        if not chosen or (to is not None and to >= len(self.steps)):
            return False
        place = kept[-1] if kept else chosen[0]
        self._redo += [step.actions for step in reversed(self.steps[place:]) if not step.forced]
        del self.steps[place:]
        self._choices = self.menu = None
        return True

    def redo(self) -> bool:
        """Draft again what was taken back last; False if there is none."""
        if not self._redo:
            return False
        actions = self._redo.pop()
        self._take(actions)
        self._follow(actions[0].seat)
        return True

    def discard(self) -> None:
        """Begin again."""
        self.undo(0)
        self._redo.clear()

    def plies_of(self, choice: Choice) -> list[Ply]:
        """The plies that a choice of now would be; nothing is worked out again."""
        notation, first = self._game.notation, self._match.ply + len(self.plies)
        steps = zip(choice.before, choice.actions, choice.events, strict=True)
        return [
            Ply(number, state, action, events, None, notation)
            for number, (state, action, events) in enumerate(steps, first)
        ]

    def try_out(self, actions: Iterable[Action]) -> tuple[GameState, list[Ply]]:
        """What legal actions would bring; nothing changes."""
        state, plies = self.state, []
        for number, action in enumerate(actions, self._match.ply + len(self.plies)):
            state, ply = played(self._game, state, action, number)
            plies.append(ply)
        return state, plies

    def _take(self, actions: Sequence[Action]) -> None:
        """Add legal actions as the choices that they are; an action that begins none is a step by itself."""
        rest = tuple(actions)
        while rest:
            found = self.choices(rest[0].seat)
            fitting = [len(choice.actions) for choice in found if rest[: len(choice.actions)] == choice.actions]
            length = max(fitting, default=1)
            self._extend(rest[:length], bool(fitting) and is_forced(found), found)
            rest = rest[length:]

    def _follow(self, seat: int) -> None:
        """Add what leaves no choice."""
        for _ in range(MOST_FORCED if seat in self._match.mine else 0):
            found = self.choices(seat)
            if not is_forced(found):
                break
            self._extend(found[0].actions, True, found)

    def _extend(self, actions: Sequence[Action], forced: bool, among: Sequence[Choice]) -> None:
        after, plies = self.try_out(actions)
        self.steps.append(DraftStep(tuple(plies), after, forced, among))
        self._choices = self.menu = None

    def _is_done(self, seat: int, text: str) -> bool:
        """Whether this action was possible where something followed by itself: that, or its like, is done already."""
        for step in reversed(self.steps):
            for ply in step.plies if step.forced else ():
                with suppress(KontorError):
                    return bool(read_path(self._match, ply.before, seat, [text]))
            if not step.forced:
                break
        return False

    def _opens(self, ply: Ply) -> tuple[tuple[int, int], ...]:
        return self._game.opens(ply.before, ply.action) if isinstance(ply.action, Action) else ()


def read_path(
    match: Drafted, state: GameState, seat: int, texts: Sequence[str], is_begun: bool = False
) -> list[Action]:
    """The actions that these notations mean one after the other; raises IllegalAction or MalformedAction."""
    actions: list[Action] = []
    for text in texts:
        if (actions or is_begun) and to_act(match.game, state) != seat:
            raise IllegalAction("nothing is left to choose in this turn: confirm it, or undo a step")
        action = match.game.notation.read(state, seat, text)
        reason = match.why_not(state, action)
        if reason:
            raise IllegalAction(reason)
        actions.append(action)
        state, _ = advance(match.game, state, action)
    return actions


def restored(match: Drafted, state: GameState, actions: Sequence[Action]) -> Draft:
    """A draft from before the restart, if the rules still allow all of it; otherwise an empty one."""
    if not actions:
        return Draft(match, state)
    try:
        work_out(match.game, state, actions[0].seat, parts(actions), match.ply, None, match.why_not)
    except KontorError:
        return Draft(match, state)
    return Draft(match, state, actions)
