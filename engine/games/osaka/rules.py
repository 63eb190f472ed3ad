"""Who decides, what is legal and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

from .actions import Buy, ChooseToken, Decline, Discard, Done, Insure, Pass, Pay, Reserve, Take
from .data import COLOUR, COLOURS, DECK, FACES, ICONS, IS_WAVES, PAY_PLACE, PIECES, SEATS, VALUE
from .insurance import count, coverings, icons, insurable
from .state import COVER, FACE_BITS, INSURE, OVER, PAY, PIECE, TOKEN, TURN, State, takeable, worth


def turn(state: State) -> int | None:
    """The seat to decide, None when the match is over."""
    return None if state.phase == OVER else state.seat


def why_not(state: State, action: Action) -> Reason | None:
    """The rule that forbids this action of the seat to decide, or None."""
    judge = _JUDGES.get((state.phase, type(action)))
    if judge is None:
        return _EXPECTED.get(state.phase, _OVER)
    return judge(state, action)


def _why_not_token(state: State, action: ChooseToken) -> Reason | None:
    if 0 <= action.colour < len(COLOURS):
        return None
    return Reason("no_colour", "there is no colour {colour}", colour=action.colour)


def _why_not_buy(state: State, action: Buy) -> Reason | None:
    goods = takeable(state.market, state.seat)
    if not goods:
        return Reason("none_free", "no card of the Market is free for you")
    price, money = worth(goods), worth(state.players[state.seat].hand)
    if money >= price:
        return None
    return Reason("too_dear", "the goods cost {price}, your hand is worth {money}", price=price, money=money)


def _why_not_take(state: State, action: Take) -> Reason | None:
    if not 0 <= action.place < len(state.market):
        sentence = "the Market has {cards} cards, there is no place {place}"
        return Reason("no_market_place", sentence, cards=len(state.market), place=action.place + 1)
    return _why_not_free(state.market[action.place], state.seat + 1)


def _why_not_reserve(state: State, action: Reserve) -> Reason | None:
    rows = state.market + state.farm
    if _piece_is_out(rows, state.seat):
        return Reason("piece_is_out", "your reservation piece lies on a card already")
    if not 0 <= action.place < len(rows):
        sentence = "Market and Farm have {cards} cards, there is no place {place}"
        return Reason("no_place", sentence, cards=len(rows), place=action.place + 1)
    return _why_not_free(rows[action.place], 0)


def _why_not_free(card: int, allowed: int) -> Reason | None:
    piece = card >> 4
    if piece in (0, allowed):
        return None
    owner = piece - 1
    text = "{card} is reserved by {piece}"
    return Reason("reserved", text, card=FACES[card & FACE_BITS], piece=PIECES[owner], owner=owner)


def _piece_is_out(rows: bytes, seat: int) -> bool:
    return any(card >> 4 == seat + 1 for card in rows)


def _why_not_pass(state: State, action: Pass) -> Reason | None:
    # R9: a free card could be taken, so the start check has found none and has refilled in vain
    if any(card < PIECE or card >> 4 == state.seat + 1 for card in state.market):
        return Reason("can_take", "you can take a card, so you may not pass")
    if not _piece_is_out(state.market + state.farm, state.seat) and any(card < PIECE for card in state.farm):
        return Reason("can_reserve", "you can reserve a card, so you may not pass")
    return None


def _why_not_pay(state: State, action: Pay) -> Reason | None:
    hand = state.players[state.seat].hand
    place = hand.find(action.card) if 0 <= action.card < len(FACES) else -1
    if place < 0:
        return Reason("no_card", "you do not have that card")
    if state.laid and PAY_PLACE[action.card] < PAY_PLACE[state.laid[-1]]:
        return Reason("dearest_first", "lay a payment dearest card first (red, blue, yellow, green among equals)")
    if worth(hand[place:]) < state.due:
        sentence = "{due} is still to be paid, and the rest of your hand would not reach it"
        return Reason("rest_too_small", sentence, due=state.due)
    return None


def _why_not_paid(state: State, action: Done) -> Reason | None:
    if state.due > 0:
        return Reason("still_due", "{due} is still to be paid", due=state.due)
    return None


def _why_not_insure(state: State, action: Insure) -> Reason | None:
    player = state.players[state.seat]
    good = action.good
    if not 0 <= good < len(FACES) or player.goods.count(good) <= state.chosen.count(good):
        return Reason("no_such_good", "you have no such good left to insure")
    colour = COLOUR[good]
    if state.options.insure_only_sunk and not IS_WAVES[state.ships[colour]]:
        return Reason("does_not_sink", "the {colour} ship does not sink", colour=COLOURS[colour])  # R10
    if count(state.chosen, colour) >= icons(player.hand, colour):
        return Reason("no_more_icons", "your hand has no more {colour} insurance icons", colour=COLOURS[colour])
    return None


def _why_not_discard(state: State, action: Discard) -> Reason | None:
    hand = state.players[state.seat].hand
    if not 0 <= action.card < len(FACES) or action.card not in hand:
        return Reason("no_card", "you do not have that card")
    cards = coverings(hand, state.chosen, state.laid)
    if action.card in cards:
        return None
    if ICONS[action.card] == 0:
        return Reason("no_icon", "{card} has no insurance icon", card=FACES[action.card])
    faces = tuple(FACES[card] for card in cards)
    sentence = "lay {cards} next: colour by colour, twos first, no needless card"
    return Reason("lay_next", sentence, cards=" or ".join(faces), faces=faces)


def _why_not_decline(state: State, action: Decline) -> Reason | None:
    return Reason("goods_chosen", "you have chosen goods to insure; say done") if state.chosen else None


def _why_not_chosen(state: State, action: Done) -> Reason | None:
    return None if state.chosen else Reason("none_chosen", "choose a good to insure, or decline")


_JUDGES: dict[tuple[int, type[Action]], Callable[[State, Any], Reason | None]] = {
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
    TOKEN: Reason("token_first", "choose a starting token first"),
    TURN: Reason("turn_first", "buy, take or reserve"),
    PAY: Reason("payment_first", "the purchase is to be paid"),
    INSURE: Reason("storm_first", "the storm comes: insure goods or decline"),
    COVER: Reason("cover_first", "the chosen goods are to be covered with cards of your hand"),
}
_OVER = Reason("over", "the match is over")


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
