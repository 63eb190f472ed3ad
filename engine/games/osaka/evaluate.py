"""How good a position looks, for greedy bots and for the stand-in of a player who has left."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Known

from .data import COLOUR, COLOURS, EDO, IS_WAVES
from .effects import Outcome, apply
from .flow import sailed, set_vp
from .rules import candidates
from .state import COVER, INSURE, OVER, PAY, Player, State, takeable, worth

_VP = 100
_COIN = 16  # a coin buys goods that are worth more, but some of them will sink
_TOKEN = 25
_CHANCE = (50, 54, 60, 58, 66, 100)  # that goods are sold, in percent, by the space of their ship
_INSURED = 85  # that goods are sold of which none can sink any more
_COVER = 2 * _COIN  # what it costs about to cover one good


class _Standing(NamedTuple):
    vp: int
    tokens: int
    prospects: int  # goods and money, in hundredths of a VP

    def final(self) -> int:
        return _VP * (100 * self.vp + self.tokens)

    def worth(self) -> int:
        return _VP * self.vp + _TOKEN * self.tokens + self.prospects


def evaluate(state: State, seat: int, known: Known) -> int:
    """How far the seat is ahead of its rivals, in hundredths of a VP."""
    standings = _standings(state)
    ends = state.phase == OVER or any(each.tokens >= state.options.tokens_to_end for each in standings)
    worths = [each.final() if ends else each.worth() for each in standings]
    rivals = worths[:seat] + worths[seat + 1 :]
    return 2 * worths[seat] - max(rivals) - sum(rivals) // len(rivals)


def _standings(state: State) -> list[_Standing]:
    """Where everybody stands once the purchase and the payout in progress are through."""
    ships, goods = state.ships, [player.goods for player in state.players]
    coins = [worth(player.hand) for player in state.players]
    if state.phase == PAY:
        bought = takeable(state.market, state.active)
        ships = sailed(ships, bought)
        goods[state.active] += bought
        coins[state.active] -= max(0, state.due)
    storm = EDO in ships
    insurer = state.seat if state.phase in (INSURE, COVER) else -1
    standings = []
    for seat, player in enumerate(state.players):
        vp, tokens, prospects = player.vp, sum(player.tokens), _COIN * coins[seat]
        chosen = state.chosen if seat == insurer else b""
        if state.phase == INSURE:
            prospects -= _COVER * len(chosen)
        for colour in range(len(COLOURS)):
            sells = _set_worth(colour, player, goods[seat], chosen, storm and IS_WAVES[ships[colour]])
            if ships[colour] == EDO and sells:
                vp += sells
                tokens += 1
            else:
                prospects += _chance(colour, player, goods[seat], ships[colour]) * sells
        standings.append(_Standing(vp, tokens, prospects))
    return standings


def _set_worth(colour: int, player: Player, goods: bytes, chosen: bytes, sinks: bool) -> int:
    """VP for a player's set of this colour, less what is about to be lost."""
    held = player.insured + (chosen if sinks else goods)
    cards = bytes(good for good in held if COLOUR[good] == colour)
    return set_vp(cards, player.tokens[colour]) if cards else 0


def _chance(colour: int, player: Player, goods: bytes, space: int) -> int:
    """How likely a set will be sold, in percent."""
    if any(COLOUR[good] == colour for good in goods):
        return _CHANCE[space]
    return _INSURED


def stand_in(state: State) -> Action:
    """What a seat does whose player has left: whatever looks best one step ahead; all of it is public."""
    return best_looking(state, apply)


def best_looking(state: State, after: Callable[[State, Action], Outcome]) -> Action:
    """The action after which the position looks best to the seat that decides; the first of equals."""
    seat = state.seat
    return max(candidates(state, {}), key=lambda action: evaluate(after(state, action)[0], seat, {}))
