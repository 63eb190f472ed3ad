"""The engine's half of a match: its state, its plies, who is to act, stand-ins, the result."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games import engine
from kontor_games.engine import Action, GameState, Left, Result
from kontor_games.engine.core.chance import Chance, Rolled
from kontor_games.engine.core.digest import canonical
from kontor_games.engine.errors import LocalError
from kontor_games.net.wire.terms import Terms

from .facts import Ply
from .turn import Turn, played


class GameRun:
    """One playing of a game, driven by the actions and the chance that the chain gives."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.game = engine.load(terms.game, terms.rules)
        self.first: GameState | None = None  # as the set-up left it
        self.state: GameState | None = None
        self.ply = 0
        self.stand_in_since: int | None = None
        self.forfeit: int | None = None  # the peer that left a match of two in order
        self._early_left: list[Left] = []  # departures before the set-up
        self._judged: tuple[GameState | None, Result | None, int | None] = (None, None, None)  # see `_standing`

    @property
    def _standing(self) -> tuple[GameState | None, Result | None, int | None]:
        """The state, its result, and who is to act in it: asked often, worked out once."""
        if self._judged[0] is not self.state and self.state is not None:
            self._judged = self.state, self.game.result(self.state), engine.to_act(self.game, self.state)
        return self._judged

    @property
    def result(self) -> Result | None:
        return self._standing[1]

    @property
    def to_act(self) -> int | None:
        """The seat that is to act; None while chance is, before the set-up and after the end."""
        state, result, turn = self._standing
        if state is None or result is not None or self.forfeit is not None:
            return None
        return None if turn is None or turn < 0 else turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or has nobody left to play it with."""
        return self.forfeit is not None or self.result is not None

    @property
    def how_ended(self) -> str:
        """A word for the way the match went: played, stand-in, forfeit, unfinished."""
        if self.forfeit is not None:
            return "forfeit"
        if self.result is None:
            return "unfinished"
        return "played" if self.stand_in_since is None else "stand-in"

    def state_bytes(self) -> bytes:
        """The canonical bytes of the state, empty before the set-up."""
        return b"" if self.state is None else canonical(self.state)

    def take_turn(self, turn: Turn) -> None:
        """Somebody's turn that was found right."""
        self.state = turn.after
        self.ply += len(turn.plies)

    def take_chance(self, chance: Chance, is_one_left: bool) -> list[Ply]:
        """What an entry of the chain came to; `is_one_left`: after it only one peer is at the table."""
        if isinstance(chance, Rolled) and chance.r == 0:
            seats = len(self.terms.seats)
            self.state = self.first = self.game.begin(dict(self.terms.options), seats, chance.value)
            return [self._apply(left) for left in self._early_left]
        if isinstance(chance, Left):
            if self.is_over:
                return []  # then there is no seat to play
            self._departed(chance, is_one_left)
            if self.state is None:
                self._early_left.append(chance)
                return []
        return [self._apply(chance)]

    def stand_ins(self) -> Iterator[Ply]:
        """The plies of those whose players have left, until somebody else is to act."""
        while self.state is not None:
            turn = self.to_act
            if turn is None or turn not in self.state.desk.gone:
                return
            yield self._apply(self.game.stand_in(self.state))

    def _departed(self, left: Left, is_one_left: bool) -> None:
        if self.stand_in_since is None:
            self.stand_in_since = self.ply
        if is_one_left:
            self.forfeit = next(self.terms.seats[seat].peer for seat in left.seats)

    def _apply(self, action: Action | Chance) -> Ply:
        assert self.state is not None
        reason = engine.why_not(self.game, self.state, action)
        if reason:
            raise LocalError(f"ply {self.ply}: the engine refuses {action}: {reason}")
        self.state, ply = played(self.game, self.state, action, self.ply)
        self.ply += 1
        return ply
