"""How Yokohama is offered: buttons, joined paths, elements, phrases, figures, reasons and travels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kontor_games.clients.text.phrases import Words
from kontor_games.engine import Choice, Figure, Travel, choices, is_forced
from kontor_games.engine.core.offer import Details
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.rules import reasons
from kontor_games.engine.games.yokohama.state import KEEP, NONE, PHASE_C, Task

from .position import F4, GAME, Position, order, rewarded, tech

OFFER = GAME.offer
WORDS = Words("yokohama", ["Anna", "Bruno", "Clara", "Dora"], you=0)


def known(x: Position) -> dict[int, int]:
    assert x.match.turn is not None
    return x.match.known(x.match.turn)


def menu(x: Position) -> list[Choice]:
    return choices(GAME, x.s, known(x))


def phrase(x: Position, choice: Choice) -> str:
    said = WORDS.phrase(OFFER.details(x.s, choice.actions, known(x)), [])
    assert said is not None
    return said


def offered(x: Position, kind: str) -> dict[str, Choice]:
    """The choices under one button by their phrases."""
    found = [choice for choice in menu(x) if OFFER.kind(x.s, choice.actions) == kind]
    said = {phrase(x, choice): choice for choice in found}
    assert len(said) == len(found)
    return said


def notation(x: Position, choice: Choice) -> str:
    texts, state = [], x.s
    for action in choice.actions:
        texts.append(GAME.notation.say(state, action))
        state, _ = GAME.apply(state, action)
    return "; ".join(texts)


def figures(x: Position, choice: Choice) -> dict[str, tuple[int, int | None, str]]:
    found = OFFER.foresee(x.s, choice.actions, known(x))
    assert all(isinstance(figure, Figure) for figure in found)
    return {figure.id: (figure.amount, figure.seat, figure.element) for figure in found}


def now(x: Position, you: int | None = 0) -> str | None:
    asked: Details = OFFER.now(x.s)
    return Words("yokohama", ["Anna", "Bruno", "Clara", "Dora"], you=you).now(asked, x.s.active)


def walking() -> Position:
    """Seat 0's president at the employment agency, two areas with assistants in a row."""
    x = Position(4).lay(F4)
    x.assistants(0, employment_agency=1, copper_mine_1=1, bank=1).president(0, "employment_agency")
    return x.moving()


# Joined paths


def test_the_first_click_of_a_turn_places_an_assistant() -> None:
    x = Position(4)
    found = offered(x, "place")
    assert len(found) == 17
    assert notation(x, found["Place an assistant at the Bank"]) == "end; place bank"
    assert list(offered(x, "move")) == ["Place no assistant and go on to the move"]
    assert {OFFER.kind(x.s, choice.actions) for choice in menu(x)} == {"place", "move"}


def test_going_on_stands_alone_while_a_technology_can_be_used() -> None:
    x = Position(4).owns(0, "university").player(0, yen=3)
    assert list(offered(x, "place")) == ["Go on to placing assistants"]
    assert list(offered(x, "university")) == ["Take an assistant through the University for ¥1"]
    x.hand(0, 0)
    assert list(offered(x, "move")) == ["Go on to moving the president"]


def test_the_move_follows_the_placement_without_a_click_of_its_own() -> None:
    x = Position(4).placing().hand(0, 5)
    x.do("place bank")
    assert {notation(x, choice) for choice in offered(x, "move").values()} == {"done; deploy bank"}
    assert [notation(x, choice) for choice in offered(x, "recall").values()] == ["done; recall"]
    assert "Place another assistant at the Bank" in offered(x, "place")


def test_a_usual_turn_needs_three_choices_and_its_end_is_forced() -> None:
    x = Position(4).lay(F4)
    for wanted in ("Place an assistant at the Bank", "Place another assistant at the Bank"):
        x.do(*notation(x, offered(x, "place")[wanted]).split("; "))
    x.do(*notation(x, offered(x, "move")["Bring the president to the Bank"]).split("; "))
    assert x.s.stage == PHASE_C and OFFER.at_rest(x.s)
    end = menu(x)
    assert is_forced(end) and phrase(x, end[0]) == "End the turn"


def test_a_walk_is_one_choice_to_each_area_where_it_may_end() -> None:
    assert set(offered(walking(), "move")) == {
        "Walk to Copper Mine 1",
        "Walk to the Bank by way of Copper Mine 1",
        "Walk to the Bank by way of Copper Mine 1, the Canal, paying ¥1",
    }


def test_a_click_on_an_area_never_means_a_walk_that_costs_more_than_it_must() -> None:
    x = walking()
    for text, choice in offered(x, "move").items():
        goal = x.cell("bank" if "Bank" in text else "copper_mine_1")
        assert OFFER.targets(x.s, choice.actions) == (("button:move",) if "paying" in text else (f"area:{goal}",))


def test_the_straight_way_to_an_area_stands_for_all_unless_they_cost_differently() -> None:
    x = Position(4).lay({"r2c2": "bank", "r2c3": "church", "r3c2": "port_a"})
    near = [x.cell(board) for board in ("bank", "church", "port_a")]
    next_to = GAME.view(x.s, 0, {})["areas"]
    assert all(b in next_to[a]["next_to"] for a in near for b in near if a != b), "the three areas are not a triangle"
    x.assistants(0, church=1, port_a=1).president(0, "bank").moving()
    assert set(offered(x, "move")) == {"Walk to the Church", "Walk to Port A"}
    x.president(1, "church").player(0, yen=3)
    assert set(offered(x, "move")) == {"Walk to Port A", "Walk to Port A by way of the Church, paying ¥1"}


def test_many_walks_are_asked_step_by_step() -> None:
    x = Position(4).placing().hand(0, 0)
    canal = x.cell("canal")
    x.player(0, placed=tuple(0 if cell == canal else 1 for cell in range(len(x.s.cells))), president=x.cell("bank"))
    assert [notation(x, choice) for choice in menu(x)] == ["done"]
    assert is_forced(menu(x))
    assert OFFER.why_none(x.s, "recall", known(x)) == "a recall comes in place of the move: go on to the move first"
    x.do("done")
    steps = offered(x, "move")
    assert steps and all(text.endswith(", and decide there") for text in steps)
    x.do(notation(x, next(iter(steps.values()))))
    assert any(text.startswith("Stop at ") for text in offered(x, "move"))
    assert not OFFER.at_rest(x.s)


def test_a_technology_is_one_choice_with_each_way_to_pay_for_it() -> None:
    x = Position(4).player(0, yen=5, imports=2)
    x.set(labs=((tech("tram"), *x.s.labs[0][1:]), *x.s.labs[1:])).acting("laboratory_a", 3)
    found = [text for text in offered(x, "research") if "Tram" in text]
    assert found == [
        "Gain the Tram for ¥4",
        "Gain the Tram for ¥2 and one import",
        "Gain the Tram for 2 imports",
    ]
    assert figures(x, offered(x, "research")[found[1]])["pay_import"] == (1, 0, "lab:0:0")


def test_a_second_order_is_one_choice_with_its_payment() -> None:
    x = Position(4).player(0, yen=5, imports=2, orders=()).acting("port_a", 3)
    x.do("take 1")
    found = list(offered(x, "take"))
    assert found[0].endswith(" as well for ¥2") and found[1].endswith(" as well for one import")
    assert list(offered(x, "done")) == ["Take no second order"]
    assert now(x) == "Port A: you may take a second order for ¥2 or one import."


# Phrases that aimless players seldom meet


def researching(kind: str, power: int, **has: int) -> Position:
    """Seat 0 in laboratory A, which offers this technology in its first slot and nothing else."""
    x = Position(4).player(0, **has)
    x.set(labs=((tech(kind), *(NONE,) * 5), *x.s.labs[1:]))
    return x.acting("laboratory_a", power)


def apart() -> Position:
    """Seat 0's president at the church, its assistant far away at the bank."""
    x = Position(4).lay({"r1c2": "church", "r4c2": "bank"})
    return x.assistants(0, bank=1).president(0, "church").moving()


def stationed() -> Position:
    x = apart().owns(0, "station")
    return x.set(station=x.cell("bank"))


def placing_the_station() -> Position:
    x = researching("station", 5, yen=9)
    x.do("research 1", *(["pay yen"] * (x.s.stage == "act" and "pay yen" in x.menu())))
    return x


def hiring() -> Position:
    x = rewarded(warehouse=2)
    x.do("hire assistant")
    return x


def claiming() -> Position:
    x = Position(4, mini_1=True).set(rewards=(2, 5))
    return x.set(queue=(Task("reward"),))


@pytest.mark.parametrize(
    ("position", "kind", "said"),
    [
        (lambda: Position(4).owns(0, "spinning_mill").player(0, goods=(0, 2, 0, 0)), "mill",
         "Sell one silk through the Spinning Mill for ¥2"),
        (lambda: apart().owns(0, "tram"), "move", "Ride the tram to the Bank"),
        (stationed, "move", "Travel to the station at the Bank"),
        (placing_the_station, "station", "Open the station at the Bank"),
        (lambda: researching("language_school", 4), "research", "Gain the Language School"),
        (lambda: researching("exhibition", 2, yen=20, imports=9), "research",
         "Choose the Exhibition in slot 1 and decide about 5 payments"),
        (lambda: Position(4).player(0, imports=2).hand(0, 2).acting("customs_house", 3), "clear",
         "Put an assistant from your hand on customs space 4 for 2 imports: 9 points and 2 pieces from the warehouse"),
        (hiring, "done", "Leave the rest in the warehouse"),
        (claiming, "reward", "Take the token with the British flag"),
        (claiming, "reward", "Take the token without a flag"),
    ],
)  # fmt: skip
def test_a_rare_choice_has_its_phrase(position: Callable[[], Position], kind: str, said: str) -> None:
    found = offered(position(), kind)
    assert said in found, list(found)


def test_where_an_assistant_for_a_board_comes_from_is_asked_only_where_it_matters() -> None:
    x = Position(4).player(0, imports=2).hand(0, 2).acting("customs_house", 3)
    plain, waiting = ([text for text in offered(x, "clear") if f"space {space} " in text] for space in (2, 4))
    assert (len(plain), len(waiting)) == (1, 2)  # while the warehouse is asked, the area and the hand still differ


# Elements


def church() -> Position:
    return Position(4).hand(0, 3).acting("church", 5)


@pytest.mark.parametrize(
    ("position", "kind", "said", "expected"),
    [
        (lambda: Position(4), "place", "Place an assistant at the Bank", ["area:{bank}"]),
        (lambda: Position(4), "move", "Place no assistant and go on to the move", ["button:move"]),
        (walking, "recall", "Recall the president", ["president:0", "area:{employment_agency}"]),
        (church, "worship", "Put an assistant from the Church on church space 1 (4 faith): 4 points and ¥1",
         ["church:0", "area:{church}"]),
        (church, "worship", "Put an assistant from your hand on church space 1 (4 faith): 4 points and ¥1",
         ["church:0", "hand:0", "area:{church}"]),
        (church, "donate", "Donate ¥2 and reach 6 faith", ["donation:5", "desk:0:yen", "area:{church}"]),
        (lambda: Position(4).acting("chinatown", 2), "exchange", "Sell one tea for ¥1",
         ["trade:5", "area:{chinatown}"]),
        (lambda: Position(4).acting("chinatown", 2), "done", "Do nothing at Chinatown", ["button:done"]),
        (lambda: Position(4).acting("employment_agency", 3), "hire", "Take an assistant from the warehouse",
         ["warehouse:0:0", "area:{employment_agency}"]),
        (lambda: Position(4).player(0, agents=(1,)).assistants(0, bank=2), "agent", "Send an agent to the Bank",
         ["area:{bank}", "desk:0:agents"]),
    ],
)  # fmt: skip
def test_a_choice_is_drawn_on_its_own_element_and_meant_by_the_whole_area(
    position: Callable[[], Position], kind: str, said: str, expected: list[str]
) -> None:
    x = position()
    cells = {GAME.view(x.s, 0, {})["areas"][cell]["id"]: cell for cell in range(len(x.s.cells))}
    choice = offered(x, kind)[said]
    assert list(OFFER.targets(x.s, choice.actions)) == [each.format(**cells) for each in expected]


def test_starting_orders_are_told_apart_and_their_worth_stands_on_them() -> None:
    x = Position(2)
    match = type(x.match)(GAME, {"start": 0}, 2, b"keep")
    for _ in match.settle():
        pass
    x.match = match
    assert x.s.stage == KEEP and now(x) == "Keep one of your two starting orders."
    found = offered(x, "keep")
    assert list(found) == [
        "Keep the British order (1 copper, 1 silk, 1 tea)",
        "Keep the American order (1 copper, 2 silk, 4 tea)",
    ]
    assert [WORDS.phrase(OFFER.details(x.s, each.actions, {}), []) for each in found.values()] == [
        "Keep the left starting order",
        "Keep the right starting order",
    ], "whoever may not see an order is not told its name"
    slots = x.p().hidden
    for choice, slot in zip(found.values(), slots, strict=True):
        assert OFFER.targets(x.s, choice.actions) == (f"hidden:{slot}",)
        assert figures(x, choice)["worth"][1:] == (0, f"hidden:{slot}")


# Figures


def test_an_area_shows_power_yield_fee_and_income_before_the_move() -> None:
    x = Position(4).lay(F4).player(0, yen=4).owns(0, "postal_system")
    mill = x.cell("silk_mill_1")
    x.assistants(0, silk_mill_1=2).president(0, None).president(1, "silk_mill_1").moving()
    x.set(houses=tuple(2 if cell == mill else NONE for cell in range(len(x.s.cells))))
    choice = offered(x, "move")["Bring the president to Silk Mill 1 for ¥1"]
    here = f"area:{mill}"
    assert figures(x, choice) == {
        "fee": (1, 1, here),
        "power": (3, 0, here),
        "income": (1, 2, here),
        "silk": (2, 0, here),
    }


def test_placing_shows_the_power_that_the_president_would_have() -> None:
    x = Position(4).assistants(0, bank=1)
    found = offered(x, "place")
    assert figures(x, found["Place an assistant at the Bank"])["power"][0] == 3
    assert figures(x, found["Place an assistant at the Church"])["power"][0] == 2


def test_an_area_that_asks_more_shows_what_its_power_allows() -> None:
    x = Position(4).assistants(0, church=2, chinatown=1, customs_house=3).president(0, None).moving()
    found = offered(x, "move")
    assert figures(x, found["Bring the president to the Church"])["faith"][0] == 3
    assert figures(x, found["Bring the president to Chinatown"])["exchanges"][0] == 2


def test_an_order_shows_points_with_those_of_technologies() -> None:
    x = Position(4).owns(0, "ball", "language_school").player(0, goods=(3, 3, 5, 5), orders=(order("order_04"),))
    found = offered(x, "fulfil")
    said = "Fulfil the French order (2 tea, 3 fish): 9 points, ¥1 and an agent"
    assert said in found, list(found)
    shown = figures(x, found[said])
    assert (shown["points"], shown["pay_tea"][0], shown["agents"][0]) == ((9, 0, f"order:{order('order_04')}"), 2, 1)


def test_the_last_turn_shows_the_points_of_the_result() -> None:
    x = Position(2, max_rounds=1)
    x.set(active=1, stage=PHASE_C)
    end = offered(x, "end")["End the turn"]
    foreseen = {figure.seat: figure.amount for figure in OFFER.foresee(x.s, end.actions, {}) if figure.id == "points"}
    before = GAME.points(x.s)
    x.do("end")
    result = x.match.result
    assert result is not None and GAME.points(x.s) == result.scores
    assert tuple(before[seat] + foreseen.get(seat, 0) for seat in (0, 1)) == result.scores


# Reasons


def choosing() -> Position:
    return rewarded(any_good=2)


@pytest.mark.parametrize(
    ("position", "kind", "reason"),
    [
        (lambda: Position(4).hand(0, 0), "place",
         "you have no assistant in hand: take some back, or hire them at the Employment Agency"),
        (lambda: Position(4), "recall", "a recall comes in place of the move: go on to the move first"),
        (lambda: Position(4), "agent", "you have no unused agent"),
        (lambda: Position(4).player(0, agents=(1,)), "agent",
         "an agent acts in an area with your assistants but without your president"),
        (lambda: Position(4).set(agent_used=1), "agent", "an agent was used this turn already"),
        (lambda: Position(4).player(0, hidden=()), "fulfil", "you have no order in hand: take one at a port"),
        (lambda: Position(4).player(0, goods=(0, 0, 0, 0)), "fulfil", "you lack the goods for the orders in your hand"),
        (lambda: Position(4), "claim", "you have reached none of the achievements that are left to you"),
        (lambda: Position(4).hand(0, 0), "claim", "you have no assistant in hand to put there"),
        (lambda: Position(4).set(claims=((0,), (0,), (0,))), "claim", "you have claimed every achievement"),
        (lambda: Position(4), "end", "move your president, or recall it, before you end the turn"),
        (lambda: Position(4).moving(), "place", "move or recall your president now"),
        (lambda: Position(4).moving(), "move",
         "there is no area with your assistants for your president: recall some of them"),
        (lambda: Position(4).president(0, "bank").moving(), "move",
         "your president can reach no area with your assistants: recall it"),
        (lambda: Position(4).acting("chinatown", 2), "end", "carry out the action of the area now"),
        (choosing, "claim", "choose a good first"),
        (lambda: Position(4, placement_zero=False), "move", "you must place at least one assistant"),
        (lambda: Position(4), "worship", reasons.NOT_NOW),
    ],
)  # fmt: skip
def test_a_button_without_a_choice_says_why(position: Callable[[], Position], kind: str, reason: str) -> None:
    x = position()
    assert OFFER.why_none(x.s, kind, known(x)) == reason
    assert not offered(x, kind)


# What is asked


def test_what_is_asked_says_how_much_is_left() -> None:
    x = Position(4).placing()
    assert now(x) == "Place up to 3 assistants, or move your president."
    x.do("place bank")
    assert now(x) == "Place up to 2 more assistants, or move your president."
    assert now(x, you=1) == "Anna places assistants."
    assert now(Position(4).acting("chinatown", 3)) == "Chinatown: 3 exchanges left."
    assert now(choosing()) == "Choose 2 goods."
    assert now(choosing(), you=2) == "Anna chooses 2 goods."


# Travels


@pytest.mark.parametrize(
    ("event", "travel"),
    [
        (lambda x: e.AssistantPlaced(0, x.s.cells[3]), Travel("assistant", "desk:0:hand", "area:3", 0)),
        (lambda x: e.PresidentMoved(0, "walk", x.s.cells[4]), Travel("president", "area:3", "area:4", 0)),
        (lambda x: e.PresidentMoved(1, "deploy", x.s.cells[4]), Travel("president", "desk:1:president", "area:4", 1)),
        (lambda x: e.PresidentRecalled(0), Travel("president", "area:3", "desk:0:president", 0)),
        (lambda x: e.AssistantsReturned(0, x.s.cells[3], 2), Travel("assistant", "area:3", "desk:0:hand", 0, 2)),
        (lambda x: e.FeePaid(0, 2, 1), Travel("yen", "desk:0:yen", "desk:2:yen", 0)),
        (lambda x: e.Gained(1, 3, "tea"), Travel("tea", "", "desk:1:tea", 1, 3)),
        (lambda x: e.Scored(1, 5, "orders"), Travel("points", "", "points:1", 1, 5)),
        (lambda x: e.ShopBuilt(0, x.s.cells[3], 1), Travel("shop", "desk:0:hand", "shop:3:1", 0)),
        (lambda x: e.Hired(0, 2), Travel("trading_house", "desk:0:warehouse:2", "desk:0:hand", 0)),
        (lambda x: e.AgentGained(0, 2), Travel("agent", "agents:uk", "desk:0:agents", 0)),
        (
            lambda x: e.AchievementClaimed(0, x.s.achievements[1]),
            Travel("assistant", "desk:0:hand", "achievement:1", 0),
        ),
    ],
)  # fmt: skip
def test_things_travel_between_elements(event: Callable[[Position], e.Event], travel: Travel) -> None:
    x = Position(4, seed=b"travels").player(0, president=3)
    assert OFFER.travels(x.s, event(x)) == (travel,)


def test_what_an_area_gives_comes_from_there() -> None:
    x = Position(4).acting("port_a", 3)
    for event, what in ((e.Scored(0, 2, "orders"), "points"), (e.Gained(0, 3, "tea"), "tea")):
        (travel,) = OFFER.travels(x.s, event)
        assert (travel.what, travel.source) == (what, f"area:{x.cell('port_a')}")


def test_cards_travel_from_the_place_where_they_were_chosen() -> None:
    x = researching("tram", 3, yen=9, imports=9)
    x.set(labs=((tech("tram"), tech("tram"), *(NONE,) * 4), *x.s.labs[1:]))
    travels = OFFER.travels(x.s, e.TechnologyGained(0, tech("tram")))
    assert travels == (Travel("technology", "lab:0:0", "desk:0:technologies", 0),)
    x.do("research 2")
    (second,) = OFFER.travels(x.s, e.TechnologyGained(0, tech("tram")))
    assert second.source == "lab:0:1"
    y = Position(4).acting("port_a", 3)
    (taken,) = OFFER.travels(y.s, e.OrderTaken(0, y.s.ports[0][2]))
    assert taken == Travel("order", "port:0:2", "desk:0:orders", 0)


def test_new_cards_come_from_the_deck_to_the_empty_places() -> None:
    x = Position(4)
    x.set(ports=((*x.s.ports[0][:4], NONE, NONE), *x.s.ports[1:]))
    event = e.OrdersTurned(x.s.cells[x.cell("port_a")], (20, 21))
    assert OFFER.travels(x.s, event) == (
        Travel("order", "deck:orders", "port:0:4"),
        Travel("order", "deck:orders", "port:0:5"),
    )
