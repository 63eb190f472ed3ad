"""What follows by itself: sailing, refill, payout, storm, the next turn.

Chance can interrupt these consequences at any draw, so they are tasks in a queue that the state carries. One
apply works on a mutable `Table`, runs tasks until a decision or chance is needed, and builds one new state.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.chance import Chance, Dealt, Rolled
from kontor_games.engine.core.stream import Stream

from . import events as e
from .data import (
    COLOUR,
    EDO,
    FARM_DRAW,
    FROM_EDO_TO,
    HAND_TOTAL,
    MARKET_DRAW,
    POINTS_PER_VP,
    STEPS_MORE,
    STEPS_ONE,
    SUNK_TO,
    VALUE,
)
from .insurance import insurable, sunk_colours
from .scoring import ranking
from .state import BUSY, BY_TOKENS, FACE_BITS, INSURE, OVER, PIECE, REASONS, TOKEN, TURN, State, in_hand_order, worth

FILL, HAND, FIRST, BEGIN, NEXT, START, OPEN, REFILL, SELL, DRAW, AWARD, CHECK, STORM, ASK, WRECK, END = range(16)


class Table:
    """A state while it is being worked on, and what has happened."""

    def __init__(self, state: State) -> None:
        self.desk = state.desk
        self.options = state.options
        self.players = list(state.players)
        self.phase = state.phase
        self.seat = state.seat
        self.active = state.active
        self.first = state.first
        self.market = state.market
        self.farm = state.farm
        self.discard = state.discard
        self.pile = state.pile
        self.ships = state.ships
        self.laid = state.laid
        self.chosen = state.chosen
        self.passes = state.passes
        self.todo = list(state.todo)
        self.ended = state.ended
        self.events: list[Event] = []

    def run(self) -> tuple[State, tuple[Event, ...]]:
        """Do what is to do until somebody decides, chance is asked, or the match is over."""
        self.phase = BUSY
        while self.phase == BUSY and self.desk.want is None:
            task = self.todo.pop(0)
            TASKS[task[0]](self, *task[1:])
        return State(
            self.desk,
            self.options,
            tuple(self.players),
            self.phase,
            self.seat,
            self.active,
            self.first,
            self.market,
            self.farm,
            self.discard,
            self.pile,
            self.ships,
            self.laid,
            self.chosen,
            0,
            self.passes,
            tuple(self.todo),
            self.ended,
        ), tuple(self.events)

    def from_pile(self, wanted: int) -> range:
        """Take up to so many slots from the top of the pile."""
        top, end = self.pile
        slots = range(top, min(top + wanted, end))
        self.pile = (slots.stop, end)
        return slots

    def reshuffle(self) -> bool:
        """R7: when a card is needed and the pile is empty, ask for a new pile if there is one to be had."""
        if not self.discard:
            return False
        self.desk, out = self.desk.mix(faces=self.discard)
        self.events.append(e.PileShuffled(len(self.discard)))
        self.pile, self.discard = (out[0], out[-1] + 1), b""
        return True


def answered(state: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    """Go on after chance has answered."""
    table = Table(state)
    if isinstance(answer, Dealt):
        faces = bytes(face for _, _, face in answer.cards if face is not None)
        if table.todo[0][0] == FILL:
            _filled(table, faces)
        else:
            _hand_dealt(table, faces)
    elif isinstance(answer, Rolled):
        _lot_drawn(table, answer.value)
    return table.run()


# Set-up (§4)


def _hand(table: Table, seat: int) -> None:
    """R15: one player completely after another; as many cards at once as are needed in any case."""
    lacking = HAND_TOTAL - worth(table.players[seat].hand)
    if lacking > 0:
        slots = table.from_pile(-(-lacking // max(VALUE)))
        table.desk = table.desk.deal((slot, None) for slot in slots)
        table.todo.insert(0, (HAND, seat))  # stays until the total is reached


def _hand_dealt(table: Table, faces: bytes) -> None:
    seat = table.todo[0][1]
    player = table.players[seat]
    table.players[seat] = replace(player, hand=in_hand_order(player.hand + faces))
    table.events.append(e.HandDealt(seat, tuple(faces)))


def first_players(hands: list[bytes]) -> list[int]:
    """Lowest total, then fewest cards; several if still tied (§4.6)."""
    keys = [(worth(hand), len(hand)) for hand in hands]
    return [seat for seat, key in enumerate(keys) if key == min(keys)]


def _first(table: Table) -> None:
    tied = first_players([player.hand for player in table.players])
    if len(tied) > 1:
        table.desk = table.desk.roll()
    else:
        table.todo.insert(0, (BEGIN, tied[0]))


def _lot_drawn(table: Table, entropy: bytes) -> None:
    tied = first_players([player.hand for player in table.players])
    table.todo.insert(0, (BEGIN, tied[Stream(entropy).below(len(tied))]))


def _begin(table: Table, seat: int) -> None:
    table.first = table.active = table.seat = seat
    table.events.append(e.FirstPlayerSet(seat))
    table.phase = TOKEN


# Turns (§5) and refill (§7)


def _next(table: Table) -> None:
    table.active = (table.active + 1) % len(table.players)
    _start(table)


def _start(table: Table) -> None:
    """R13: the start check looks at the Market only, and one refill always suffices."""
    mine = table.active + 1
    for card in table.market:
        if card < PIECE or card >> 4 == mine:
            _open(table)
            return
    table.todo = [(REFILL,), (OPEN,)]


def _open(table: Table) -> None:
    table.seat = table.active
    table.phase = TURN


def _refill(table: Table) -> None:
    """The Farm slides into the Market with its pieces; then two cards for the Market and three for the Farm."""
    if table.farm:
        table.events.append(e.FarmMoved(tuple(card & FACE_BITS for card in table.farm)))
    table.market, table.farm = table.market + table.farm, b""
    table.todo.insert(0, (FILL, MARKET_DRAW, FARM_DRAW))


def _fill(table: Table, market: int, farm: int) -> None:
    """Ask for the cards that are there; the rest of the task stays until they are dealt."""
    slots = table.from_pile(market + farm)
    if slots:
        table.desk = table.desk.deal((slot, None) for slot in slots)
    if slots or table.reshuffle():
        table.todo.insert(0, (FILL, market, farm))


def _filled(table: Table, faces: bytes) -> None:
    _, market, farm = table.todo.pop(0)
    for_market, for_farm = faces[:market], faces[market:]
    if for_market:
        table.market += for_market
        table.events.append(e.MarketFilled(tuple(for_market)))
    if for_farm:
        table.farm += for_farm
        table.events.append(e.FarmFilled(tuple(for_farm)))
    if len(faces) < market + farm:
        table.todo.insert(0, (FILL, market - len(for_market), farm - len(for_farm)))


# Purchase and payout (§6.1, §8)


def purchase(table: Table) -> None:
    """The payment is complete: goods change hands, ships sail, and the rest is queued."""
    buyer = table.active
    player = table.players[buyer]
    bought, left = bytearray(), bytearray()
    for card in table.market:
        (bought if card < PIECE or card >> 4 == buyer + 1 else left).append(card)
    goods = bytes(card & FACE_BITS for card in bought)
    table.events.append(e.GoodsBought(buyer, tuple(goods), tuple(table.laid)))
    if any(card >= PIECE for card in bought):
        table.events.append(e.PieceReturned(buyer))
    table.discard += table.laid
    table.laid = b""
    table.market = bytes(left)
    table.players[buyer] = replace(player, goods=bytes(sorted(player.goods + goods)))
    ships = sailed(table.ships, goods)
    table.events += [e.ShipSailed(c, to) for c, to in enumerate(ships) if to != table.ships[c]]
    table.ships = ships
    payout = _payout(ships, buyer, len(table.players))
    # R6: the refill comes before the payout unless the option moves it behind
    table.todo = [*payout, (REFILL,), (NEXT,)] if table.options.refill_after_payout else [(REFILL,), *payout, (NEXT,)]


def sailed(ships: tuple[int, ...], goods: bytes) -> tuple[int, ...]:
    """Where the ships are after these goods were bought; surplus steps are lost (R2)."""
    cards = [0] * len(ships)
    for good in goods:
        cards[COLOUR[good]] += 1
    steps = (0, STEPS_ONE, STEPS_MORE)
    return tuple(min(space + steps[min(n, 2)], EDO) for space, n in zip(ships, cards, strict=True))


def _payout(ships: tuple[int, ...], buyer: int, seats: int) -> list[tuple[int, ...]]:
    """R3, R4: one payout for all arrivals, colour by colour, each clockwise from the buyer."""
    order = [(buyer + i) % seats for i in range(seats)]
    sales = [(SELL, colour, seat) for colour, space in enumerate(ships) if space == EDO for seat in order]
    return [*sales, (CHECK,), (STORM,), (WRECK,)] if sales else []


def set_price(goods: bytes, tokens: int) -> int:
    """What each card of a set is worth (§8.1)."""
    return max(VALUE[good] for good in goods) + tokens


def set_vp(goods: bytes, tokens: int) -> int:
    """R5: price × cards in VP of five points each, rounded up."""
    return -(-set_price(goods, tokens) * len(goods) // POINTS_PER_VP)


def _sell(table: Table, colour: int, seat: int) -> None:
    player = table.players[seat]
    goods = bytes(sorted(good for good in player.goods + player.insured if COLOUR[good] == colour))
    if not goods:
        return
    tokens = player.tokens[colour]
    vp = set_vp(goods, tokens)
    drawn = max(0, vp - len(goods))
    table.players[seat] = replace(
        player,
        goods=bytes(good for good in player.goods if COLOUR[good] != colour),
        insured=bytes(good for good in player.insured if COLOUR[good] != colour),
        vp_cards=player.vp_cards + goods[:vp],  # lowest values first
    )
    table.discard += goods[vp:]
    table.events.append(e.SetSold(seat, colour, tuple(goods), set_price(goods, tokens), vp, drawn))
    table.todo.insert(table.todo.index((CHECK,)), (AWARD, seat, colour))  # §8.2: after all sales
    if drawn:
        table.todo.insert(0, (DRAW, seat, drawn))


def _draw(table: Table, seat: int, wanted: int) -> None:
    """VP cards from the pile, seen by nobody."""
    player = table.players[seat]
    slots = table.from_pile(wanted)
    missing = wanted - len(slots)
    extra = 0
    if missing:
        if table.reshuffle():
            table.todo.insert(0, (DRAW, seat, missing))
        else:
            extra = missing  # R7: no card is left anywhere
    table.players[seat] = replace(player, vp_unseen=(*player.vp_unseen, *slots), vp_extra=player.vp_extra + extra)


def _award(table: Table, seat: int, colour: int) -> None:
    player = table.players[seat]
    tokens = tuple(n + 1 if c == colour else n for c, n in enumerate(player.tokens))
    table.players[seat] = replace(player, tokens=tokens)
    table.events.append(e.TokenAwarded(seat, colour))


def _check(table: Table) -> None:
    """§8.3, R12: enough tokens end the match at once, before any ship sinks."""
    if any(sum(player.tokens) >= table.options.tokens_to_end for player in table.players):
        end(table, BY_TOKENS)


def end(table: Table, reason: int) -> None:
    """The match is over (§9)."""
    table.todo = []
    table.ended = reason
    table.phase = OVER
    winners = ranking(table.players)[0]
    table.events.append(e.MatchEnded(REASONS[reason], winners))


def _storm(table: Table) -> None:
    """§8.4: ships in rough water sink, and clockwise from the buyer players may insure."""
    sunk = sunk_colours(table.ships)
    if sunk:
        table.events.append(e.ShipsSunk(tuple(sunk)))
        table.todo.insert(0, (ASK, 0))


def _ask(table: Table, turn: int) -> None:
    """The player so many seats clockwise from the buyer decides, if there is anything to decide (R17)."""
    if turn == len(table.players):
        return
    table.todo.insert(0, (ASK, turn + 1))
    seat = (table.active + turn) % len(table.players)
    player = table.players[seat]
    choices = insurable(table.ships, table.options.insure_only_sunk, player.hand, player.goods, b"")
    if next(choices, None) is not None:
        table.seat = seat
        table.phase = INSURE


def _wreck(table: Table) -> None:
    """Uninsured goods of sunk colours are lost (R11), then ships return (§8.5)."""
    sunk = sunk_colours(table.ships)
    for seat, player in enumerate(table.players):
        lost = bytes(good for good in player.goods if COLOUR[good] in sunk)
        if lost:
            kept = bytes(good for good in player.goods if COLOUR[good] not in sunk)
            table.players[seat] = replace(player, goods=kept)
            table.discard += lost
            table.events.append(e.GoodsLost(seat, tuple(lost)))
    back = returned(table.ships)
    table.events += [e.ShipReturned(c, to) for c, to in enumerate(back) if to != table.ships[c]]
    table.ships = back


def returned(ships: tuple[int, ...]) -> tuple[int, ...]:
    """Where the ships are after a payout: from Edo to Osaka, sunk ones to Anori."""
    sunk = sunk_colours(ships)
    return tuple(FROM_EDO_TO if s == EDO else SUNK_TO if c in sunk else s for c, s in enumerate(ships))


TASKS: dict[int, Callable[..., None]] = {
    FILL: _fill,
    HAND: _hand,
    FIRST: _first,
    BEGIN: _begin,
    NEXT: _next,
    START: _start,
    OPEN: _open,
    REFILL: _refill,
    SELL: _sell,
    DRAW: _draw,
    AWARD: _award,
    CHECK: _check,
    STORM: _storm,
    ASK: _ask,
    WRECK: _wreck,
    END: end,
}
