"""How good a position looks, for greedy bots and for the stand-in of a player who has left."""

from __future__ import annotations

from ...core.action import Action
from ...core.value import Known
from .data import COLOUR, COLOURS, EDO, IS_WAVES
from .flow import sailed, set_vp
from .rules import apply, candidates
from .state import COVER, INSURE, OVER, PAY, Player, State, takeable, worth

_VP = 100
_COIN = 9  # a coin buys goods that are worth more, but some of them will sink
_TOKEN = 25
_PIECE_OUT = 4
_CHANCE = (50, 54, 60, 58, 66, 100)  # that goods are sold, in percent, by the space of their ship
_INSURED = 85
_SUNK = 55  # insured goods whose ship starts again from Anori
_COVER = 2 * _COIN  # what covering one good costs about


def evaluate(state: State, seat: int, known: Known) -> int:
    """How far the seat is ahead of its strongest rival, in hundredths of a VP."""
    worths = [_worth(state, number, player) for number, player in enumerate(state.players)]
    rivals = worths[:seat] + worths[seat + 1 :]
    return 2 * worths[seat] - max(rivals) - sum(rivals) // len(rivals)


def _worth(state: State, seat: int, player: Player) -> int:
    if state.phase == OVER:
        return 100 * _VP * player.vp + sum(player.tokens)
    goods, ships, coins = player.goods, state.ships, worth(player.hand)
    if state.phase == PAY:  # look at the purchase as if it were complete
        bought = takeable(state.market, state.active)
        ships = sailed(ships, bought)
        if seat == state.active:
            goods += bought
            coins -= max(0, state.due)
    score = _VP * player.vp + _COIN * coins + _TOKEN * sum(player.tokens)
    storm = state.phase in (INSURE, COVER) or EDO in ships
    for colour in range(len(COLOURS)):
        score += _goods_worth(state, seat, colour, goods, player, ships[colour], storm)
    return score


def _goods_worth(state: State, seat: int, colour: int, goods: bytes, player: Player, space: int, storm: bool) -> int:
    loose = bytes(good for good in goods if COLOUR[good] == colour)
    safe = bytes(good for good in player.insured if COLOUR[good] == colour)
    tokens = player.tokens[colour]
    if not storm or not IS_WAVES[space]:
        chance = max(_CHANCE[space], _INSURED) if safe and not loose else _CHANCE[space]
        return chance * set_vp(loose + safe, tokens) * _VP // 100 if loose or safe else 0
    cost = 0
    if seat == state.seat and state.phase in (INSURE, COVER):
        chosen = bytes(good for good in state.chosen if COLOUR[good] == colour)
        safe += chosen
        cost = _COVER * len(chosen) if state.phase == INSURE else 0
    return (_SUNK * set_vp(safe, tokens) * _VP // 100 if safe else 0) - cost


def stand_in(state: State) -> Action:
    """What a seat does whose player has left: whatever looks best one step ahead; all of it is public."""
    seat = state.seat
    return max(candidates(state, {}), key=lambda action: evaluate(apply(state, action)[0], seat, {}))
