"""Worked examples of area actions, orders, buildings and tokens."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kontor_games.engine import view
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.scoring import leftover_points
from kontor_games.engine.games.yokohama.state import NONE

from .position import GAME, Position, T, order, tech, token


def put_token(x: Position, board: str, face: int) -> Position:
    cell = x.cell(board)
    return x.set(fives=tuple(face if i == cell else other for i, other in enumerate(x.s.fives)))


def set_claims(x: Position, achievement: str, claims: tuple[int, ...]) -> Position:
    tile = next(i for i, row in enumerate(T.achievements) if row.id == achievement)
    return x.set(achievements=(tile, *x.s.achievements[1:]), claims=(claims, (), ()))


def test_e07_a_later_claimant_gets_six_points_and_keeps_the_copper() -> None:
    x = set_claims(Position(3), "ach_a_copper", (1, 2)).player(0, goods=(5, 0, 0, 0)).hand(0, 1)
    x.do("claim a_copper")
    assert (x.p().score, x.p().hand[0], x.p().goods[0]) == (6, 0, 5)
    assert x.s.claims[0] == (1, 2, 0)


def test_e07_a_claim_needs_an_assistant_in_hand() -> None:
    x = set_claims(Position(3), "ach_a_copper", ()).player(0, goods=(5, 0, 0, 0)).hand(0, 0)
    assert x.why_not("claim a_copper") == "you have no assistant in hand to put there"


def uk_orders(supply: int) -> Position:
    x = Position(3).player(0, orders=(order("order_05"),), done=(order("order_01"),), goods=(1, 0, 2, 1))
    uk = T.countries.index("uk")
    return x.set(supply=tuple(supply if i == uk else n for i, n in enumerate(x.s.supply)))


def test_e08_a_second_flag_brings_an_agent() -> None:
    x = uk_orders(1)
    x.do("fulfil order_05")
    reward = T.orders[order("order_05") - T.first_order].reward
    assert (x.p().score, x.p().imports) == (reward.points, reward.imports)
    assert x.p().agents == (T.countries.index("uk"),)


def test_e08_without_an_agent_in_supply_the_pair_brings_nothing() -> None:
    x = uk_orders(0)
    x.do("fulfil order_05")
    reward = T.orders[order("order_05") - T.first_order].reward
    assert (x.p().score, x.p().agents) == (reward.points, ())


def church_e14() -> Position:
    x = Position(4).player(0, goods=(1, 1, 0, 0), yen=2).hand(0, 1)
    return x.acting("church", 3)


def test_e14_donations_raise_faith_for_the_third_space() -> None:
    x = church_e14()
    x.do("donate copper", "donate silk", "donate yen")
    assert x.why_not("donate copper") == "you have given that already"
    x.do("worship 3 hand")
    assert (x.p().goods[:2], x.p().yen, x.p().score) == ((0, 0), 0, 5)
    assert x.s.queue[0].what == "move" and x.s.queue[0].a == 2
    assert x.s.church[2] == 0 and x.p().hand[0] == 0


def test_e14_without_enough_faith_the_space_is_refused() -> None:
    assert church_e14().why_not("worship 3 hand") == "that space needs 6 faith, you have 3"


def test_e15_one_import_clears_the_second_space() -> None:
    x = Position(4).player(0, imports=1).acting("customs_house", 2)
    yen = x.p().yen
    x.do("clear 2 area")
    assert (x.p().imports, x.p().score, x.p().yen) == (0, 4, yen + 2)


def test_e15_more_power_than_imports_is_legal_and_less_is_not() -> None:
    assert Position(4).player(0, imports=1).acting("customs_house", 3).why_not("clear 2 area") is None
    x = Position(4).player(0, imports=2).acting("customs_house", 2)
    assert x.why_not("clear 3 area") == "that space needs 2 imports, your power lets you pay 1"


def lab_e16(yen: int, imports: int = 0, **kinds: bool) -> Position:
    x = Position(4).player(0, yen=yen, imports=imports)
    x.owns(0, *kinds)
    lab = list(x.s.labs[0])
    used = set(kinds)
    others = [i for i, card in enumerate(T.technologies) if card.kind not in used | {"tram", "station"}]
    lab = [*others[:2], tech("tram"), *others[2:5]]
    x.set(labs=(tuple(lab), x.s.labs[1]))
    cell = x.cell("laboratory_a")
    x.set(shops=tuple((0, NONE, NONE, NONE) if i == cell else row for i, row in enumerate(x.s.shops)))
    x.assistants(0, laboratory_a=3).president(0, None).moving().do("deploy laboratory_a")
    return x


def test_e16_a_missing_production_point_costs_two_yen_and_the_row_slides() -> None:
    x = lab_e16(yen=2)
    before = x.s.labs[0]
    x.do("research 3")
    assert (x.p().yen, x.p().techs) == (0, (tech("tram"),))
    assert x.s.labs[0][:5] == (*before[:2], *before[3:])
    assert x.s.labs[0][5] != NONE


def test_e16_the_fourth_technology_costs_two_yen_or_an_import_more() -> None:
    three = {"stagecoach": True, "telegraph": True, "winery": True}
    assert lab_e16(yen=2, **three).why_not("research 3") == "you cannot pay for the Tram"
    x = lab_e16(yen=4, **three)
    x.do("research 3")
    assert x.p().yen == 0
    y = lab_e16(yen=2, imports=1, **three)
    y.do("research 3", "pay import")
    assert (y.p().yen, y.p().imports, len(y.p().techs)) == (0, 0, 4)


def port_e17() -> Position:
    x = Position(4).player(0, yen=2, imports=0).acting("port_a", 3)
    assert x.p().hidden and not x.p().orders
    return x


def test_e17_two_orders_of_open_levels_cost_two_yen_and_the_row_slides() -> None:
    x = port_e17()
    before = x.s.ports[0]
    assert x.why_not("take 5") == "that slot needs power 4"
    x.do("take 1", "take 3")
    assert (x.p().yen, x.p().orders) == (0, (before[0], before[2]))
    assert x.s.ports[0][:4] == (before[1], *before[3:])
    assert NONE not in x.s.ports[0]


def test_e17_with_two_orders_in_hand_only_one_may_be_taken() -> None:
    x = port_e17().player(0, orders=(order("order_36"),))
    x.do("take 1")
    assert x.s.stage != "act"
    assert len(x.p().orders) + len(x.p().hidden) == 3


def test_e26_each_purchase_of_copper_is_enlarged_in_chinatown() -> None:
    x = Position(4).owns(0, "mining_technology").player(0, yen=4).acting("chinatown", 3)
    copper = x.p().goods[0]
    x.do("exchange buy_copper", "exchange buy_copper", "exchange sell_copper")
    assert (x.p().goods[0], x.p().yen) == (copper + 3, 2)


def test_e27_the_mine_gives_one_more_only_if_it_gives_any() -> None:
    x = Position(4).owns(0, "mining_technology")
    copper = x.p().goods[0]
    assert x.acting("copper_mine_1", 3).p().goods[0] == copper + 2
    y = Position(4).owns(0, "mining_technology").acting("copper_mine_1", 2)
    assert y.p().goods[0] == copper


@pytest.mark.parametrize(("kinds", "gain"), [((), 2), (("mining_technology",), 3)])
def test_e28_a_token_is_taken_once_and_its_copper_may_be_enlarged(kinds: tuple[str, ...], gain: int) -> None:
    x = put_token(Position(4), "bank", token(copper=2)).owns(0, *kinds).acting("bank", 5)
    copper = x.p().goods[0]
    x.do("token")
    assert (x.p().goods[0], len(x.p().fives), x.s.fives[x.cell("bank")]) == (copper + gain, 1, NONE)
    y = x.set(active=1, stage="move", area=NONE, power=0, queue=()).player(0, president=NONE)
    y.acting("bank", 5)
    assert y.s.stage == "build"


def test_e29_one_building_per_action() -> None:
    x = Position(4).hand(0, 4, shops=1, houses=1).acting("bank", 4)
    assert {"shop 1", "house"} <= set(x.menu())
    x.do("house")
    assert x.s.houses[x.cell("bank")] == 0 and x.s.stage != "build"


def test_e29_a_second_own_shop_on_a_tile_is_refused() -> None:
    x = Position(4).hand(0, 4, shops=1, houses=1)
    cell = x.cell("bank")
    x.set(shops=tuple((0, NONE, NONE, NONE) if i == cell else row for i, row in enumerate(x.s.shops)))
    x.acting("bank", 3)  # the shop makes it 4
    assert x.why_not("shop 2") == "you have a shop on this tile already"


def test_e29_the_lightings_add_points_to_their_buildings() -> None:
    gains = []
    for kinds in ((), ("gas_lighting",)):
        x = Position(4).owns(0, *kinds).acting("bank", 4)
        x.do("shop 1")
        gains.append(x.p().score)
    assert gains[1] - gains[0] == 2
    gains = []
    for kinds in ((), ("electric_lighting",)):
        x = Position(4).owns(0, *kinds).hand(0, 4, shops=0, houses=1).acting("bank", 4)
        x.do("house")
        gains.append(x.p().score)
    assert gains[1] - gains[0] == 3


def test_e30_trading_houses_grow_dearer_and_power_limits_the_pieces() -> None:
    x = Position(4).player(0, yen=9).acting("employment_agency", 4)
    x.do("hire trading_house", "hire trading_house", "hire assistant")
    assert (x.p().yen, x.p().hand[2]) == (0, 2)
    assert x.s.stage != "act"


def test_e31_three_orders_in_hand_bar_every_order_but_not_the_points() -> None:
    x = Position(4).player(0, hidden=(), orders=(order("order_34"), order("order_35"), order("order_36")))
    x.acting("port_a", 5)
    assert x.p().points[7] == 3
    assert x.s.stage != "act"
    y = Position(4).player(0, hidden=(), orders=(order("order_34"), order("order_35"), order("order_36")))
    y.owns(0, "university").acting("port_a", 4)
    assert y.why_not("take 1") == "you have three orders in hand already"


@pytest.mark.parametrize(("yen", "after"), [(0, 2), (1, 2), (2, 2), (3, 3)])
def test_e32_stock_exchange_refills_at_the_start_of_the_turn(yen: int, after: int) -> None:
    x = Position(2).owns(1, "stock_exchange").player(1, yen=yen)
    x.set(stage="phase_c").do("end")
    assert (x.s.active, x.p(1).yen) == (1, after)


def test_e33_patent_system_pays_for_technologies_gained_later() -> None:
    x = Position(4).owns(0, "patent_system").player(0, yen=20)
    x.set(labs=((tech("exhibition"), *x.s.labs[0][1:]), x.s.labs[1])).acting("laboratory_a", 5)
    x.do("research 1")
    assert x.p().points[6] == 12
    y = Position(4).player(0, yen=20)
    y.set(labs=((tech("patent_system"), *y.s.labs[0][1:]), y.s.labs[1])).acting("laboratory_a", 5)
    y.do("research 1")
    assert y.p().points[6] == 0


def mini_1() -> Position:
    x = Position(3, mini_1=True)
    names = ["reward_uk", "reward_free_agent", "reward_france", "reward_usa"]
    x.set(rewards=tuple(i for i, row in enumerate(T.reward_tokens) if row.id in names))
    tiles = ("ach_a_copper", "ach_b_yen", "ach_c_commercial_4")
    chosen = tuple(i for i, row in enumerate(T.achievements) if row.id in tiles)
    return x.set(achievements=chosen, claims=((0,), (0,), ()))


def test_e39_the_third_achievement_lets_choose_a_reward_token_whose_flag_makes_a_pair() -> None:
    x = mini_1()
    for name in ("bank", "church", "customs_house", "port_a"):
        cell = x.cell(name)
        x.set(houses=tuple(0 if i == cell else owner for i, owner in enumerate(x.s.houses)))
    x.player(0, done=(order("order_04"),))  # one French flag
    x.do("claim c_commercial_4")
    assert x.menu() == ["reward usa", "reward uk", "reward france", "reward free_agent"]
    assert x.why_not("end") == "choose a reward token first"
    x.do("reward france")
    assert x.p().agents == (len(T.countries), T.countries.index("france"))  # the token itself, and the pair's
    assert len(x.s.rewards) == 3


def test_e40_a_free_agent_token_works_in_phase_c_and_scores_if_unused() -> None:
    x = Position(4, mini_2=True).owns(0)
    free = next(i for i, row in enumerate(T.tokens) if row.id == "five_free_agent_1")
    put_token(x, "bank", free).hand(0, 4, shops=0).acting("bank", 5)
    x.do("token")
    assert (x.p().unused, x.s.stage) == (1, "phase_c")
    assert leftover_points(T, x.p()) == leftover_points(T, replace(x.p(), used=1)) + 1
    placed = list(x.p().placed)
    placed[x.cell("church")] = 1
    x.player(0, placed=tuple(placed))
    assert x.why_not("agent church") is None
    x.do("agent church")
    assert x.p().unused == 0
    if x.s.stage == "act":
        x.do("done")
    assert x.s.stage == "phase_c" and x.why_not("agent church") == "an agent was used this turn already"


def test_e41_a_hand_is_shown_as_a_number_and_the_log_names_the_cards_taken() -> None:
    x = port_e17()
    events = x.do("take 1", "take 3")
    other = view(GAME, x.s, 1, x.match.known(1))["players"][0]
    assert (other["orders_hand"], other["orders"], other["hidden"]) == (3, None, [])
    assert [event.card for event in events if isinstance(event, e.OrderTaken)] == list(x.p().orders)
    own = view(GAME, x.s, 0, x.match.known(0))["players"][0]
    assert len(own["orders"]) == 2 and own["hidden"][0]["card"]["id"].startswith("order_")
