"""A turn: the actions of one frame, worked out by the engine in the same way for everybody who has to do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Raw

from kontor_games import engine
from kontor_games.engine import Action, GameState
from kontor_games.engine.core.chance import CHANCE_TYPES, Chance
from kontor_games.engine.core.game import Game
from kontor_games.engine.errors import IllegalAction

from .facts import Ply

WhyNot = Callable[[GameState, Action], str | None]


@dataclass(frozen=True, slots=True)
class ShownCards:
    """Hidden cards that one action opens, under the number of the want that would come next."""

    r: int
    pairs: tuple[tuple[int, int], ...]  # slot, face


@dataclass(frozen=True, slots=True)
class Turn:
    """The state before, every ply, the state after."""

    seat: int
    raws: tuple[Raw, ...]  # the actions as a frame carries them
    before: GameState
    after: GameState
    plies: tuple[Ply, ...]
    shown: tuple[ShownCards, ...]


class Forbidden(IllegalAction):
    """The rules forbid one action of a turn; the text numbers it if the turn has several."""

    def __init__(self, turn: Sequence[Action | Chance], index: int, state: GameState, reason: str) -> None:
        super().__init__(reason if len(turn) == 1 else f"action {index + 1}: {reason}")
        self.index = index
        self.action = turn[index]
        self.state = state  # in which it is forbidden
        self.reason = reason


def work_out(
    game: Game[Any],
    state: GameState,
    seat: int,
    raws: Sequence[Raw],
    number: int,
    author: int | None,
    why_not_shown: WhyNot | None = None,
) -> Turn:
    """The turn of `seat` from `state` and ply `number` on; raises MalformedAction or Forbidden.

    Whoever makes, takes, replays or drafts the actions of one frame does it here. `why_not_shown` judges what only
    somebody who can read the author's hand can: the hidden cards that an action shows. It is asked action by action.
    """
    actions = [game.codec.decode(bytes(raw)) for raw in raws]
    before = state
    plies: list[Ply] = []
    shown: list[ShownCards] = []
    for index, action in enumerate(actions):
        if isinstance(action, CHANCE_TYPES) or action.seat != seat:
            raise Forbidden(actions, index, state, f"it is not an action of seat {seat}")
        if index and engine.to_act(game, state) != seat:
            raise Forbidden(actions, index, state, "the turn has passed on")
        reason = engine.why_not(game, state, action) or (why_not_shown(state, action) if why_not_shown else None)
        if reason:
            raise Forbidden(actions, index, state, reason)
        pairs = game.opens(state, action)
        if pairs:
            shown.append(ShownCards(state.desk.next_want, pairs))
        state, ply = played(game, state, action, number + index, author)
        plies.append(ply)
    return Turn(seat, tuple(raws), before, state, tuple(plies), tuple(shown))


def played(
    game: Game[Any], state: GameState, action: Action | Chance, number: int, author: int | None = None
) -> tuple[GameState, Ply]:
    """The state after an action that was found legal, and the ply that it is."""
    after, events = engine.advance(game, state, action)
    return after, Ply(number, state, action, events, author, game.notation)
