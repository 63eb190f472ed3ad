"""How Merchants of Osaka is offered: kinds, joined decisions, elements, phrases, reasons, figures, travels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from kontor_games.clients.text.phrases import Words
from kontor_games.engine import Choice, LocalMatch, Travel, choices
from kontor_games.engine.games.osaka import actions as a
from kontor_games.engine.games.osaka import events as e
from kontor_games.engine.games.osaka import rules
from kontor_games.engine.games.osaka.data import DECK
from kontor_games.engine.games.osaka.offer import OFFER, points, unseen
from kontor_games.engine.games.osaka.state import INSURE, PAY, State

from .position import GAME, STANDARD, cards, do, fleet, player, position, story

LOOSE = replace(STANDARD, irreducible_payment=0)
LATE_REFILL = replace(STANDARD, refill_after_payout=1)
MANY = "r5 b5 y5 g5 r3 b3 y3 g3 r2 b2 y2 g2"  # a hand that can pay in more ways than one menu holds


def menu(state: State) -> list[str]:
    """The phrases of a menu, to whoever decides."""
    words = Words("osaka", ["Anna", "Bruno"], you=state.seat)
    return [str(words.phrase(OFFER.details(state, choice.actions, {}), [])) for choice in choices(GAME, state, {})]


def only(state: State, kind: str) -> list[Choice]:
    return [choice for choice in choices(GAME, state, {}) if OFFER.kind(state, choice.actions) == kind]


def figures(state: State, choice: Choice) -> list[tuple[str, int, int | None, str]]:
    found = OFFER.foresee(state, choice.actions, {})
    return [(figure.id, figure.amount, figure.seat, figure.element) for figure in found]


def storm(hand: str, goods: str, **ships: int) -> State:
    """Seat 0 is asked what to insure: the purchase of green 2 brought the green ship to Edo."""
    state = position(player(f"y5 {hand}", goods=goods), player(), market="g2", ships=fleet(green=4, **ships))
    state = do(state, "buy", "pay y5")
    assert state.phase == INSURE and state.seat == 0
    return state


def test_a_turn_is_told_in_phrases() -> None:
    state = position(player("r5 b3"), player(), market="r2 b3 r2:1", farm="g5 g5")
    assert menu(state) == [
        "Buy 2 goods for 5: pay red 5",
        "Take red 2 as money (card 1 of the Market)",
        "Take blue 3 as money",
        "Reserve red 2 in the Market (card 1)",
        "Reserve blue 3 in the Market",
        "Reserve green 5 in the Farm (card 1)",
        "Reserve green 5 in the Farm (card 2)",
    ]
    assert menu(position(player(), player(), market="r5:0 r5"))[:2] == [
        "Take red 5 as money, and your piece back",
        "Take red 5 as money (card 2 of the Market)",
    ]


def test_a_purchase_and_its_payment_are_one_choice_for_each_payment() -> None:
    state = position(player("r5 b3 y3"), player(), market="b2 y2")
    bought = only(state, "buy")
    assert menu(state)[: len(bought)] == [
        "Buy 2 goods for 4: pay red 5 (one too much)",
        "Buy 2 goods for 4: pay blue 3, yellow 3 (2 too much)",
    ]
    assert [[type(action) for action in choice.actions] for choice in bought] == [[a.Buy, a.Pay], [a.Buy, a.Pay, a.Pay]]
    assert all(choice.reveals for choice in bought), "the refill opens cards"


def test_a_purchase_with_too_many_payments_is_paid_step_by_step() -> None:
    state = position(player(MANY), player(), market="r5 b5 y2")
    assert menu(state)[0] == "Buy 3 goods for 12" and not OFFER.at_rest(do(state, "buy"))
    paying = do(state, "buy")
    assert menu(paying)[:2] == [
        "Begin the payment with red 5 (7 left to pay)",
        "Begin the payment with blue 5 (7 left to pay)",
    ]
    assert all(len(choice.actions) == 1 for choice in choices(GAME, paying, {}))
    assert menu(do(paying, "pay r5"))[0] == "Add blue 5 (2 left to pay)"
    last = do(paying, "pay r5", "pay g5")
    assert menu(last)[0] == "Pay red 3 (one too much)" and menu(last)[-1] == "Pay green 2"


def test_a_payment_of_many_cards_is_begun_before_it_is_joined() -> None:
    state = position(player("r2 " * 7), player(), market="b5 b5 y3")
    assert menu(state)[0] == "Buy 3 goods for 13"
    assert menu(do(state, "buy")) == ["Begin the payment with red 2 (11 left to pay)"]
    assert menu(do(state, "buy", "pay r2")) == ["Pay red 2, red 2, red 2, red 2, red 2, red 2 (one too much)"]


def test_needless_cards_may_be_laid_where_the_option_allows_it() -> None:
    state = position(player(MANY), player(), market="r5", options=LOOSE)
    assert menu(state)[0] == "Buy one good for 5"
    paying = do(state, "buy")
    assert menu(paying)[0] == "Lay red 5, which is enough"
    enough = do(paying, "pay r5")
    assert menu(enough)[:2] == ["Complete the purchase", "Lay blue 5 besides (5 too much)"]
    assert OFFER.targets(enough, (a.Done(0),)) == ("button:pay",) and OFFER.now(enough)["now"] == "paid"
    small = position(player("r5 b3"), player(), market="r5", options=LOOSE)
    assert menu(small)[:2] == ["Buy one good for 5: pay red 5", "Buy one good for 5: pay red 5, blue 3 (3 too much)"]


def test_an_insurance_and_its_discards_are_one_choice() -> None:
    state = storm("r2 r3", "r3 r5", red=3)
    assert menu(state) == [
        "Insure red 3: discard red 2 (one shield unused)",
        "Insure red 3: discard red 3",
        "Insure red 3, red 5: discard red 2",
        "Insure red 5: discard red 2 (one shield unused)",
        "Insure red 5: discard red 3",
        "Insure nothing",
    ]
    targets = [OFFER.targets(state, choice.actions) for choice in choices(GAME, state, {})]
    assert targets[1] == ("goods:r3", "hand:r3", "ship:red") and targets[-1] == ("button:decline",)
    assert not OFFER.at_rest(state), "the storm belongs to the turn of the buyer"


def test_a_great_insurance_is_chosen_good_by_good() -> None:
    state = storm("r2 r3 b2 b3", "r2 r3 r5 b2 b3 b5", red=3, blue=4)
    assert menu(state)[0] == "Choose red 2 to be insured" and menu(state)[-1] == "Insure nothing"
    begun = do(state, "insure r2")
    assert "Insure red 2: discard red 3" in menu(begun) and "Choose red 3 to be insured" in menu(begun)
    assert {OFFER.kind(begun, choice.actions) for choice in choices(GAME, begun, {})} == {"insure", "cover"}
    covering = do(begun, "done")
    assert menu(covering) == ["Discard red 2 (one shield unused)", "Discard red 3"]


def test_goods_that_need_many_discards_are_covered_after_they_are_chosen() -> None:
    begun = do(storm("r3 " * 6, "r2 " * 6, red=3), *["insure r2"] * 6)
    assert menu(begun) == ["Choose no more goods"]
    assert OFFER.targets(begun, (a.Done(0),)) == ("button:cover",)
    assert menu(do(begun, "done")) == ["Discard red 3, red 3, red 3, red 3, red 3, red 3"]


def test_elements_name_everything_that_may_be_clicked() -> None:
    state = position(player("r5 b5"), player(), market="r2 b3", farm="g5")
    found = [OFFER.targets(state, choice.actions) for choice in choices(GAME, state, {})]
    assert found == [
        ("market", "hand:r5", "ship:red", "ship:blue"),
        ("market", "hand:b5", "ship:red", "ship:blue"),
        ("market:0",),
        ("market:1",),
        ("market:0:piece", "market:0"),
        ("market:1:piece", "market:1"),
        ("farm:0",),
    ]


def why(state: State, kind: str) -> tuple[str, str]:
    reason = OFFER.why_none(state, kind, {})
    assert reason is not None
    return reason.id, str(reason)


def test_a_kind_without_a_choice_says_why() -> None:
    turn = position(player("r2"), player(), market="r5 b5:0")
    assert why(turn, "buy") == ("too_dear", "the goods cost 10, your hand is worth 2")
    assert why(turn, "reserve") == ("piece_is_out", "your reservation piece lies on a card already")
    assert why(turn, "pass") == ("can_take", "you can take a card, so you may not pass")
    assert why(turn, "token") == ("tokens_chosen", "starting tokens are chosen before the first turn")
    assert why(turn, "pay") == ("nothing_to_pay", "nothing is to be paid: buy first")
    assert why(turn, "insure") == why(turn, "cover") == ("no_storm", "no storm threatens your goods now")
    assert OFFER.why_none(turn, "take", {}) is None
    stuck = position(player("r5"), player(), player(), player(), market="r2:1 b2:2", farm="g2:3")
    assert why(stuck, "take") == why(stuck, "buy") == ("none_free", "no card of the Market is free for you")
    assert why(stuck, "reserve") == ("all_reserved", "every card of Market and Farm is reserved")
    assert OFFER.why_none(stuck, "pass", {}) is None
    paying = do(position(player("r5"), player(), market="r5"), "buy")
    assert why(paying, "take") == why(paying, "reserve") == ("payment_first", "the purchase is to be paid")


def test_a_kind_without_a_choice_says_why_in_a_storm() -> None:
    state = storm("r3", "r3 r5", red=3)
    assert why(state, "cover") == ("none_chosen", "choose a good to insure, or decline")
    assert why(state, "buy") == ("storm_first", "the storm comes: insure goods or decline")
    begun = do(state, "insure r3")
    assert why(begun, "insure") == ("no_more_goods", "no more goods can be insured with the cards of your hand")
    assert why(begun, "decline") == ("goods_chosen", "you have chosen goods to insure; say done")
    covering = do(begun, "done")
    expected = ("cover_first", "the chosen goods are to be covered with cards of your hand")
    assert why(covering, "insure") == why(covering, "decline") == expected
    asked = LocalMatch(GAME, {}, 2, b"why").state
    assert why(asked, "take") == ("chance_first", "a card or a roll must come first")
    assert why(replace(covering, phase=6), "take") == ("over", "the match is over")


def test_every_reason_has_an_id_of_its_own() -> None:
    folder = Path(rules.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py")))
    ids = re.findall(r'Reason\("(\w+)"', source)
    assert len(ids) > 30 and {id for id in ids if ids.count(id) > 1} <= {"no_card"}


def test_figures_of_a_purchase_tell_the_voyage_the_sale_and_the_storm() -> None:
    buyer = player("b5 b2", goods="r3 y5", tokens={"red": 1})
    rival = player(goods="r5 r5 y2", insured="r2", tokens={"blue": 1})
    state = position(buyer, rival, market="r2 b2 b2", ships=fleet(red=4, yellow=3))
    (bought,) = only(state, "buy")
    assert figures(state, bought) == [
        ("price", 6, 0, "market"),
        ("overpaid", 1, 0, "market"),
        ("sail", 1, None, "ship:red"),
        ("sail", 2, None, "ship:blue"),
        ("arrives", 1, None, "ship:red"),
        ("sale", 2, 0, "ship:red"),
        ("sale", 3, 1, "ship:red"),
        ("sinks", 1, None, "ship:yellow"),
        ("risk", 1, 0, "ship:yellow"),
        ("risk", 1, 1, "ship:yellow"),
    ]
    assert points(state) == points(bought.after) == (0, 0), "the Market is refilled before the sale"
    after, _ = story(state, "buy", "pay b5", "pay b2")
    assert points(after) == (2, 3)


def test_points_at_once_are_foreseen_where_the_refill_comes_last() -> None:
    rival = player(goods="r5 r5", tokens={"red": 7})
    state = position(player("r2"), rival, market="r2", ships=fleet(red=4, blue=3), options=LATE_REFILL)
    (bought,) = only(state, "buy")
    found = figures(state, bought)
    assert ("ends", 1, None, "market") in found and not [each for each in found if each[0] == "sinks"]
    assert found[-2:] == [("points", 1, 0, "points:0"), ("points", 5, 1, "points:1")]
    assert points(bought.after) == (1, 5) and GAME.turn(bought.after) is None


def test_figures_of_the_other_kinds() -> None:
    state = position(player(MANY), player(), market="r5 b5 y2")
    (taken, *_) = only(state, "take")
    assert figures(state, taken) == [("money", 5, 0, "market:0")]
    paying = do(state, "buy")
    assert figures(paying, choices(GAME, paying, {})[0]) == [("left", 7, 0, "market")]
    assert all(figures(state, choice) == [] for choice in only(state, "reserve"))
    sinking = storm("r2", "r3 r5 r5", red=3)
    first, *_, last = choices(GAME, sinking, {})
    assert figures(sinking, first) == [
        ("insured", 1, 0, "goods:r3"),
        ("unused", 1, 0, "goods:r3"),
        ("lost", 2, 0, "goods:r3"),
    ]
    assert figures(sinking, last) == [("lost", 3, 0, "button:decline")]


NAMES = ["Anna", "Bruno"]


def asked(state: State, you: int | None) -> str | None:
    return Words("osaka", NAMES, you=you).now(OFFER.now(state), state.seat)


@pytest.mark.parametrize(
    ("hand", "market", "expected"),
    [
        ("r5", "r2 b2", "Your turn: take a card, buy the goods for 4 or reserve a card."),
        ("r2", "r2 b2", "Your turn: take a card or reserve a card. The goods cost 4; your hand is worth 2."),
        ("r5", "r2 b2:0", "Your turn: take a card or buy the goods for 4."),
        ("r2", "r2 b2:0", "Your turn: take a card. The goods cost 4; your hand is worth 2."),
        ("r5", "r2:1", "Your turn: reserve a card. No card of the Market is free for you."),
    ],
)
def test_the_turn_is_a_sentence_that_tells_others_nothing_of_the_hand(hand: str, market: str, expected: str) -> None:
    state = position(player(hand), player(), market=market)
    assert asked(state, 0) == expected
    poor = replace(state, players=(player(), player()))
    assert asked(state, 1) == asked(poor, 1) and OFFER.now(state)["now"] == OFFER.now(poor)["now"]


def test_what_is_asked_in_the_middle_of_things() -> None:
    paying = do(position(player("r5 b5"), player(), market="r5 b3"), "buy")
    assert paying.phase == PAY and asked(paying, 0) == "Pay 8 more with cards of your hand, the dearest first."
    assert asked(paying, 1) == "Anna pays for goods."
    state = storm("r3", "r3 r5", red=3)
    assert asked(state, 0) == (
        "The red ship sinks in a storm. Insure what you can, or insure nothing; you would lose red 3, red 5."
    )
    assert asked(state, None) == "Anna decides what to insure in the storm."
    begun = do(state, "insure r5")
    assert asked(begun, 0) == "You insure red 5. Choose more goods, or the cards to discard."
    assert asked(do(begun, "done"), 0) == "Discard cards with one more shield to insure red 5."


def test_what_moves_when_goods_are_bought() -> None:
    state = position(player("y5"), player(), market="r2 b2:1 r3:0")
    state = do(state, "buy")
    events = {type(event): event for event in story(state, "pay y5")[1]}
    moved = {cls.__name__: OFFER.travels(state, event) for cls, event in events.items()}
    assert moved["CardLaid"] == (Travel("card:y5", "desk:0:hand", "laid", 0),)
    assert moved["GoodsBought"] == (
        Travel("card:r2", "market:0", "desk:0:goods", 0),
        Travel("card:r3", "market:2", "desk:0:goods", 0),
        Travel("card:y5", "laid", "deck:discard", 0),
    )
    assert moved["PieceReturned"] == (Travel("piece", "market:2", "desk:0:piece", 0),)
    assert moved["ShipSailed"] == (Travel("ship:red", "space:osaka:red", "space:anori:red"),)
    assert moved["FarmMoved"][1] == Travel("card:y3", "farm:1", "market")


def test_what_moves_when_goods_are_sold_or_lost() -> None:
    state = position(player(), player(), ships=fleet(red=5, blue=3))
    sold = e.SetSold(1, 0, tuple(cards("r2 r2 r5")), 9, 6, 3)
    assert OFFER.travels(state, sold) == (
        Travel("card:r2", "desk:1:goods", "points:1", 1, 2),
        Travel("card:r5", "desk:1:goods", "points:1", 1),
        Travel("card", "deck:pile", "points:1", 1, 3),
    )
    assert OFFER.travels(state, e.TokenAwarded(1, 0)) == (Travel("token:red", "deck:tokens", "desk:1:tokens", 1),)
    assert OFFER.travels(state, e.GoodsLost(1, (3,))) == (Travel("card:b2", "desk:1:goods", "deck:discard", 1),)
    assert OFFER.travels(state, e.ShipReturned(0, 0)) == (Travel("ship:red", "space:edo:red", "space:osaka:red"),)
    assert OFFER.travels(state, e.ShipReturned(1, 2)) == (
        Travel("ship:blue", "space:enshunada_west:blue", "space:anori:blue"),
    )
    assert OFFER.travels(state, e.CardReserved(0, 4, 1, 1)) == (Travel("piece", "desk:0:piece", "farm:0", 0),)
    assert OFFER.travels(state, e.CoinTaken(0, 0, 1)) == (Travel("card:r2", "market:0", "desk:0:hand", 0),)
    assert OFFER.travels(state, e.Passed(0)) == ()


def test_a_ship_that_sails_and_sinks_in_one_action_returns_from_where_it_sank() -> None:
    state = position(player("y5"), player(), market="r2 b2", ships=fleet(red=4, blue=2), options=LATE_REFILL)
    paying = do(state, "buy")
    happened = story(paying, "pay y5")[1]
    (back,) = [event for event in happened if event == e.ShipReturned(1, 2)]
    assert OFFER.travels(paying, back) == (Travel("ship:blue", "space:enshunada_west:blue", "space:anori:blue"),)


def test_unseen_cards_are_the_rest_of_the_deck() -> None:
    match = LocalMatch(GAME, {}, 2, b"unseen")
    assert unseen(match.state, {}) == (), "nothing is shuffled yet"
    list(match.settle())
    state = match.state
    ((faces, slots),) = unseen(state, {})
    assert slots == tuple(range(*state.pile)) and len(faces) == len(slots)
    seen = b"".join(p.hand for p in state.players) + state.market + state.farm
    assert sorted(bytes(faces) + seen) == sorted(DECK)
    ((less, fewer),) = unseen(state, {slots[0]: faces[0]})
    assert fewer == slots[1:] and sorted((*less, faces[0])) == sorted(faces)
