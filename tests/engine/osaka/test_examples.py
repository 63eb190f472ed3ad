"""The worked examples of the rules, one test each; figures come from the data file where it has them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine.games.osaka import events as e
from kontor_games.engine.games.osaka.data import COLOURS, DATA, VALUE
from kontor_games.engine.games.osaka.flow import first_players, returned, sailed, set_price, set_vp
from kontor_games.engine.games.osaka.insurance import icons, sunk_colours
from kontor_games.engine.games.osaka.scoring import ranking
from kontor_games.engine.games.osaka.state import OVER, TURN, Player, State, takeable, worth

from .position import cards, do, fleet, forbids, player, position, row, says, story

EXAMPLES: dict[str, dict[str, Any]] = {example["id"][:3]: example for example in DATA["examples"]}


def short(names: list[str]) -> str:
    """«yellow_2» as «y2»."""
    return " ".join(name[0] + name.rpartition("_")[2] for name in names)


def colour_set(colour: str, values: list[int]) -> bytes:
    return cards(" ".join(f"{colour[0]}{value}" for value in values))


def hand_of(values: list[int]) -> bytes:
    return cards(" ".join(f"r{value}" for value in values))


def test_e01_lowest_total_then_fewest_cards_is_first_player() -> None:
    example = EXAMPLES["e01"]
    hands = [hand_of(values) for values in example["hands"]]
    assert [worth(hand) for hand in hands] == example["expect_totals"]
    assert first_players(hands) == [example["expect_first"]]


def test_e02_a_hand_is_worth_the_sum_of_its_values() -> None:
    example = EXAMPLES["e02"]
    assert worth(hand_of(example["hand"])) == example["expect_total"] == 12


@pytest.mark.parametrize("number", ["e03", "e04", "e18"])
def test_e03_e04_e18_ships_sail_one_step_for_one_card_and_two_for_more(number: str) -> None:
    example = EXAMPLES[number]
    after = sailed(fleet(**example["before"]), cards(short(example["bought"])))
    assert after == fleet(**example["expect_after"])
    assert [COLOURS[c] for c, space in enumerate(after) if space == 5] == example["expect_arrivals"]


def test_e04_green_reaching_edo_pays_out_green() -> None:
    example = EXAMPLES["e04"]
    state = position(player("r5 r5 r2"), player(goods="g5"), market="b2 b2 b5 g3", ships=fleet(**example["before"]))
    _, happened = story(state, "buy", "pay r5", "pay r5", "pay r2")
    sold = [(event.seat, COLOURS[event.colour]) for event in happened if isinstance(event, e.SetSold)]
    assert sold == [(0, "green"), (1, "green")]


@pytest.mark.parametrize("number", ["e05", "e06", "e19"])
def test_e05_e06_e19_a_set_sells_for_price_times_cards_rounded_up(number: str) -> None:
    example = EXAMPLES[number]
    total = 0
    for colour, values in example["goods"].items():
        goods, tokens = colour_set(colour, values), example["tokens"][colour]
        vp = set_vp(goods, tokens)
        assert vp == example["expect_vp"][colour]
        assert 5 * vp == example["expect_rounded"][colour]
        assert 0 <= 5 * vp - set_price(goods, tokens) * len(goods) < 5
        total += vp
    assert total == example["expect_total_vp"]


def payout(seller: Player, market: str, ships: tuple[int, ...], pay: str, discard: str = "") -> State:
    """Seat 0 buys this Market, seat 1 sells."""
    state = position(player(pay), seller, market=market, ships=ships, discard=cards(discard))
    return do(state, "buy", *(f"pay {card}" for card in pay.split()))


def test_e05_red_and_yellow_paid_out_give_four_vp_and_a_token_of_each() -> None:
    seller = player(goods="r2 r3 r5 y2", tokens={})
    state = payout(seller, "r2 y2", fleet(red=4, yellow=4), "b5")
    assert state.players[1].vp == 4
    assert state.players[1].tokens == (1, 0, 1, 0)
    assert state.players[1].vp_cards == cards("r2 r3 r5 y2")


def test_e06_missing_vp_cards_come_unseen_from_the_pile() -> None:
    seller = player(goods="g2 g3 g5", tokens={"green": 2})
    state = payout(seller, "g2", fleet(green=4), "b2")
    sold = state.players[1]
    assert (sold.vp, len(sold.vp_cards), len(sold.vp_unseen)) == (5, 3, EXAMPLES["e06"]["expect_from_pile"])
    assert sold.vp_unseen == (1005, 1006)  # R6: five cards went to the rows first


def test_e19_lowest_values_become_vp_cards_and_the_rest_is_discarded() -> None:
    example = EXAMPLES["e19"]
    state = payout(player(goods="b2 b2 b3", tokens={}), "b5", fleet(blue=4), "r5")
    assert [VALUE[face] for face in state.players[1].vp_cards] == example["expect_vp_values"]["blue"]
    assert state.discard == cards("r5 b3")


def test_e07_three_cards_with_four_icons_insure_four_goods() -> None:
    example = EXAMPLES["e07"]
    thrown = cards(short(example["discards"]))
    assert {COLOURS[c]: icons(thrown, c) for c in (1, 0)} == example["expect_icons"]
    state = storm(player("b2 r3 r3 r5", goods="b5 b3 r5 r2"))
    state, happened = story(
        state, "insure b5", "insure b3", "insure r5", "insure r2", "done", "discard r3", "discard r3", "discard b2"
    )
    assert e.GoodsInsured(1, tuple(cards("r2 r5 b3 b5")), tuple(cards("r3 r3 b2"))) in happened
    assert state.players[1].insured == cards("r2 r5 b3 b5") and state.players[1].goods == b""


def storm(insurer: Player, ships: tuple[int, ...] | None = None, market: str = "g2") -> State:
    """Seat 0 brings green to Edo while red and blue are in rough water; seat 1 may insure."""
    state = position(
        player("y5"), insurer, market=market, ships=ships or fleet(red=3, blue=4, green=4), discard=cards("y2")
    )
    return do(state, "buy", "pay y5")


def test_e08_sample_round_of_four_players() -> None:
    example = EXAMPLES["e08"]
    seats = {name: seat for seat, name in enumerate(example["order"])}
    state = position(player("r2 r3"), player("r2"), player("r2"), player("g5"), market=short(example["market"]))
    actions = ["take b5", "reserve r5", "take y3", "buy"]
    for step, action in zip(example["steps"], actions, strict=True):
        assert state.seat == seats[step["player"]]
        assert worth(takeable(state.market, state.seat)) == step["cost_before"]
        state = do(state, action)
    state, happened = story(state, "pay g5", draws="r2 r2 b2 b2 b2")
    assert state.players[3].goods == cards(short(example["expect_brown_goods"]))
    assert state.market[:1] == row("r5:1")  # still under White's piece
    assert state.ships == fleet(**example["expect_steps"])
    assert e.GoodsBought(3, tuple(cards("y2 y3")), tuple(cards("g5"))) in happened


def test_e09_refill_keeps_the_reserved_card_and_draws_five() -> None:
    example = EXAMPLES["e09"]
    state = position(player("g5"), player(), market="r5:1 y2 y3", farm="b3 y3 g3")
    after = do(state, "buy", "pay g5", draws="r2 b2 y2 g2 r3")
    assert len(after.market) == example["expect_market"] and len(after.farm) == example["expect_farm"]
    assert after.market == row("r5:1 b3 y3 g3 r2 b2") and after.farm == row("y2 g2 r3")
    assert after.pile[0] - state.pile[0] == example["expect_drawn"]


def test_e10_buyer_takes_free_and_own_reserved_cards_only() -> None:
    example = EXAMPLES["e10"]
    state = position(player("r5 r3"), player(), market="r2 b3:0 g5:1 r3")
    assert worth(takeable(state.market, 0)) == example["expect_cost"]
    after, happened = story(state, "buy", "pay r5", "pay r3")
    assert after.players[0].goods == cards("r2 r3 b3")
    assert after.market[0] == row("g5:1")[0]
    assert e.PieceReturned(0) in happened
    assert after.ships == fleet(red=2, blue=1)


@pytest.mark.parametrize(("seat", "refilled"), [(0, True), (1, False)])
def test_e11_a_market_reserved_by_others_is_refilled_at_the_start_of_a_turn(seat: int, refilled: bool) -> None:
    names = EXAMPLES["e11"]["expect_refill_for"]
    assert refilled == names[["grey", "pink"][seat]]
    # the seat before takes the last free card, then it is this seat's turn
    state = position(player("r5"), player("r5"), market="r2 g5:1", active=1 - seat)
    after = do(state, "take r2")
    assert after.seat == seat and (len(after.market) == 6) is refilled
    if not refilled:
        assert "take g5@1" in says(after) and "buy" in says(after)
        assert len(do(after, "buy", "pay r5").market) == 5


@pytest.mark.parametrize("seat", [0, 1])
def test_e12_an_empty_market_is_refilled_for_anybody(seat: int) -> None:
    after = do(position(player(), player(), market="r2", active=1 - seat), "take r2")
    assert after.seat == seat and len(after.market) == 5 and len(after.farm) == 3


def test_e13_sunk_ships_go_to_anori_and_arrived_ones_to_osaka() -> None:
    example = EXAMPLES["e13"]
    before = fleet(**example["before"])
    assert [COLOURS[colour] for colour in sunk_colours(before)] == example["expect_sunk"]
    assert returned(before) == fleet(**example["expect_after"])


def scoring_round(tokens: list[dict[str, int]], goods: list[str]) -> State:
    """Seat 0 brings red and blue to Edo in a purchase; everybody sells what is listed."""
    players = [player(goods=held, tokens=owned) for held, owned in zip(goods, tokens, strict=True)]
    players[0] = replace(players[0], hand=cards("y2"))
    state = position(*players, market="r2", ships=fleet(red=4, blue=5, yellow=3))
    return do(state, "buy", "pay y2")


def test_e14_eight_tokens_end_the_match_before_any_ship_sinks() -> None:
    example = EXAMPLES["e14"]
    owned = [{"green": n} for n in example["tokens_before"]]
    state = scoring_round(owned, ["", "r3 y3", "y5"])
    assert [sum(p.tokens) for p in state.players] == example["expect_tokens_after"]
    assert (state.phase == OVER) is example["expect_end"]
    assert state.players[2].goods == cards("y5") and state.ships[2] == 3


def test_e15_seven_tokens_do_not_end_the_match() -> None:
    example = EXAMPLES["e15"]
    owned = [{"green": n} for n in example["tokens_before"]]
    state = scoring_round(owned, ["b2", "r3", "b5 y5"])
    assert [sum(p.tokens) for p in state.players] == example["expect_tokens_after"]
    assert (state.phase == TURN) is not example["expect_end"]
    assert state.players[2].goods == b"" and state.ships == fleet(yellow=2)


@pytest.mark.parametrize("number", ["e16", "e17"])
def test_e16_e17_ties_go_to_tokens_and_are_shared_otherwise(number: str) -> None:
    example = EXAMPLES[number]
    players = [
        Player(vp_cards=bytes(vp), tokens=(tokens, 0, 0, 0))
        for vp, tokens in zip(example["vp"], example["tokens"], strict=True)
    ]
    assert list(ranking(players)[0]) == example["expect_winners"]


def test_e18_two_arrivals_are_one_payout_red_before_blue() -> None:
    example = EXAMPLES["e18"]
    state = position(
        player("y5 y5 y3"), player(goods="r2 b2"), market=short(example["bought"]), ships=fleet(**example["before"])
    )
    after, happened = story(state, "buy", "pay y5", "pay y5", "pay y3")
    sold = [(COLOURS[event.colour], event.seat) for event in happened if isinstance(event, e.SetSold)]
    assert sold == [("red", 0), ("red", 1), ("blue", 0), ("blue", 1)]
    assert after.ships == fleet()


def test_e20_a_superfluous_insurance_card_is_refused() -> None:
    state = do(storm(player("b2 b3", goods="b5 b5")), "insure b5", "insure b5", "done")
    assert says(state) == ["discard b2"]  # b3 alone is too little, and with b2 it is needless
    assert "lay b2 next" in forbids(state, "discard b3")
    assert do(state, "discard b2").players[1].hand == cards("b3")


def test_e21_an_icon_may_be_wasted_on_a_needed_card() -> None:
    state = do(storm(player("b2", goods="b5")), "insure b5", "done", "discard b2")
    assert state.players[1].insured == cards("b5") and state.players[1].hand == b""


def payments(hand: str) -> set[tuple[int, ...]]:
    """The values of every payment of 8 that can be laid from this hand."""
    found: set[tuple[int, ...]] = set()
    waiting = [(do(position(player(hand), player(), market="r5 b3"), "buy"), ())]
    while waiting:
        state, laid = waiting.pop()
        for text in says(state):
            value = int(text[-1])
            after = do(state, text)
            if after.seat == 0:
                waiting.append((after, (*laid, value)))
            else:
                found.add((*laid, value))
    return found


def test_e22_payments_contain_no_needless_card() -> None:
    reachable = payments("r5 b5 y3 r2 b2 y2 g2")
    for case in EXAMPLES["e22"]["cases"]:
        assert (tuple(case["payment"]) in reachable) is case["legal"], case
    assert reachable == {(5, 5), (5, 3), (5, 2, 2), (3, 2, 2, 2), (2, 2, 2, 2)}


def test_insured_goods_survive_the_storm_and_are_sold_later() -> None:
    state = storm(player("r5", goods="b3", insured="b5"), ships=fleet(blue=3, green=4))
    assert state.players[1].goods == b"" and state.players[1].insured == cards("b5")
    assert state.ships[1] == 2 and cards("b3") in state.discard
    players = (player("r2"), state.players[1])
    later = do(position(*players, market="b2", ships=fleet(blue=4)), "buy", "pay r2")
    assert later.players[1].insured == b"" and later.players[1].vp == 1


def test_own_reservation_taken_as_money_returns_the_piece_and_moves_no_ship() -> None:
    state = position(player("r2"), player(), market="y5:0 b3")
    after, happened = story(state, "take y5")
    assert after.players[0].hand == cards("y5 r2") and after.market == row("b3") and after.ships == fleet()
    assert happened == [e.CoinTaken(0, cards("y5")[0], 1), e.PieceReturned(0)]
    assert any(text.startswith("reserve") for text in says(replace(after, seat=0, active=0)))


def test_reshuffle_draws_three_from_the_pile_and_two_from_the_shuffled_discards() -> None:
    state = position(player("r5"), player(), market="r5", pile=3, discard=cards("g2 " * 19))
    after, happened = story(state, "buy", "pay r5", draws="b5 b5 y5 g2 g2")
    assert e.PileShuffled(20) in happened
    assert after.market == row("b3 y3 g3 b5 b5") and after.farm == row("y5 g2 g2")
    assert after.discard == b"" and after.pile[1] - after.pile[0] == 18
