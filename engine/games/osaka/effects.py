"""What every decision does; consequences that need no decision are in flow.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.action import Action, Event

from . import events as e
from .actions import Buy, ChooseToken, Decline, Discard, Done, Insure, Pass, Pay, Reserve, Take
from .data import VALUE
from .flow import END, NEXT, START, Table, purchase
from .insurance import coverings
from .state import (
    BY_STANDSTILL,
    COVER,
    FACE_BITS,
    INSURE,
    PAY,
    PIECE,
    Player,
    State,
    in_hand_order,
    takeable,
    without,
    worth,
)

Outcome = tuple[State, tuple[Event, ...]]


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
    table.events.append(e.CoinTaken(seat, card & FACE_BITS, place + 1))
    if card >= PIECE:
        table.events.append(e.PieceReturned(seat))
    return _end_turn(table)


def _reserve(state: State, action: Reserve) -> Outcome:
    table = Table(state)
    seat, place = action.seat, action.place
    piece = PIECE * (seat + 1)
    split = len(state.market)
    rows = bytearray(state.market + state.farm)
    row, before = (1, split) if place >= split else (0, 0)
    table.events.append(e.CardReserved(seat, rows[place], row, place - before + 1))
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
