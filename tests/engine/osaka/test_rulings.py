"""The rulings R1–R17, each allowed and forbidden."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from kontor_games.engine import LocalMatch, advance, load, step, to_act, view, why_not
from kontor_games.engine.core.chance import CHANCE, Deal, Dealt, Mix, Mixed, Roll, Rolled
from kontor_games.engine.games.osaka import events as e
from kontor_games.engine.games.osaka.data import DATA, IS_WAVES, SPACES
from kontor_games.engine.games.osaka.flow import first_players, sailed, set_vp
from kontor_games.engine.games.osaka.scoring import result
from kontor_games.engine.games.osaka.state import COVER, INSURE, OVER, TOKEN, TURN, Player, State

from .position import GAME, STANDARD, cards, do, fleet, forbids, player, position, row, says, story


def test_r01_the_track_has_six_spaces_with_two_waves_before_edo() -> None:
    assert tuple(space["id"] for space in DATA["track"]) == SPACES
    assert [space for space in range(6) if IS_WAVES[space]] == [3, 4]
    assert (SPACES.index("osaka"), SPACES.index("anori"), SPACES.index("edo")) == (0, 2, 5)


def test_r02_surplus_steps_are_lost() -> None:
    assert sailed(fleet(red=4), cards("r2 r2")) == fleet(red=5)
    assert sailed(fleet(red=3), cards("r2 r2 r5")) == fleet(red=5)
    assert sailed(fleet(red=2), cards("r2 r2 r5")) == fleet(red=4)


def test_r03_a_ship_that_arrives_cannot_sink() -> None:
    state = position(player("y5"), player(goods="b5"), market="r2 b3", ships=fleet(red=4, blue=4))
    after, happened = story(state, "buy", "pay y5")
    assert not any(isinstance(event, e.ShipsSunk) for event in happened)
    assert after.players[1].vp == 1 and after.ships == fleet()


def test_r04_a_payout_goes_clockwise_from_the_buyer() -> None:
    players = [player(goods="b5", tokens={"blue": 1}) for _ in range(4)]
    players[2] = player("r2", goods="b5", tokens={"blue": 1})
    state = position(*players, market="b2", ships=fleet(blue=4), active=2)
    after, happened = story(state, "buy", "pay r2")
    assert [event.seat for event in happened if isinstance(event, e.SetSold)] == [2, 3, 0, 1]
    # (5 + 1) × 1 makes two VP: one card from the pile each, the buyer's set of two needs another
    assert [p.vp_unseen for p in after.players] == [(1007,), (1008,), (1005,), (1006,)]


@pytest.mark.parametrize(("goods", "tokens", "vp"), [("r2", 0, 1), ("r5", 0, 1), ("r5", 1, 2), ("r2 r3 r5", 2, 5)])
def test_r05_rounding_is_upwards(goods: str, tokens: int, vp: int) -> None:
    assert set_vp(cards(goods), tokens) == vp


def arrival(after_payout: int) -> tuple[State, list[object]]:
    options = replace(STANDARD, refill_after_payout=after_payout)
    seller = player(goods="b5", tokens={"blue": 1})
    state = position(player("r2"), seller, market="b2", ships=fleet(blue=4), options=options)
    after, happened = story(state, "buy", "pay r2")
    return after, [type(event) for event in happened]


def test_r06_the_refill_comes_before_the_payout() -> None:
    after, happened = arrival(0)
    assert happened.index(e.MarketFilled) < happened.index(e.SetSold)
    assert after.players[1].vp_unseen == (1005,)


def test_r06_the_option_moves_the_refill_behind_the_payout() -> None:
    after, happened = arrival(1)
    assert happened.index(e.MarketFilled) > happened.index(e.ShipReturned)
    assert after.players[1].vp_unseen == (1000,) and len(after.market) == 5


def test_r06_with_the_option_players_insure_before_they_see_the_new_rows() -> None:
    for after_payout, market in ((0, 5), (1, 0)):
        options = replace(STANDARD, refill_after_payout=after_payout)
        players = player("y2"), player("r2", goods="r5")
        state = do(position(*players, market="b2", ships=fleet(blue=4, red=3), options=options), "buy", "pay y2")
        assert state.phase == INSURE and len(state.market) == market
        assert len(do(state, "decline").market) == 5


def test_r07_an_empty_pile_is_shuffled_anew_when_a_card_is_needed() -> None:
    state = position(player("r5"), player(), market="r5", pile=5, discard=cards("g2 g2"))
    after, happened = story(state, "buy", "pay r5")
    assert after.pile == (1005, 1005)  # the last card is drawn, nothing is shuffled yet
    assert not any(isinstance(event, e.PileShuffled) for event in happened)


def test_r07_rows_stay_short_when_no_card_is_left() -> None:
    state = position(player("r5"), player(), market="r5", pile=0)
    after = do(state, "buy", "pay r5", draws="r5")
    assert after.market == row("b3 y3 g3 r5") and after.farm == b""


def test_r07_a_reshuffle_in_the_middle_of_a_payout_resumes_it() -> None:
    seller = player(goods="b2 b3", tokens={"blue": 7})
    state = position(
        player("r2"), seller, market="b2", ships=fleet(blue=4), pile=6, discard=cards("y5 " * 9),
        options=replace(STANDARD, tokens_to_end=10),
    )  # fmt: skip
    state, _ = advance(GAME, do(state, "buy"), GAME.notation.read(state, 0, "pay r2"))
    assert isinstance(state.desk.want, Deal) and to_act(GAME, state) == CHANCE
    state, _ = advance(
        GAME, state, Dealt(state.desk.want.r, tuple((slot, None, 0) for slot, _ in state.desk.want.cards))
    )
    # (3 + 7) × 2 makes four VP: two from the set, one from the pile, and then it is empty
    want = state.desk.want
    assert isinstance(want, Mix) and bytes(want.faces) == cards("y5 " * 9 + "r2")
    assert state.players[1].vp == 3 and state.players[1].tokens[1] == 7
    assert why_not(GAME, state, GAME.notation.read(state, 1, "pass")) is not None
    state, _ = advance(GAME, state, Mixed(want.r))
    assert state.phase == TURN and state.players[1].vp == 4 and state.players[1].tokens[1] == 8
    assert state.pile[1] - state.pile[0] == 9


def test_r07_vp_cards_that_are_nowhere_count_as_extra() -> None:
    # The rows need five cards: one is left in the pile, and the payment is the only discard.
    seller = player(goods="b2 b3", tokens={"blue": 5})
    state = position(player("r2"), seller, market="b2", ships=fleet(blue=4), pile=1)
    after = do(state, "buy", "pay r2")
    sold = after.players[1]
    assert (sold.vp, len(sold.vp_cards), sold.vp_unseen, sold.vp_extra) == (4, 2, (), 2)


def test_r08_a_needless_card_is_refused_and_allowed_with_the_option() -> None:
    market, hand = "r5 b3", "r5 b5 y2"
    strict = do(position(player(hand), player(), market=market), "buy", "pay r5", "pay b5")
    assert strict.seat == 1  # bought: the 2 could not be added
    options = replace(STANDARD, irreducible_payment=0)
    loose = do(position(player(hand), player(), market=market, options=options), "buy", "pay r5")
    assert forbids(loose, "done") == "3 is still to be paid"
    loose = do(loose, "pay b5")
    assert says(loose) == ["done", "pay y2"]
    bought = do(loose, "pay y2", "done")
    assert bought.players[0].hand == b"" and bought.discard == cards("r5 b5 y2")
    assert do(loose, "done").players[0].hand == cards("y2")


def test_r08_payments_are_laid_dearest_first_and_must_reach_the_price() -> None:
    state = do(position(player("r5 b3 y2 g2"), player(), market="r5 b2"), "buy")
    assert says(state) == ["pay r5", "pay b3"]
    assert "would not reach it" in forbids(state, "pay y2")
    assert "dearest card first" in forbids(do(state, "pay b3"), "pay r5")
    assert forbids(state, "pay g5") == "you do not have that card"
    assert forbids(state, "done") is not None and forbids(state, "buy") == "the purchase is to be paid"


def empty_table(*players: Player, active: int = 0, market: str = "") -> State:
    return position(*players, market=market, farm="", pile=0, active=active)


def test_r09_pass_only_if_nothing_else_is_possible() -> None:
    assert forbids(position(player(), player()), "pass") == "you can take a card, so you may not pass"
    last = empty_table(player(), player(), player(), market="r5 r2:0")
    stuck = do(last, "take r5")  # White's piece keeps the r2 from the others, and no card is left to draw
    assert (stuck.seat, says(stuck), stuck.market) == (1, ["pass"], row("r2:0"))
    assert forbids(stuck, "take r2") == "r2 is reserved by white"
    assert forbids(stuck, "reserve r2") == "r2 is reserved by white"
    assert forbids(stuck, "buy") == "no card of the Market is free for you"
    back = do(stuck, "pass", "pass")
    assert back.seat == 0 and back.passes == 2 and "take r2@1" in says(back)
    assert do(back, "take r2").passes == 0


def test_r09_a_free_card_of_the_farm_can_still_be_reserved() -> None:
    state = position(player(), player(), market="r2:1", farm="b3")
    assert forbids(state, "pass") == "you can reserve a card, so you may not pass"
    assert says(state) == ["reserve b3@f1"]


def test_r09_the_match_ends_when_everybody_passes_in_a_row() -> None:
    players = replace(player(), vp_cards=cards("r2 r2")), replace(player(), vp_cards=cards("r2"))
    state = do(empty_table(*players, market="r5"), "take r5", "pass")
    assert result(state) is None
    state, happened = story(state, "pass")
    ending = result(state)
    assert ending is not None and (ending.reason, ending.winners, ending.scores) == ("standstill", (0,), (2, 1))
    assert happened[-1] == e.MatchEnded("standstill", (0,))
    assert to_act(GAME, state) is None and why_not(GAME, state, GAME.notation.read(state, 0, "pass")) is not None


def storm(insurer: Player, ships: tuple[int, ...], only_sunk: int = 1) -> State:
    options = replace(STANDARD, insure_only_sunk=only_sunk)
    return do(position(player("y5"), insurer, market="g2", ships=ships, options=options), "buy", "pay y5")


def test_r10_only_sunk_colours_may_be_insured_unless_the_option_allows_it() -> None:
    insurer = player("r2 b2", goods="r5 b5")
    state = storm(insurer, fleet(red=3, green=4))
    assert says(state) == ["insure r5", "decline"]
    assert forbids(state, "insure b5") == "the blue ship does not sink"
    free = storm(insurer, fleet(red=3, green=4), only_sunk=0)
    assert says(free) == ["insure r5", "insure b5", "decline"]
    assert do(free, "insure b5", "done", "discard b2").players[1].insured == cards("b5")


def test_r10_icons_limit_the_goods_of_their_colour() -> None:
    state = storm(player("r3 b2 r5", goods="r5 r5 r2"), fleet(red=3, green=4))
    assert forbids(state, "done") == "choose a good to insure, or decline"
    assert forbids(state, "insure r3") == "you have no such good left to insure"
    state = do(state, "insure r5")
    assert says(state) == ["done"]
    assert forbids(state, "insure r2") == "your hand has no more red insurance icons"
    assert forbids(state, "decline") == "you have chosen goods to insure; say done"
    state = do(state, "done")
    assert forbids(state, "discard r5") == "r5 has no insurance icon"
    assert forbids(state, "discard g2") == "you do not have that card"
    assert "lay r3 next" in forbids(state, "discard b2")


def covers(hand: str, goods: int) -> Counter[tuple[int, ...]]:
    """Every set of discards that the stages reach for so many red goods, and by how many sequences."""
    state = storm(player(hand, goods="r5 " * goods), fleet(red=3, green=4))
    state = do(state, *["insure r5"] * goods, "done")
    found: Counter[tuple[int, ...]] = Counter()
    waiting: list[tuple[State, tuple[int, ...]]] = [(state, ())]
    while waiting:
        state, laid = waiting.pop()
        for text in says(state):
            after, thrown = do(state, text), (*laid, int(text[-1]))
            if after.phase == COVER:
                waiting.append((after, thrown))
            else:
                found[tuple(sorted(thrown))] += 1
    return found


def irreducible_sets(twos: int, threes: int, goods: int) -> set[tuple[int, ...]]:
    """Straight from the rule: enough icons, and not enough without any one of the cards."""
    found = set()
    for a in range(twos + 1):
        for b in range(threes + 1):
            total = 2 * a + b
            if total >= goods and (not a or total - 2 < goods) and (not b or total - 1 < goods):
                found.add((2,) * a + (3,) * b)
    return found


@pytest.mark.parametrize("twos", range(4))
@pytest.mark.parametrize("threes", range(4))
def test_r10_the_stages_reach_each_set_without_a_needless_card_exactly_once(twos: int, threes: int) -> None:
    for goods in range(1, min(2 * twos + threes, 5) + 1):
        reached = covers("r2 " * twos + "r3 " * threes, goods)
        assert set(reached) == irreducible_sets(twos, threes, goods)
        assert set(reached.values()) == {1}


def test_r11_insurance_lasts_through_later_storms() -> None:
    state = storm(player("r5", insured="r5", goods="r2"), fleet(red=3, green=4))
    again = position(player("y5"), state.players[1], market="g2", ships=fleet(red=4, green=4))
    assert do(again, "buy", "pay y5").players[1].insured == cards("r5")


def test_r12_the_end_counts_all_colours_and_the_starting_token() -> None:
    tokens = {"red": 2, "blue": 2, "yellow": 2, "green": 1}
    sellers = player("r2", goods="b5", tokens=tokens), player(goods="b5", tokens=tokens), player(tokens={})
    state = position(*sellers, market="b2", ships=fleet(blue=4, red=3))
    after, happened = story(state, "buy", "pay r2")
    ending = result(after)
    assert ending is not None and ending.reason == "tokens" and ending.breakdown[1] == ("tokens", (8, 8, 0))
    assert happened[-1] == e.MatchEnded("tokens", ending.winners)
    longer = replace(state, options=replace(STANDARD, tokens_to_end=9))
    assert do(longer, "buy", "pay r2").phase == TURN
    shorter = replace(state, options=replace(STANDARD, tokens_to_end=6))
    assert do(shorter, "buy", "pay r2").phase == OVER


def test_r13_the_start_check_looks_at_the_market_only() -> None:
    state = position(player(), player(), market="r2 r3:1", farm="b3 y3 g3")
    assert len(do(state, "take r2").market) == 1  # seat 1 can take its own card: no refill
    both = position(player(), player(), player(), market="r2 r3:0 b5:1", farm="b3 y3 g3")
    assert len(do(both, "take r2").market) == 2
    nobody = position(player(), player(), player(), market="r2 r3:0 b5:2", farm="b3:1 y3 g3")
    after = do(nobody, "take r2")
    assert after.market[:5] == row("r3:0 b5:2 b3:1 y3 g3") and len(after.market) == 7


def test_r13_taking_a_card_leaves_the_gap() -> None:
    state = position(player(), player(), market="r2 b3 g5")
    after = do(state, "take b3")
    assert after.market == row("r2 g5") and after.pile == state.pile


def test_r14_hands_are_hidden_after_set_up_unless_the_option_shows_them() -> None:
    state = position(player("r5 b3"), player("g2"))
    for seat, expected in ((0, [True, False]), (1, [False, True]), (None, [False, False])):
        hands = view(GAME, state, seat, {})["players"]
        assert [hand["hand"] is not None for hand in hands] == expected
        assert [hand["hand_count"] for hand in hands] == [2, 1]
    shown = view(GAME, replace(state, options=replace(STANDARD, show_hands=1)), None, {})["players"]
    assert [card["card"] for card in shown[0]["hand"]] == ["r5", "b3"]


def test_r14_starting_hands_are_shown_to_all_until_the_first_turn() -> None:
    match = LocalMatch(GAME, {}, 3, b"start")
    list(match.settle())
    while match.state.phase == TOKEN:
        assert all(p["hand"] for p in view(GAME, match.state, None, {})["players"])
        match.play(match.legal()[0])
    assert not any(p["hand"] for p in view(GAME, match.state, None, {})["players"])


def test_r15_hands_are_dealt_seat_by_seat_until_eight() -> None:
    for seed in range(20):
        match = LocalMatch(GAME, {}, 4, b"deal %d" % seed)
        dealt = [event for _, events in match.settle() for event in events if isinstance(event, e.HandDealt)]
        assert [event.seat for event in dealt] == sorted(event.seat for event in dealt)
        for seat, hand in enumerate(p.hand for p in match.state.players):
            drawn = [GAME.faces[card] for event in dealt if event.seat == seat for card in event.cards]
            values = [int(name[1]) for name in drawn]
            assert sum(values) >= 8 > sum(values[:-1]) and len(hand) == len(values)


def test_r16_a_reservation_stays_until_its_owner_takes_or_buys_the_card() -> None:
    state = do(position(player("r2"), player("r2 r3"), market="r2"), "reserve b3@f1")
    assert state.farm == row("b3:0 y3 g3")
    state = do(state, "buy", "pay r2", draws="r2 r2 g2 g2 g2")  # seat 1 buys; the Farm slides with the piece
    assert state.market[:1] == row("b3:0") and state.seat == 0
    assert forbids(state, "reserve r2") == "your reservation piece lies on a card already"
    assert any(text.startswith("reserve") for text in says(do(state, "take r2")))  # the other seat's piece is free
    returned = replace(do(state, "take b3"), seat=0, active=0)
    assert any(text.startswith("reserve") for text in says(returned))


def test_r17_players_without_goods_at_risk_or_usable_cards_are_not_asked() -> None:
    players = [player("y5"), player("b2", goods="b2"), player("b2 r5", goods="r5"), player("r3", goods="r2")]
    state = position(*players, market="g2", ships=fleet(red=4, green=4))
    state, happened = story(state, "buy", "pay y5")
    assert (state.phase, state.seat) == (INSURE, 3)  # seat 1 has no red goods, seat 2 no red icons
    assert e.ShipsSunk((0,)) in happened
    after, happened = story(state, "decline")
    assert e.InsuranceDeclined(3) in happened
    assert [event for event in happened if isinstance(event, e.GoodsLost)] == [
        e.GoodsLost(2, tuple(cards("r5"))),
        e.GoodsLost(3, tuple(cards("r2"))),
    ]
    assert after.seat == 1 and after.players[1].goods == cards("b2")


def _any_goods() -> State:
    players = [player("y5"), player("b2", goods="b2"), player("b2 r5", goods="r5"), player("r3", goods="r2")]
    options = replace(STANDARD, insure_only_sunk=0, refill_after_payout=1)
    return position(*players, market="g2", ships=fleet(red=4, green=4), options=options)


def test_r17_everybody_who_can_insure_a_good_is_asked_where_any_goods_may_be_insured() -> None:
    state = do(_any_goods(), "buy", "pay y5")
    assert (state.phase, state.seat) == (INSURE, 1)  # loses nothing, but may insure ahead
    assert says(state) == ["insure b2", "decline"]
    after, happened = story(state, "insure b2", "done", "discard b2")
    assert e.GoodsInsured(1, tuple(cards("b2")), tuple(cards("b2"))) in happened
    assert (after.phase, after.seat) == (INSURE, 3)  # seat 2 has no icons for its good
    assert do(state, "decline").seat == 3


def test_r17_the_first_version_passed_over_players_who_lost_nothing() -> None:
    first = load("osaka", 1)
    state = _any_goods()
    for said in ("buy", "pay y5"):
        state, happened = step(first, state, first.notation.read(state, 0, said))
    assert (state.phase, state.seat) == (INSURE, 3)
    assert not any(isinstance(event, e.InsuranceDeclined) for event in happened)


def test_r17_the_insurance_round_goes_clockwise_from_the_buyer_and_shows_earlier_decisions() -> None:
    players = [player("r2", goods="r5"), player("r2", goods="r5"), player("r2 y5", goods="r5")]
    state = do(position(*players, market="g2", ships=fleet(red=4, green=4), active=2), "buy", "pay y5")
    order = []
    while state.phase == INSURE:
        order.append(state.seat)
        state = do(state, "insure r5", "done", "discard r2")
        assert state.players[order[-1]].insured == cards("r5")
    assert order == [2, 0, 1] and state.seat == 0


def test_first_player_tie_is_settled_by_lot_among_the_tied() -> None:
    hands = [cards("r5 r3"), cards("b5 g5"), cards("y5 b3"), cards("r3 r5")]
    assert first_players(hands) == [0, 2, 3]
    chosen = set()
    for seed in range(60):
        match = LocalMatch(GAME, {}, 4, b"tie %d" % seed)
        for _ in match.settle():
            if isinstance(match.state.desk.want, Roll):
                tied = first_players([p.hand for p in match.state.players])
                for lot in range(8):
                    rolled = Rolled(match.state.desk.want.r, bytes([lot] * 32))
                    begun, events = advance(GAME, match.state, rolled)
                    assert begun.first in tied and events == (e.FirstPlayerSet(begun.first),)
                    chosen.add((seed, begun.first))
    assert len({seed for seed, _ in chosen}) < len(chosen)  # the lot decides
