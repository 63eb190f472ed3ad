"""A match on one machine, in memory: state, dealer, and what follows by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from kontor_games.engine.errors import IllegalAction

from .action import Action, Event
from .chance import Chance, Left
from .dealer import LocalDealer
from .game import Game, GameState, Options, Result, advance, legal, public_knowledge, to_act, why_not
from .value import Known

S = TypeVar("S", bound=GameState)


class LocalMatch(Generic[S]):
    """Game, state and a local dealer; `play` checks, `settle` lets chance and stand-ins act."""

    def __init__(self, game: Game[S], options: Options, seats: int, seed: bytes) -> None:
        self.game = game
        self.dealer = LocalDealer(seed)
        self.state = game.begin(options, seats, self.dealer.entropy())
        self.ply = 0

    @property
    def turn(self) -> int | None:
        return to_act(self.game, self.state)

    @property
    def result(self) -> Result | None:
        return self.game.result(self.state)

    def known(self, seat: int) -> Known:
        """What this seat knows of hidden cards."""
        return self.dealer.known(seat)

    def legal(self) -> list[Action]:
        """The legal actions of the seat to act, with what it knows."""
        turn = self.turn
        return [] if turn is None or turn < 0 else legal(self.game, self.state, self.known(turn))

    def why_not(self, action: Action) -> str | None:
        """The rule that forbids this action, or the card it claims and does not have, or None."""
        reason = why_not(self.game, self.state, action)
        if reason:
            return reason
        return self.dealer.why_not_open(action.seat, self.game.opens(self.state, action))

    def play(self, action: Action) -> tuple[Event, ...]:
        """One decision; raises IllegalAction."""
        reason = self.why_not(action)
        if reason:
            raise IllegalAction(reason)
        self.dealer.open(self.game.opens(self.state, action))
        return self._advance(action)

    def follow(self) -> Action | Chance | None:
        """What comes next by itself: the answer of chance, or what a stand-in does; None if a player decides."""
        if self.state.desk.want is not None:
            self.dealer.serve(self.state.desk.want)
            return self.dealer.ready()
        if self.turn in self.state.desk.gone:
            return self.game.stand_in(self.state)
        return None

    def settle(self) -> Iterator[tuple[Action | Chance, tuple[Event, ...]]]:
        """Play everything that needs no player, ply by ply."""
        while (action := self.follow()) is not None:
            if isinstance(action, Action):
                yield action, self.play(action)
            else:
                yield action, self._advance(action)

    def leave(self, *seats: int) -> tuple[Left, tuple[Event, ...]]:
        """These seats leave for good; a stand-in plays for them from now on."""
        left = self.dealer.leave(seats)
        reason = why_not(self.game, self.state, left)
        if reason:
            raise IllegalAction(reason)
        return left, self._advance(left)

    def public(self) -> Known:
        """What everybody knows of slots."""
        return public_knowledge(self.state)

    def _advance(self, action: Action | Chance) -> tuple[Event, ...]:
        self.state, events = advance(self.game, self.state, action)
        self.ply += 1
        return events
