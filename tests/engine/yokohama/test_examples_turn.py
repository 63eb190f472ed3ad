"""Worked examples of placement, movement, technologies on the move, and recovery."""

from __future__ import annotations

from kontor_games.engine.games.yokohama.state import NONE

from .position import F4, Position, token


def f4() -> Position:
    return Position(4).lay(F4)


def example_e01() -> Position:
    x = f4().placing().player(0, yen=1).hand(0, 3)
    return x.president(1, "employment_agency").president(2, "laboratory_a").president(3, "laboratory_a")


def test_e01_a_placement_is_refused_when_its_fees_exceed_the_money() -> None:
    x = example_e01()
    x.do("place copper_mine_1", "place employment_agency")
    assert x.p().yen == 0
    assert x.why_not("place laboratory_a") == "the presidents there ask ¥2, you have ¥0"


def test_e01_a_placement_with_one_fee_pays_that_president() -> None:
    x = example_e01()
    before = x.p(1).yen
    x.do("place copper_mine_1", "place employment_agency", "place silk_mill_1")
    assert (x.p().yen, x.p(1).yen) == (0, before + 1)
    assert [x.p().placed[x.cell(b)] for b in ("copper_mine_1", "employment_agency", "silk_mill_1")] == [1, 1, 1]
    assert x.s.stage == "move"


def example_e02(yen: int = 1) -> Position:
    x = f4().moving().player(0, yen=yen).president(0, "fishing_ground_1").president(1, "employment_agency")
    return x.assistants(0, employment_agency=1, silk_mill_1=1)


def test_e02_a_walk_needs_an_assistant_in_every_area() -> None:
    assert example_e02().why_not("walk laboratory_a") == "you have no assistant there"


def test_e02_a_walk_may_pass_a_president_but_not_stop_there() -> None:
    x = example_e02()
    before = x.p(1).yen
    x.do("walk employment_agency")
    assert x.why_not("done") == "another president is there"
    x.do("walk silk_mill_1")
    assert (x.p().yen, x.p(1).yen, x.p().president) == (0, before + 1, x.cell("silk_mill_1"))


def test_e03_without_a_way_out_only_a_recall_is_legal() -> None:
    x = example_e02(yen=0)
    assert x.menu() == ["recall"]
    hand = x.p().hand[0]
    x.do("recall", "back employment_agency", "done")
    assert (x.p().president, x.p().hand[0], x.s.stage) == (NONE, hand + 1, "phase_c")
    assert x.p().placed[x.cell("silk_mill_1")] == 1


def example_e04() -> Position:
    x = f4()
    silk = x.cell("silk_mill_1")
    x.set(shops=tuple((0, NONE, NONE, NONE) if i == silk else row for i, row in enumerate(x.s.shops)))
    return x.assistants(0, silk_mill_1=3).president(0, None).moving()


def test_e04_power_counts_president_assistants_and_shop_and_gives_four_silk() -> None:
    x = example_e04()
    silk = x.cell("silk_mill_1")
    x.set(houses=tuple(1 if i == silk else owner for i, owner in enumerate(x.s.houses)))
    before, yen = x.p().goods[1], x.p(1).yen
    x.do("deploy silk_mill_1")
    assert x.s.power == 5
    assert (x.p().goods[1], x.p(1).yen) == (before + 4, yen + 1)


def test_e05_recovery_returns_the_assistants_and_leaves_the_president() -> None:
    x = example_e04()
    hand = x.p().hand[0]
    x.set(fives=tuple(token(yen=5) if i == x.cell("silk_mill_1") else f for i, f in enumerate(x.s.fives)))
    x.player(0, hand=(hand, 0, 1))  # a trading house can be built, a second shop cannot
    x.do("deploy silk_mill_1", "done", "done")
    assert (x.p().hand[0], x.p().president, x.s.stage) == (hand + 3, x.cell("silk_mill_1"), "phase_c")


def test_e06_an_agent_acts_without_the_president_once_per_turn() -> None:
    x = f4().assistants(0, copper_mine_1=2, bank=1).player(0, agents=(2, 2), used=0)
    mine = x.cell("copper_mine_1")
    x.set(houses=tuple(0 if i == mine else owner for i, owner in enumerate(x.s.houses)))
    hand, copper = x.p().hand[0], x.p().goods[0]
    x.do("agent copper_mine_1")
    assert (x.p().goods[0], x.p().hand[0], x.p().used) == (copper + 1, hand + 2, 1)
    assert x.s.stage == "phase_a"
    assert x.why_not("agent bank") == "an agent was used this turn already"
    x.do("end", "done", "recall", "done")
    assert x.s.stage == "phase_c"
    assert x.why_not("agent bank") == "an agent was used this turn already"


def test_e06_an_agent_cannot_act_where_the_own_president_stands() -> None:
    x = f4().assistants(0, bank=1).president(0, "bank").player(0, agents=(2,))
    assert x.why_not("agent bank") == "your president is there"


def test_e18_telegraph_adds_one_assistant_next_to_a_stack() -> None:
    x = f4().placing().owns(0, "telegraph").hand(0, 3)
    x.do("place silk_mill_1", "place silk_mill_1")
    assert x.why_not("place bank") == "the extra assistant goes next to the two you placed"
    assert x.why_not("place canal") == "nothing may stand on the canal"
    x.do("place copper_mine_1")
    assert (x.s.stage, x.p().placed[x.cell("silk_mill_1")], x.p().placed[x.cell("copper_mine_1")]) == ("move", 2, 1)


def test_e18_without_telegraph_a_stack_ends_the_placement() -> None:
    x = f4().placing()
    x.do("place silk_mill_1", "place silk_mill_1")
    assert x.s.stage == "move"


def test_e19_both_assistants_of_a_stack_pay_the_president() -> None:
    x = f4().placing().player(0, yen=2).president(1, "bank")
    before = x.p(1).yen
    x.do("place bank", "place bank")
    assert (x.p().yen, x.p(1).yen) == (0, before + 2)


def test_e20_newspaper_allows_four_areas_and_not_five() -> None:
    x = f4().placing().owns(0, "newspaper")
    x.do("place bank", "place silk_mill_1", "place copper_mine_1")
    assert x.s.stage == "place"
    x.do("place laboratory_a")
    assert (x.s.stage, sum(x.p().placed)) == ("move", 4)


def test_e20_without_newspaper_three_areas_are_the_limit() -> None:
    x = f4().placing()
    x.do("place bank", "place silk_mill_1", "place copper_mine_1")
    assert (x.s.stage, sum(x.p().placed)) == ("move", 3)


def example_e21() -> Position:
    return f4().moving().player(0, yen=1).president(0, "copper_mine_1").assistants(0, bank=1)


def test_e21_the_canal_costs_one_yen_and_is_no_end() -> None:
    x = example_e21()
    x.do("walk canal")
    assert (x.p().yen, x.menu()) == (0, ["walk bank"])
    assert x.why_not("done") == "nobody may stop on the canal"
    x.do("walk bank")
    assert x.p().president == x.cell("bank")


def test_e21_the_direct_way_is_free() -> None:
    x = example_e21()
    x.do("walk bank")
    assert x.p().president == x.cell("bank")
    assert x.p().yen == 1 + 2  # the bank at power 2


def test_e21_the_canal_cannot_be_entered_without_a_way_on() -> None:
    x = example_e21().assistants(0, fishing_ground_1=1)
    assert x.why_not("walk canal") == "nobody may stop on the canal"


def test_e22_stagecoach_waives_the_fee_but_not_the_occupied_end() -> None:
    x = example_e02(yen=0).owns(0, "stagecoach")
    x.do("walk employment_agency")
    assert x.why_not("done") == "another president is there"
    x.do("walk silk_mill_1")
    assert x.p().yen == 0


def test_e23_postal_system_ends_on_an_occupied_area_for_a_fee() -> None:
    x = example_e02(yen=1).owns(0, "postal_system")
    before = x.p(1).yen
    x.do("walk employment_agency", "done")
    assert (x.p(1).yen, x.p().yen, x.p().president) == (before + 1, 0, x.cell("employment_agency"))
    assert x.s.stage == "act"


def test_e23_postal_system_without_money_is_refused() -> None:
    x = example_e02(yen=0).owns(0, "postal_system")
    assert x.why_not("walk employment_agency") == "entering costs ¥1, you have ¥0"


def test_e23_postal_system_with_stagecoach_needs_no_money() -> None:
    x = example_e02(yen=0).owns(0, "postal_system", "stagecoach")
    x.do("walk employment_agency", "done")
    assert x.p().president == x.cell("employment_agency")


def test_e24_tram_with_postal_system_pays_every_president_at_the_end() -> None:
    x = f4().moving().owns(0, "tram", "postal_system").player(0, yen=2).president(0, "fishing_ground_1")
    x.assistants(0, bank=1).president(1, "bank").president(2, "bank")
    before = x.p(1).yen, x.p(2).yen
    x.do("tram bank")
    assert (x.p(1).yen, x.p(2).yen) == (before[0] + 1, before[1] + 1)
    assert x.p().yen == 0 + 2  # the bank at power 2


def test_e24_tram_alone_may_not_end_on_an_occupied_area() -> None:
    x = f4().moving().owns(0, "tram").president(0, "fishing_ground_1").assistants(0, bank=1).president(1, "bank")
    assert x.why_not("tram bank") == "another president is there"


def example_e25() -> Position:
    x = Position(4).moving().owns(0, "station").president(0, None).president(1, "church").assistants(0, church=1)
    return x.set(station=x.cell("church"))


def test_e25_the_station_is_reached_free_and_adds_power() -> None:
    x = example_e25()
    before = x.p(1).yen
    x.do("station")
    assert (x.s.power, x.p(1).yen) == (3, before)


def test_e25_the_station_needs_an_own_assistant() -> None:
    x = example_e25().assistants(0)
    assert x.why_not("station") == "you have no assistant at the station"


def test_e25_the_station_strengthens_everybody() -> None:
    x = example_e25().set(active=1).president(1, None).assistants(1, church=1)
    x.do("deploy church")
    assert x.s.power == 3


def test_e34_telephone_lets_one_assistant_stay() -> None:
    x = f4().owns(0, "telephone").assistants(0, bank=3).president(0, None).moving().hand(0, 0, shops=0)
    x.do("deploy bank", "recover 1")
    assert (x.p().hand[0], x.p().placed[x.cell("bank")]) == (2, 1)


def test_e34_without_telephone_nobody_stays() -> None:
    x = f4().assistants(0, bank=3).president(0, None).moving().hand(0, 0, shops=0)
    x.do("deploy bank")
    assert (x.p().hand[0], x.s.stage) == (3, "phase_c")
