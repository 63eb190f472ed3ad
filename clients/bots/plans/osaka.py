"""A skilled player of Merchants of Osaka: looks one round ahead, in several worlds.

**A round.** Each action is judged where it is the seat's turn again: payments, storms and the rivals' turns in between
are played as looks best at once to whoever decides. What the pile deals on the way is drawn from the cards that nobody
has seen, the same for all actions; the actions that come out best are looked at in as many worlds again. So it sees
whom a card left in the Market helps, which ship somebody is about to bring in or to sink, and what it can buy next.

**Worth.** Points, what goods will bring by the place of their ship, and money. Where cards run out, money loses
its worth, because a match without cards stands still: spent money is dealt again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from kontor_games.engine import Action, Game, Known
from kontor_games.engine.core.chance import Deal
from kontor_games.engine.games.osaka.data import COLOUR, COLOURS, EDO, IS_WAVES
from kontor_games.engine.games.osaka.effects import apply
from kontor_games.engine.games.osaka.flow import answered, sailed, set_vp
from kontor_games.engine.games.osaka.rules import candidates
from kontor_games.engine.games.osaka.state import COVER, INSURE, OVER, PAY, TURN, Player, State, takeable, worth

from ..worlds import World

WORLDS = 3  # for every action, and once more for the best
BEST = 3  # actions that are looked at again
FAR = 40  # plies and deals of a round, at most

POINT = 100
COIN = 16  # a coin buys goods that are worth more, but some of them will sink
TOKEN = 25
SOLD = (50, 54, 60, 58, 66, 100)  # per cent of the chance that goods are sold, by the space of their ship
SAFE = 85  # the same where none of them can sink any more
COVERING = 2 * COIN  # what it costs about to insure one good
WON = 1500  # a match that ends
LAST_TOKEN = 5  # tokens break ties
RUNNING_OUT, LEAST = 36, 8  # cards in pile and discard below which money loses its worth; what is left, by four coins


class _Set(NamedTuple):
    """The goods of one colour that a player holds."""

    full: int  # points if they are sold now
    insured: int  # points if all sink that can
    can_sink: bool


def choose(game: Game[Any], state: State, known: Known, seat: int) -> Action:
    """What a skilled player does here; the first of equals."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return actions[0]
    ends = [apply(state, action)[0] for action in actions]
    if state.phase != TURN:
        values = [lead(end, seat) for end in ends]
        return actions[values.index(max(values))]
    values = [0] * len(ends)
    _judge(game, state, seat, ends, values, range(len(ends)), 0)
    best = sorted(range(len(ends)), key=lambda number: -values[number])[:BEST]
    _judge(game, state, seat, ends, values, best, WORLDS)
    return actions[max(best, key=lambda number: values[number])]


def _judge(
    game: Game[Any], state: State, seat: int, ends: list[State], values: list[int], which: range | list[int], first: int
) -> None:
    """Add what some ends of actions are worth in the next worlds."""
    for number in range(first, first + WORLDS):
        world = World(game, state, {}, bytes((number,)))
        for place in which:
            values[place] += _after_round(ends[place], seat, world)


def _after_round(state: State, seat: int, world: World) -> int:
    """How far a seat is ahead when it is its turn again; a reshuffle is not looked beyond."""
    for _ in range(FAR):
        if state.desk.want is not None:
            if not isinstance(state.desk.want, Deal):
                break
            answer = world.answer(state.desk)
            state = answered(replace(state, desk=state.desk.closed(answer)), answer)[0]
        elif state.phase == OVER or (state.phase == TURN and state.active == seat):
            break
        else:
            ends = (apply(state, action)[0] for action in candidates(state, {}))
            decides = state.seat
            state = max(ends, key=lambda end: lead(end, decides))
    return lead(state, seat)


def standing(state: State, seat: int, known: Known) -> int:
    """How well a seat stands, for those who look further than this plan."""
    return lead(state, seat)


def lead(state: State, seat: int) -> int:
    """How far a seat is ahead once the purchase and the payout in progress are through, in hundredths of a point."""
    bought, ships = b"", state.ships
    if state.phase == PAY:
        bought = takeable(state.market, state.active)
        ships = sailed(ships, bought)
    short = max(0, RUNNING_OUT - (state.pile[1] - state.pile[0] + len(state.discard)))
    coin = max(LEAST, 4 * COIN - 2 * short)
    values, finals = [], []
    phase, to_end = state.phase, state.options.tokens_to_end
    ends = phase == OVER
    asked = state.seat if state.chosen and phase in (INSURE, COVER) else -1
    buyer = state.active if phase == PAY else -1
    for number, player in enumerate(state.players):
        money = worth(player.hand)
        goods = player.goods
        if number == buyer:
            money -= max(0, state.due)
            goods = goods + bought
        if number == asked:
            points, tokens, hopes = _while_asked(state, player, ships)
        else:
            points, tokens, hopes = _goods(goods, player.insured, player.tokens, ships)
        vp, all_tokens = POINT * (player.vp + points), sum(player.tokens) + tokens
        values.append(vp + TOKEN * all_tokens + hopes + coin * money // 4)
        finals.append(vp + LAST_TOKEN * all_tokens)
        ends = ends or all_tokens >= to_end
    if ends:
        values = finals
    best = max(values[:seat] + values[seat + 1 :])
    others = (sum(values) - values[seat]) // (len(values) - 1)
    won = WON * ((values[seat] > best) - (values[seat] < best)) if ends else 0
    return 2 * values[seat] - best - others + won


@lru_cache(maxsize=1 << 15)
def _goods(goods: bytes, insured: bytes, tokens: tuple[int, ...], ships: tuple[int, ...]) -> tuple[int, int, int]:
    """What a player's goods bring: points and tokens now, and what may be hoped for in hundredths of a point."""
    held = _sets(goods, insured, tokens)
    return _sold(held, held, ships)


def _while_asked(state: State, player: Player, ships: tuple[int, ...]) -> tuple[int, int, int]:
    """The same for whoever is choosing goods to insure: of what is at sea in a storm they keep what they insure."""
    held = _sets(player.goods, player.insured, player.tokens)
    saved = _sets(b"", player.insured + state.chosen, player.tokens)
    points, tokens, hopes = _sold(held, saved, ships)
    return points, tokens, hopes - COVERING * len(state.chosen) * (state.phase == INSURE)


def _sold(held: tuple[_Set, ...], saved: tuple[_Set, ...], ships: tuple[int, ...]) -> tuple[int, int, int]:
    storm = EDO in ships
    points = tokens = hopes = 0
    for colour, space in enumerate(ships):
        if storm and IS_WAVES[space]:
            sells = held[colour].insured if saved is held else saved[colour].full
        else:
            sells = held[colour].full
        if space == EDO:
            points += sells
            tokens += sells > 0
        else:
            hopes += (SOLD[space] if held[colour].can_sink else SAFE) * sells
    return points, tokens, hopes


@lru_cache(maxsize=1 << 14)
def _sets(goods: bytes, insured: bytes, tokens: tuple[int, ...]) -> tuple[_Set, ...]:
    """The sets of a player by colour."""
    found = []
    for colour in range(len(COLOURS)):
        kept = bytes(good for good in insured if COLOUR[good] == colour)
        others = bytes(good for good in goods if COLOUR[good] == colour)
        full = set_vp(kept + others, tokens[colour]) if kept or others else 0
        found.append(_Set(full, set_vp(kept, tokens[colour]) if kept else 0, bool(others)))
    return tuple(found)
