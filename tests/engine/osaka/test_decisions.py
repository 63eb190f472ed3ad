"""Every kind of decision: what it does, and when it is refused."""

from __future__ import annotations

import pytest

from kontor_games.engine import Action, LocalMatch, MalformedAction, Reason, why_not
from kontor_games.engine.games.osaka import actions as a
from kontor_games.engine.games.osaka import events as e
from kontor_games.engine.games.osaka.state import BUSY, INSURE, TOKEN, TURN

from .position import GAME, cards, do, fleet, forbids, player, position, row, says, story


def test_set_up_opens_five_and_three_cards_and_deals_hands() -> None:
    match = LocalMatch(GAME, {}, 4, b"set-up")
    events = [event for _, happened in match.settle() for event in happened]
    state = match.state
    assert (len(state.market), len(state.farm), state.discard, state.ships) == (5, 3, b"", fleet())
    assert state.pile[1] - state.pile[0] == 108 - 8 - sum(len(p.hand) for p in state.players)
    assert events[0] == e.MarketFilled(tuple(state.market)) and events[-1] == e.FirstPlayerSet(state.first)


def test_starting_tokens_are_chosen_clockwise_from_the_first_player() -> None:
    match = LocalMatch(GAME, {}, 3, b"tokens")
    list(match.settle())
    first, order = match.state.first, []
    assert "starting token" in forbids(match.state, "buy")
    while match.state.phase == TOKEN:
        order.append(match.state.seat)
        assert says(match.state) == ["token red", "token blue", "token yellow", "token green"]
        match.play(a.ChooseToken(match.state.seat, 2))  # the same colour may be chosen by several
    assert order == [(first + i) % 3 for i in range(3)]
    assert [p.tokens for p in match.state.players] == [(0, 0, 1, 0)] * 3
    assert match.state.phase == TURN and match.state.seat == first


def test_taking_a_card_moves_it_to_the_hand_and_ends_the_turn() -> None:
    after, happened = story(position(player("r2"), player(), market="b5 b3"), "take b5")
    assert after.players[0].hand == cards("b5 r2") and after.market == row("b3") and after.seat == 1
    assert happened == [e.CoinTaken(0, cards("b5")[0], 1)] and after.ships == fleet()


def test_only_free_or_own_cards_of_the_market_can_be_taken() -> None:
    state = position(player(), player(), market="b5:1 b3 r2:0")
    assert says(state) == ["take b3@2", "take r2@3"]
    assert forbids(state, "take b5") == "b5 is reserved by pink"
    assert "there is no place" in str(why_not(GAME, state, a.Take(0, 3)))
    with pytest.raises(MalformedAction, match="in the Market"):
        GAME.notation.read(state, 0, "take y3")  # in the Farm


def test_reserving_puts_the_only_piece_on_a_free_card_of_either_row() -> None:
    state = position(player(), player(), market="b5 b3:1", farm="g2")
    after, happened = story(state, "reserve g2")
    assert after.farm == row("g2:0") and happened == [e.CardReserved(0, cards("g2")[0], 1, 1)] and after.seat == 1
    assert do(state, "reserve b5").market == row("b5:0 b3:1")
    assert forbids(state, "reserve b3") == "b3 is reserved by pink"
    assert "there is no place" in str(why_not(GAME, state, a.Reserve(0, 3)))


def test_buying_needs_enough_money_for_all_free_goods() -> None:
    state = position(player("r5 r2"), player("r5 r3"), market="b5 b3 r2:1")
    assert forbids(state, "buy") == "the goods cost 8, your hand is worth 7"
    rich = position(player("r5 r3"), player(), market="b5 b3 r2:1")
    after, happened = story(rich, "buy", "pay r5", "pay r3")
    assert happened[0] == e.PurchaseBegun(0, 8) and after.discard == cards("r5 r3")
    assert [type(event) for event in happened[1:4]] == [e.CardLaid, e.CardLaid, e.GoodsBought]
    assert e.ShipSailed(1, 2) in happened and after.ships == fleet(blue=2)
    assert after.players[0].goods == cards("b3 b5") and after.players[0].hand == b""


def test_a_purchase_without_an_arrival_is_no_payout() -> None:
    state = position(player("r2"), player(goods="b5"), market="r2", ships=fleet(blue=4))
    after, happened = story(state, "buy", "pay r2")
    assert after.ships == fleet(red=1, blue=4) and after.players[1].goods == cards("b5")
    assert not any(isinstance(event, e.ShipsSunk | e.SetSold) for event in happened)


def test_players_without_goods_of_the_colour_get_neither_vp_nor_token() -> None:
    state = position(player("r2"), player(goods="b5"), market="r2", ships=fleet(red=4))
    after = do(state, "buy", "pay r2")
    assert (after.players[1].vp, after.players[1].tokens) == (0, (1, 0, 0, 0))
    assert (after.players[0].vp, after.players[0].tokens) == (1, (2, 0, 0, 0))


def test_insured_and_uninsured_goods_are_sold_together() -> None:
    state = position(player("r2"), player(goods="b2", insured="b5", tokens={}), market="b2", ships=fleet(blue=4))
    after, happened = story(state, "buy", "pay r2")
    assert e.SetSold(1, 1, tuple(cards("b2 b5")), 5, 2, 0) in happened
    assert after.players[1].goods == after.players[1].insured == b""


def test_only_the_seat_to_decide_may_act() -> None:
    state = position(player("r2"), player())
    assert why_not(GAME, state, a.Take(1, 0)) == "seat 0 is to act, not seat 1"


STRANGE: list[Action] = [
    *(
        cls(0, value)
        for cls in (a.ChooseToken, a.Take, a.Reserve, a.Pay, a.Insure, a.Discard)
        for value in (-1, 12, 1023)
    ),
    *(cls(0) for cls in (a.Buy, a.Pass, a.Decline, a.Done)),
]


@pytest.mark.parametrize("action", STRANGE, ids=repr)
def test_strange_values_are_refused_with_a_reason_in_every_phase(action: Action) -> None:
    turn = position(player("r2"), player())
    pay = do(position(player("r5"), player(), market="r5"), "buy")
    insure = position(player("y5 r2", goods="r5"), player(), market="g2", ships=fleet(red=3, green=4))
    insure = do(insure, "buy", "pay y5")
    cover = do(insure, "insure r5", "done")
    match = LocalMatch(GAME, {}, 2, b"strange")
    list(match.settle())
    assert insure.phase == INSURE
    for state in (turn, pay, insure, cover, match.state):
        reason = GAME.why_not(state, action)
        assert (reason is None) == (action in GAME.candidates(state, {})), (state.phase, reason)
        assert reason is None or isinstance(reason, Reason), "a reason has an id"


def test_while_chance_is_asked_nobody_decides() -> None:
    match = LocalMatch(GAME, {}, 2, b"busy")
    assert match.state.phase == BUSY
    assert why_not(GAME, match.state, a.Buy(0)) == "a card or a roll must come first"
    assert GAME.why_not(match.state, a.Buy(0)) is not None


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("take r5", a.Take(0, 3)),  # the first is another's, the second is free
        ("take r5@1", a.Take(0, 0)),
        ("TAKE R5@4", a.Take(0, 3)),
        ("take b3", a.Take(0, 1)),
        ("reserve r5", a.Reserve(0, 3)),
        ("reserve r5@f1", a.Reserve(0, 4)),
        ("reserve y2", a.Reserve(0, 5)),
        ("pay g2", a.Pay(0, 9)),
        ("token green", a.ChooseToken(0, 3)),
    ],
)
def test_notation_reads_cards_with_and_without_a_place(text: str, means: Action) -> None:
    state = position(player(), player(), market="r5:1 b3:0 g2 r5", farm="r5 y2")
    assert GAME.notation.read(state, 0, text) == means


@pytest.mark.parametrize("text", ["take", "take r4", "take r5@9", "take r5@f1", "token purple", "pay", "take r5 b3"])
def test_notation_refuses_what_is_no_card_or_place(text: str) -> None:
    state = position(player(), player(), market="r5", farm="r5")
    with pytest.raises(MalformedAction):
        GAME.notation.read(state, 0, text)


def test_every_action_says_where_to_click() -> None:
    state = position(player("r5"), player(), market="r5", farm="b2")
    targets = {text: GAME.offer.targets(state, (GAME.notation.read(state, 0, text),))[0] for text in says(state)}
    assert targets == {
        "buy": "market",
        "take r5@1": "market:0",
        "reserve r5@1": "market:0:piece",
        "reserve b2@f1": "farm:0",
    }
    assert GAME.offer.targets(state, (a.Pay(0, 2),))[0] == GAME.offer.targets(state, (a.Discard(0, 2),))[0] == "hand:r5"
    assert GAME.offer.targets(state, (a.Insure(0, 3),))[0] == "goods:b2"
    assert GAME.offer.targets(state, (a.ChooseToken(0, 0),))[0] == "token:red"
    assert GAME.offer.targets(state, (a.Decline(0),))[0] == "button:decline"
