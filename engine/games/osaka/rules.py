"""Legality and effect of every decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from ...core.action import Action, Event
from ...core.value import Known
from . import events as e
from .actions import Buy, ChooseToken, Decline, Discard, Done, Insure, Pass, Pay, Reserve, Take
from .data import COLOUR, COLOURS, DECK, FACES, ICONS, IS_WAVES, PAY_PLACE, PIECES, SEATS, VALUE
from .flow import END, NEXT, START, Table, purchase
from .insurance import count, coverings, icons, insurable
from .state import (
    BY_STANDSTILL,
    COVER,
    FACE_BITS,
    INSURE,
    OVER,
    PAY,
    PIECE,
    TOKEN,
    TURN,
    Player,
    State,
    in_hand_order,
    takeable,
    without,
    worth,
)

Outcome = tuple[State, tuple[Event, ...]]


def turn(state: State) -> int | None:
    """The seat to decide, None when the match is over."""
    return None if state.phase == OVER else state.seat


# Legality


def why_not(state: State, action: Action) -> str | None:
    """The rule that forbids this action of the seat to decide, or None."""
    judge = _JUDGES.get((state.phase, type(action)))
    if judge is None:
        return _EXPECTED.get(state.phase, "the match is over")
    return judge(state, action)


def _why_not_token(state: State, action: ChooseToken) -> str | None:
    return None if action.colour < len(COLOURS) else f"there is no colour {action.colour}"


def _why_not_buy(state: State, action: Buy) -> str | None:
    goods = takeable(state.market, state.seat)
    if not goods:
        return "no card of the Market is free for you"
    price, money = worth(goods), worth(state.players[state.seat].hand)
    return None if money >= price else f"the goods cost {price}, your hand is worth {money}"


def _why_not_take(state: State, action: Take) -> str | None:
    if action.place >= len(state.market):
        return f"the Market has {len(state.market)} cards, there is no place {action.place + 1}"
    return _why_not_free(state.market[action.place], state.seat + 1)


def _why_not_reserve(state: State, action: Reserve) -> str | None:
    rows = state.market + state.farm
    if _piece_is_out(rows, state.seat):
        return "your reservation piece lies on a card already"
    if action.place >= len(rows):
        return f"Market and Farm have {len(rows)} cards, there is no place {action.place + 1}"
    return _why_not_free(rows[action.place], 0)


def _why_not_free(card: int, allowed: int) -> str | None:
    piece = card >> 4
    return None if piece in (0, allowed) else f"{FACES[card & FACE_BITS]} is reserved by {PIECES[piece - 1]}"


def _piece_is_out(rows: bytes, seat: int) -> bool:
    return any(card >> 4 == seat + 1 for card in rows)


def _why_not_pass(state: State, action: Pass) -> str | None:
    # R9: a free card could be taken, so the start check has found none and has refilled in vain
    if any(card < PIECE or card >> 4 == state.seat + 1 for card in state.market):
        return "you can take a card, so you may not pass"
    if not _piece_is_out(state.market + state.farm, state.seat) and any(card < PIECE for card in state.farm):
        return "you can reserve a card, so you may not pass"
    return None


def _why_not_pay(state: State, action: Pay) -> str | None:
    hand = state.players[state.seat].hand
    place = hand.find(action.card) if action.card < len(FACES) else -1
    if place < 0:
        return "you do not have that card"
    if state.laid and PAY_PLACE[action.card] < PAY_PLACE[state.laid[-1]]:
        return "lay a payment dearest card first (red, blue, yellow, green among equals)"
    if worth(hand[place:]) < state.due:
        return f"{state.due} is still to be paid, and the rest of your hand would not reach it"
    return None


def _why_not_paid(state: State, action: Done) -> str | None:
    if state.due > 0:
        return f"{state.due} is still to be paid"
    return None


def _why_not_insure(state: State, action: Insure) -> str | None:
    player = state.players[state.seat]
    good = action.good
    if good >= len(FACES) or player.goods.count(good) <= state.chosen.count(good):
        return "you have no such good left to insure"
    colour = COLOUR[good]
    if state.options.insure_only_sunk and not IS_WAVES[state.ships[colour]]:
        return f"the {COLOURS[colour]} ship does not sink"  # R10
    if count(state.chosen, colour) >= icons(player.hand, colour):
        return f"your hand has no more {COLOURS[colour]} insurance icons"
    return None


def _why_not_discard(state: State, action: Discard) -> str | None:
    hand = state.players[state.seat].hand
    if action.card >= len(FACES) or action.card not in hand:
        return "you do not have that card"
    cards = coverings(hand, state.chosen, state.laid)
    if action.card in cards:
        return None
    if ICONS[action.card] == 0:
        return f"{FACES[action.card]} has no insurance icon"
    return f"lay {' or '.join(FACES[card] for card in cards)} next: colour by colour, twos first, no needless card"


def _why_not_decline(state: State, action: Decline) -> str | None:
    return "you have chosen goods to insure; say done" if state.chosen else None


def _why_not_chosen(state: State, action: Done) -> str | None:
    return None if state.chosen else "choose a good to insure, or decline"


_JUDGES: dict[tuple[int, type[Action]], Callable[[State, Any], str | None]] = {
    (TOKEN, ChooseToken): _why_not_token,
    (TURN, Buy): _why_not_buy,
    (TURN, Take): _why_not_take,
    (TURN, Reserve): _why_not_reserve,
    (TURN, Pass): _why_not_pass,
    (PAY, Pay): _why_not_pay,
    (PAY, Done): _why_not_paid,
    (INSURE, Insure): _why_not_insure,
    (INSURE, Decline): _why_not_decline,
    (INSURE, Done): _why_not_chosen,
    (COVER, Discard): _why_not_discard,
}
_EXPECTED = {
    TOKEN: "choose a starting token first",
    TURN: "buy, take or reserve",
    PAY: "the purchase is to be paid",
    INSURE: "the storm comes: insure goods or decline",
    COVER: "the chosen goods are to be covered with cards of your hand",
}


# What can be done, in a fixed order. Actions are immutable, so each is made once.

_MAX_PLACES = len(DECK)
_TOKENS = tuple([ChooseToken(seat, colour) for colour in range(len(COLOURS))] for seat in range(max(SEATS)))
_BUY, _PASS, _DONE, _DECLINE = (tuple(cls(seat) for seat in range(max(SEATS))) for cls in (Buy, Pass, Done, Decline))
_TAKE, _RESERVE = (
    tuple(tuple(cls(seat, place) for place in range(_MAX_PLACES)) for seat in range(max(SEATS)))
    for cls in (Take, Reserve)
)
_PAY, _INSURE, _DISCARD = (
    tuple(tuple(cls(seat, face) for face in range(len(FACES))) for seat in range(max(SEATS)))
    for cls in (Pay, Insure, Discard)
)


def candidates(state: State, known: Known) -> Iterable[Action]:
    """Exactly the legal actions."""
    seat = state.seat
    player = state.players[seat]
    phase = state.phase
    if phase == TURN:
        return _turn_actions(state, seat, player.hand)
    if phase == PAY:
        return _payments(state, seat, player.hand)
    if phase == TOKEN:
        return _TOKENS[seat]
    if phase == COVER:
        return [_DISCARD[seat][card] for card in coverings(player.hand, state.chosen, state.laid)]
    goods = insurable(state.ships, state.options.insure_only_sunk, player.hand, player.goods, state.chosen)
    return [*(_INSURE[seat][good] for good in goods), (_DONE if state.chosen else _DECLINE)[seat]]


def _turn_actions(state: State, seat: int, hand: bytes) -> list[Action]:
    takes, reserves = _TAKE[seat], _RESERVE[seat]
    mine = seat + 1
    has_piece = True
    price = 0
    take: list[Action] = []
    reserve: list[Action] = []
    for place, card in enumerate(state.market):
        if card < PIECE:
            take.append(takes[place])
            reserve.append(reserves[place])
            price += VALUE[card]
        elif card >> 4 == mine:
            take.append(takes[place])
            price += VALUE[card & FACE_BITS]
            has_piece = False
    for place, card in enumerate(state.farm, len(state.market)):
        if card < PIECE:
            reserve.append(reserves[place])
        elif card >> 4 == mine:
            has_piece = False
    actions = take
    if price and worth(hand) >= price:
        actions = [_BUY[seat], *take]
    if has_piece:
        actions += reserve
    return actions or [_PASS[seat]]


def _payments(state: State, seat: int, hand: bytes) -> list[Action]:
    """Each face from which on the rest of the hand reaches the price; hands lie dearest first."""
    due = state.due
    actions: list[Action] = []
    if due <= 0:
        actions.append(_DONE[seat])
    lowest = PAY_PLACE[state.laid[-1]] if state.laid else 0
    rest = worth(hand)
    last = -1
    for face in hand:
        if rest < due:
            break
        if face != last and PAY_PLACE[face] >= lowest:
            actions.append(_PAY[seat][face])
            last = face
        rest -= VALUE[face]
    return actions


# Effects


def apply(state: State, action: Action) -> Outcome:
    """The state after a legal action, and what happened."""
    return _EFFECTS[type(action)](state, action)


def _choose_token(state: State, action: ChooseToken) -> Outcome:
    seat = action.seat
    table = Table(state)
    tokens = tuple(n + (c == action.colour) for c, n in enumerate(state.players[seat].tokens))
    table.players[seat] = replace(state.players[seat], tokens=tokens)
    table.events.append(e.TokenTaken(seat, action.colour))
    following = (seat + 1) % len(state.players)
    if following == state.first:
        table.todo = [(START,)]
        return table.run()
    return replace(state, players=tuple(table.players), seat=following), tuple(table.events)


def _take(state: State, action: Take) -> Outcome:
    table = Table(state)
    seat, place = action.seat, action.place
    card = state.market[place]
    player = state.players[seat]
    table.market = state.market[:place] + state.market[place + 1 :]
    table.players[seat] = replace(player, hand=in_hand_order(player.hand + bytes((card & FACE_BITS,))))
    table.events.append(e.CoinTaken(seat, card & FACE_BITS))
    if card >= PIECE:
        table.events.append(e.PieceReturned(seat))
    return _end_turn(table)


def _reserve(state: State, action: Reserve) -> Outcome:
    table = Table(state)
    seat, place = action.seat, action.place
    piece = PIECE * (seat + 1)
    split = len(state.market)
    rows = bytearray(state.market + state.farm)
    table.events.append(e.CardReserved(seat, rows[place], int(place >= split)))
    rows[place] += piece
    table.market, table.farm = bytes(rows[:split]), bytes(rows[split:])
    return _end_turn(table)


def _pass(state: State, action: Pass) -> Outcome:
    table = Table(state)
    table.events.append(e.Passed(action.seat))
    table.passes += 1
    nobody_can_act = table.passes == len(table.players)  # R9
    table.todo = [(END, BY_STANDSTILL) if nobody_can_act else (NEXT,)]
    return table.run()


def _end_turn(table: Table) -> Outcome:
    table.passes = 0
    table.todo = [(NEXT,)]
    return table.run()


def _buy(state: State, action: Buy) -> Outcome:
    price = worth(takeable(state.market, action.seat))
    return replace(state, phase=PAY, due=price), (e.PurchaseBegun(action.seat, price),)


def _pay(state: State, action: Pay) -> Outcome:
    seat, card = action.seat, action.card
    players = _without_card(state, seat, card)
    laid = state.laid + bytes((card,))
    due = state.due - VALUE[card]
    event = e.CardLaid(seat, card)
    if due > 0 or not state.options.irreducible_payment:
        return replace(state, players=players, laid=laid, due=due), (event,)
    # R8: laid dearest first, a payment that reaches the price with its last card has no needless card
    return _purchase(replace(state, players=players, laid=laid), event)


def _without_card(state: State, seat: int, card: int) -> tuple[Player, ...]:
    players = state.players
    player = replace(players[seat], hand=without(players[seat].hand, card))
    return (*players[:seat], player, *players[seat + 1 :])


def _purchase(state: State, *happened: Event) -> Outcome:
    table = Table(state)
    table.events += happened
    table.passes = 0
    purchase(table)
    return table.run()


def _insure(state: State, action: Insure) -> Outcome:
    chosen = bytes(sorted(state.chosen + bytes((action.good,))))
    return replace(state, chosen=chosen), (e.GoodChosen(action.seat, action.good),)


def _decline(state: State, action: Decline) -> Outcome:
    table = Table(state)
    table.events.append(e.InsuranceDeclined(action.seat))
    return table.run()


def _done(state: State, action: Done) -> Outcome:
    if state.phase == INSURE:
        return replace(state, phase=COVER), ()
    return _purchase(state)


def _discard(state: State, action: Discard) -> Outcome:
    seat, card = action.seat, action.card
    players = _without_card(state, seat, card)
    state = replace(state, players=players, laid=state.laid + bytes((card,)))
    event = e.CardLaid(seat, card)
    player = players[seat]
    if coverings(player.hand, state.chosen, state.laid):
        return state, (event,)
    table = Table(state)
    goods = player.goods
    for good in state.chosen:
        goods = without(goods, good)
    table.players[seat] = replace(player, goods=goods, insured=bytes(sorted(player.insured + state.chosen)))
    table.discard += state.laid
    table.events += [event, e.GoodsInsured(seat, tuple(state.chosen), tuple(state.laid))]
    table.laid = table.chosen = b""
    return table.run()


_EFFECTS: dict[type[Action], Callable[[State, Any], Outcome]] = {
    ChooseToken: _choose_token,
    Buy: _buy,
    Pay: _pay,
    Take: _take,
    Reserve: _reserve,
    Pass: _pass,
    Insure: _insure,
    Discard: _discard,
    Decline: _decline,
    Done: _done,
}
