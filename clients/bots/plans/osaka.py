"""A skilled player of Merchants of Osaka: looks one round ahead.

**Worth.** The engine's evaluation; where cards run out, money is a burden, because a match without cards stands still.
Ideas that failed: goods that the hand can insure as safer (no difference in self-play), money beyond two purchases as
worth less (16 % against 51 %), coins worth a quarter more (wins in self-play, loses against greedy players and hoards).

**A round.** Each action is judged after the rivals have answered it, each by what is best for himself at once; where
chance must deal, the position is judged as it stands. So it sees whom a card left in the market helps, and which ship
somebody else is about to bring in or to sink.
"""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, Known
from kontor_games.engine.games.osaka.effects import apply
from kontor_games.engine.games.osaka.evaluate import evaluate
from kontor_games.engine.games.osaka.rules import candidates
from kontor_games.engine.games.osaka.state import OVER, PAY, TURN, State, worth

RUNNING_OUT = 20  # cards in pile and discard below which money is a burden
FAR = 12  # plies of rivals that are looked at


def choose(game: Game[Any], state: State, known: Known, seat: int) -> Action:
    """What a skilled player does here; the first of equals."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return actions[0]
    if state.phase != TURN:
        return _at_once(state, actions)
    return max(actions, key=lambda action: _after_round(apply(state, action)[0], seat))


def _at_once(state: State, actions: list[Action]) -> Action:
    """What looks best to the seat that decides, without looking further."""
    return max(actions, key=lambda action: lead(apply(state, action)[0], state.seat))


def _after_round(state: State, seat: int) -> int:
    """How far a seat is ahead when it is its turn again, or when chance must deal."""
    for _ in range(FAR):
        if state.desk.want is not None or state.phase == OVER or (state.phase == TURN and state.active == seat):
            break
        state = apply(state, _at_once(state, list(candidates(state, {}))))[0]
    return lead(state, seat)


def lead(state: State, seat: int) -> int:
    """How far a seat is ahead of its rivals, in hundredths of a point."""
    ahead = evaluate(state, seat, {})
    short = RUNNING_OUT - (state.pile[1] - state.pile[0] + len(state.discard))
    if short <= 0:
        return ahead
    money = [worth(player.hand) for player in state.players]
    if state.phase == PAY:
        money[state.active] -= max(0, state.due)
    rivals = money[:seat] + money[seat + 1 :]
    return ahead - (2 * money[seat] - max(rivals) - sum(rivals) // len(rivals)) * short // 4
