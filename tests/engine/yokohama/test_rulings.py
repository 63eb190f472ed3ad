"""Every ruling of the rules specification, by its id: what it allows and what it forbids."""

from __future__ import annotations

import pytest

from kontor_games.engine import load
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.rules.queries import flags
from kontor_games.engine.games.yokohama.scoring import board_prizes, result, technology_prizes
from kontor_games.engine.games.yokohama.state import NEUTRAL, NONE, State

from .position import F4, GAME, Position, T, order, tech, token


def entry(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def own_house(x: Position, seat: int, board: str) -> Position:
    return x.set(houses=entry(x.s.houses, x.cell(board), seat))


def own_shop(x: Position, seat: int, board: str) -> Position:
    cell = x.cell(board)
    return x.set(shops=tuple((seat, NONE, NONE, NONE) if i == cell else row for i, row in enumerate(x.s.shops)))


def no_token(x: Position, board: str) -> Position:
    return x.set(fives=entry(x.s.fives, x.cell(board), NONE))


def test_r01_twenty_assistants_play_eight_in_hand_and_twelve_in_the_warehouse() -> None:
    x = Position(3)
    for player in x.s.players:
        assert (player.hand, player.warehouse) == ((8, 2, 0), (12, 6, 4))


def test_r02_a_spread_may_place_nothing_and_a_stack_needs_two() -> None:
    x = Position(3).placing()
    x.do("done")
    assert x.s.stage == "move"
    y = Position(3).placing().hand(0, 1)
    y.do("place bank")
    assert y.why_not("place bank") == "you have no assistant in hand"
    assert y.why_not("done") is None


def test_r02_with_the_switch_off_something_must_be_placed_if_possible() -> None:
    x = Position(3, placement_zero=False).placing()
    assert x.why_not("done") == "you must place at least one assistant"
    assert x.hand(0, 0).why_not("done") is None


def test_r03_each_assistant_pays_each_president_in_the_area() -> None:
    x = Position(4).placing().player(0, yen=4).president(1, "bank").president(2, "bank")
    before = x.p(1).yen, x.p(2).yen
    x.do("place bank", "place bank")
    assert (x.p().yen, x.p(1).yen, x.p(2).yen) == (0, before[0] + 2, before[1] + 2)
    y = Position(4).placing().player(0, yen=3).president(1, "bank").president(2, "bank")
    y.do("place bank")
    assert y.why_not("place bank") == "the presidents there ask ¥2, you have ¥1"


def test_r04_the_canal_needs_no_assistant_and_stagecoach_does_not_waive_its_fee() -> None:
    x = Position(4).lay(F4).moving().owns(0, "stagecoach").player(0, yen=1)
    x.president(0, "copper_mine_1").assistants(0, bank=1)
    assert x.why_not("walk canal") is None
    assert x.player(0, yen=0).why_not("walk canal") == "entering costs ¥1, you have ¥0"
    assert Position(4).placing().why_not("place canal") == "nothing may stand on the canal"


def test_r05_a_walk_enters_no_area_twice_and_never_its_start() -> None:
    x = Position(4).lay(F4).moving().president(0, "silk_mill_1")
    x.assistants(0, silk_mill_1=1, copper_mine_1=1, employment_agency=1, fishing_ground_1=1)
    x.do("walk copper_mine_1")
    assert x.why_not("walk silk_mill_1") == "a walk enters no area twice"
    x.do("walk employment_agency")
    assert x.why_not("walk copper_mine_1") == "a walk enters no area twice"
    assert x.why_not("walk silk_mill_1") == "a walk enters no area twice"


def test_r06_a_recall_is_legal_with_the_president_in_hand() -> None:
    x = Position(3).moving().president(0, None).assistants(0, bank=2)
    hand = x.p().hand[0]
    x.do("recall", "back all")
    assert (x.s.stage, x.p().hand[0]) == ("phase_c", hand + 2)


def test_r06_with_the_switch_off_it_needs_a_president_that_can_go_nowhere() -> None:
    x = Position(3, recall_in_hand=False).moving().president(0, None).assistants(0, bank=1)
    assert x.why_not("recall") == "your president is in hand: deploy it"
    assert x.assistants(0).why_not("recall") is None


def test_r07_a_recall_takes_assistants_from_areas_only() -> None:
    x = Position(3).moving().president(0, "bank").assistants(0, bank=1, church=2)
    x.set(church=(0, *x.s.church[1:]), claims=((0,), (), ()))
    hand = x.p().hand[0]
    x.do("recall", "back church", "back bank", "done")
    assert x.p().hand[0] == hand + 2 and x.p().placed[x.cell("church")] == 1
    assert x.s.church[0] == 0 and x.s.claims[0] == (0,)


def test_r08_tram_and_postal_system_need_an_own_assistant() -> None:
    x = Position(4).moving().owns(0, "tram", "postal_system").president(0, "bank").president(1, "church")
    assert x.why_not("tram church") == "you have no assistant there"
    assert x.president(0, None).why_not("deploy church") == "you have no assistant there"


def test_r09_the_station_move_needs_an_assistant_unless_switched_off() -> None:
    def at_station(**options: bool) -> Position:
        x = Position(3, **options).moving().owns(0, "station").president(0, "bank")
        return x.set(station=x.cell("church"))

    assert at_station().why_not("station") == "you have no assistant at the station"
    assert at_station(station_assistant=False).why_not("station") is None


def gain_station(**options: bool) -> Position:
    x = Position(3, **options).player(0, yen=20)
    x.set(labs=((tech("station"), *x.s.labs[0][1:]), *x.s.labs[1:])).acting("laboratory_a", 5)
    x.do("research 1")
    return x


def test_r10_the_station_token_may_not_be_put_on_the_canal() -> None:
    x = gain_station()
    assert x.why_not("put station canal") == "the station may not stand on the canal"
    x.do("put station bank")
    assert x.s.station == x.cell("bank")
    assert gain_station(station_canal=True).why_not("put station canal") is None


def test_r11_actions_with_a_choice_may_be_declined_and_gains_are_automatic() -> None:
    for board in ("chinatown", "church", "customs_house", "employment_agency", "laboratory_a", "port_a"):
        x = Position(4).player(0, yen=9, imports=4, goods=(2, 2, 2, 2)).acting(board, 3)
        assert x.s.stage == "act" and x.why_not("done") is None, board
        x.do("done")
        assert x.s.stage != "act"
    tea = Position(4)
    before = tea.p().goods[2]
    assert tea.acting("tea_plantation_1", 3).p().goods[2] == before + 3


def test_r12_power_is_fixed_when_the_action_begins() -> None:
    x = no_token(Position(4).player(0, imports=1).hand(0, 0), "customs_house").acting("customs_house", 4)
    x.do("clear 1 area")
    assert (x.s.stage, x.s.power) == ("build", 4)


@pytest.mark.parametrize("agent", [False, True])
def test_r13_a_trading_house_earns_from_every_action_of_others_even_without_effect(agent: bool) -> None:
    x = own_house(Position(4), 1, "copper_mine_1").assistants(0, copper_mine_1=1)
    yen = x.p(1).yen
    if agent:
        x.player(0, agents=(0,)).do("agent copper_mine_1")
    else:
        x.president(0, None).moving().do("deploy copper_mine_1")
    assert x.p(1).yen == yen + 1


def test_r13_the_own_trading_house_pays_nothing() -> None:
    x = own_house(Position(4), 0, "copper_mine_1")
    yen = x.p().yen
    assert x.acting("copper_mine_1", 2).p().yen == yen


def test_r14_each_donation_counts_once_and_eleven_is_the_most() -> None:
    x = Position(4).player(0, goods=(2, 2, 2, 2), imports=2, yen=9).acting("church", 5)
    for what in ("copper", "silk", "tea", "fish", "import", "yen"):
        x.do(f"donate {what}")
        assert x.why_not(f"donate {what}") == "you have given that already"
    assert x.why_not("done") == "you have donated: choose a space"
    x.do("worship 8 area")
    assert x.p().points[1] == 11


def test_r15_power_limits_the_imports_and_fewer_may_be_paid_unless_switched_off() -> None:
    assert Position(4).player(0, imports=3).acting("customs_house", 4).why_not("clear 1 area") is None
    x = Position(4, customs_up_to=False).player(0, imports=3).acting("customs_house", 4)
    assert x.why_not("clear 1 area") == "that space needs 1 import, your power lets you pay 3"
    assert x.why_not("clear 6 area") is None


def test_r16_a_space_takes_exactly_its_number_of_imports() -> None:
    x = Position(4).player(0, imports=4).acting("customs_house", 5)
    x.do("clear 3 hand")
    assert x.p().imports == 2
    y = Position(4).player(0, imports=1).acting("customs_house", 5)
    assert y.why_not("clear 3 hand") == "that space needs 2 imports, you have 1"


def test_r17_the_port_points_at_power_five_need_no_card_unless_switched_on() -> None:
    x = Position(4).acting("port_a", 5)
    x.do("done")
    assert x.p().points[7] == 3
    y = Position(4, port_bonus_card=True).player(0, yen=0).acting("port_a", 5)
    assert y.p().points[7] == 0
    y.do("take 1")
    assert y.p().points[7] == 3
    z = Position(4, port_bonus_card=True).acting("port_a", 5)
    z.do("done")
    assert z.p().points[7] == 0


def test_r18_two_orders_come_from_the_board_before_it_slides() -> None:
    x = Position(4).player(0, imports=1, yen=0).acting("port_a", 2)
    first, second = x.s.ports[0][:2]
    x.do("take 1")
    assert x.why_not("take 1") == "there is no card"
    assert x.why_not("take 3") == "that slot needs power 3"
    x.do("take 2")
    assert x.p().orders == (first, second) and x.p().imports == 0


def test_r19_payment_for_a_technology_is_exact_in_any_mix() -> None:
    x = Position(4).player(0, yen=4, imports=2)
    x.set(labs=((tech("ball"), *x.s.labs[0][1:]), x.s.labs[1])).acting("laboratory_a", 3)
    x.do("research 1", "pay yen")
    assert x.s.due == 2
    x.do("pay import", "pay yen")
    assert (x.p().yen, x.p().imports, x.p().techs) == (0, 1, (tech("ball"),))


def test_r19_surplus_power_is_lost() -> None:
    x = Position(4).player(0, yen=3)
    x.set(labs=((tech("letterpress"), *x.s.labs[0][1:]), x.s.labs[1])).acting("laboratory_a", 5)
    x.do("research 1")
    assert (x.p().yen, x.p().techs) == (3, (tech("letterpress"),))


def test_r20_the_fourth_symbol_brings_a_second_agent_and_the_third_none() -> None:
    uk = ["order_01", "order_05", "order_09"]
    x = Position(4).player(0, done=tuple(order(name) for name in uk[:2]), goods=(9, 9, 9, 9))
    x.player(0, orders=(order("order_09"), order("order_13")))
    x.do("fulfil order_09")
    assert x.p().agents == ()
    x.do("fulfil order_13")
    assert x.p().agents == (T.countries.index("uk"),)


def with_achievement(x: Position, name: str) -> Position:
    tile = next(i for i, row in enumerate(T.achievements) if row.id == name)
    return x.set(achievements=(tile, *x.s.achievements[1:]))


def test_r21_used_agents_count_as_tokens() -> None:
    x = with_achievement(Position(4), "ach_b_tokens").player(0, agents=(0, 1, 2), used=3, fives=(0,))
    assert x.why_not("claim b_tokens") == "you have 4 of 5"
    x.player(0, fives=(0, 1)).do("claim b_tokens")
    assert x.p().points[5] == 12


def test_r21_two_boards_of_a_kind_are_two_areas_and_an_area_counts_once() -> None:
    x = with_achievement(Position(4), "ach_c_production_4")
    for board in ("copper_mine_1", "copper_mine_2", "silk_mill_1"):
        own_house(x, 0, board)
    own_shop(x, 0, "copper_mine_1")
    assert x.why_not("claim c_production_4") == "you have 3 of 4"
    own_house(x, 0, "silk_mill_2")
    assert x.why_not("claim c_production_4") is None


def test_r22_any_good_taken_as_copper_is_enlarged_once_per_reward() -> None:
    x = Position(4).owns(0, "mining_technology")
    x.set(fives=entry(x.s.fives, x.cell("bank"), token(any_good=2))).acting("bank", 5)
    copper = x.p().goods[0]
    x.do("token", "good copper", "good copper")
    assert x.p().goods[0] == copper + 3


def test_r23_spinning_mill_and_university_work_once_at_any_free_decision() -> None:
    for stage in ("phase_a", "place", "move", "phase_c"):
        x = Position(4).owns(0, "spinning_mill", "university").set(stage=stage)
        yen, hand = x.p().yen, x.p().hand[0]
        x.do("mill", "university")
        assert (x.p().yen, x.p().hand[0], x.p().goods[1]) == (yen + 2 - 1, hand + 1, 0), stage
        assert x.why_not("mill") == "the Spinning Mill was used this turn"
        assert x.why_not("university") == "the University was used this turn"


def test_r23_they_wait_while_something_is_pending_or_begun() -> None:
    x = Position(4).owns(0, "spinning_mill").placing()
    x.do("place bank")
    assert x.why_not("mill") == "finish the decision you have begun first"
    y = Position(4).owns(0, "spinning_mill")
    y.set(fives=entry(y.s.fives, y.cell("bank"), token(any_good=2))).acting("bank", 5)
    y.do("token")
    assert y.why_not("mill") == "choose a good first"


def test_r24_neutral_assistants_are_ignored_in_majorities_unless_switched_on() -> None:
    for on, prizes in ((False, [6, 0]), (True, [3, 0])):
        x = Position(2, neutral_score=on)
        board = entry(x.s.church, 0, 0)
        assert board.count(NEUTRAL) == 2
        assert board_prizes(x.s, board, T.scoring.church) == prizes


def test_r25_a_sole_participant_gets_the_first_prize_only() -> None:
    x = Position(3).owns(1, "tram")
    assert technology_prizes(T, x.s) == [0, 10, 0]
    assert board_prizes(x.s, (1, NONE), T.scoring.church) == [0, 6, 0]


def test_r26_a_reward_token_comes_with_the_third_achievement_only() -> None:
    x = with_achievement(Position(3, mini_1=True), "ach_a_copper").player(0, goods=(5, 0, 0, 0))
    assert len(x.s.rewards) == 4
    x.set(claims=((), (0,), ())).do("claim a_copper")
    assert x.s.stage == "phase_a" and not x.s.queue
    y = with_achievement(Position(3, mini_1=True), "ach_a_copper").player(0, goods=(5, 0, 0, 0))
    y.set(claims=((), (0,), (0,))).do("claim a_copper")
    assert y.s.queue[0].what == "reward"
    assert not Position(3).s.rewards


@pytest.mark.parametrize("token", range(len(T.reward_tokens)))
def test_r26_every_reward_token_can_be_used_as_an_agent_and_a_flag_counts_besides(token: int) -> None:
    row = T.reward_tokens[token]
    x = with_achievement(Position(3, mini_1=True), "ach_a_copper").player(0, goods=(5, 0, 0, 0))
    x.set(claims=((), (0,), (0,)), rewards=(token,)).do("claim a_copper", f"reward {row.id.removeprefix('reward_')}")
    assert x.p().unused == 1 and x.p().reward == token
    assert x.p().agents == (len(T.countries),)
    assert sum(flags(T, x.p())) == (row.country >= 0)


def test_r26_the_first_version_let_only_the_token_without_a_flag_be_used() -> None:
    tokens = [load("yokohama", rules).view(_rewarded(rules), 0, {})["rewards"] for rules in (1, 2)]
    usable = [[bool(token["free_agent"]) for token in each] for each in tokens]
    assert usable == [[not token["country"] for token in tokens[0]], [True] * len(tokens[1])]


def _rewarded(rules: int) -> State:
    return load("yokohama", rules).begin({"mini_1": True}, 3, bytes(32))


def test_r27_free_agents_share_the_limit_and_have_no_country() -> None:
    x = Position(4).player(0, agents=(len(T.countries), 0)).assistants(0, bank=1, church=1)
    x.do("agent bank")
    assert x.why_not("agent church") == "an agent was used this turn already"


def test_r28_warehouse_and_moves_may_be_declined_but_not_postponed() -> None:
    x = Position(4).player(0, yen=2)
    x.set(fives=entry(x.s.fives, x.cell("bank"), token(warehouse=2))).hand(0, 4, shops=0).acting("bank", 5)
    yen = x.p().yen
    x.do("token", "hire shop")
    assert (x.p().yen, x.p().hand[1]) == (yen - 2, 1)
    assert x.why_not("end") == "take pieces from the warehouse first, or say that you are done"
    x.do("done")
    assert not x.s.queue
    y = Position(4)
    y.set(fives=entry(y.s.fives, y.cell("bank"), token(move=3))).hand(0, 1, shops=0).acting("bank", 5)
    y.do("token", "lift hand", "drop church", "lift church")
    assert y.why_not("drop church") == "it stands there already"
    assert y.why_not("drop canal") == "nothing may stand on the canal"
    assert y.why_not("done") == "put the lifted assistant down first"
    y.do("drop port_a", "done")
    assert y.p().placed[y.cell("port_a")] == 1


def test_r29_reward_components_come_in_the_order_of_the_table() -> None:
    x = Position(4).player(0, goods=(9, 9, 9, 9), orders=(order("order_35"),))
    events = x.do("fulfil order_35")
    kinds = [getattr(event, "what", "points") for event in events if isinstance(event, e.Gained | e.Scored)]
    assert kinds == ["points", "yen", "import"]


def test_r30_the_end_is_tested_at_the_end_of_each_turn() -> None:
    x = Position(3).set(stage="phase_c", short=1)
    assert x.s.ending == ""
    x.do("end")
    assert x.s.ending == "port"


def test_r31_the_card_taken_is_named_once_and_the_hand_is_a_number() -> None:
    x = Position(4).player(0, yen=0).acting("port_a", 4)
    face = x.s.ports[0][0]
    events = x.do("take 1")
    assert e.OrderTaken(0, face) in events
    for seat in (1, None):
        shown = GAME.view(x.s, seat, {})["players"][0]
        assert (shown["orders_hand"], shown["orders"], shown["hidden"]) == (2, None, [])


def test_r32_the_start_player_is_an_option_or_random() -> None:
    assert Position(3).s.start == 0
    from kontor_games.engine import LocalMatch

    starts = {LocalMatch(GAME, {}, 3, bytes([i])).state.start for i in range(30)}
    assert starts == {0, 1, 2}
    chosen = LocalMatch(GAME, {"start": 2}, 3, b"x").state
    assert chosen.start == 2 and [player.yen for player in chosen.players] == [4, 4, 3]


def test_r33_newspaper_leaves_stacks_alone_and_telegraph_leaves_spreads_alone() -> None:
    x = Position(4).placing().owns(0, "newspaper")
    x.do("place bank", "place bank")
    assert x.s.stage == "move"
    y = Position(4).placing().owns(0, "telegraph")
    y.do("place bank", "place church", "place port_a")
    assert y.s.stage == "move"
    z = Position(4).owns(0, "telephone").assistants(0, bank=2).player(0, agents=(0,))
    z.do("agent bank")
    assert z.s.stage == "recover"


def test_r34_the_price_of_a_trading_house_counts_those_already_taken() -> None:
    x = Position(4).player(0, yen=20, warehouse=(12, 6, 2)).acting("employment_agency", 2)
    x.do("hire trading_house")
    assert x.p().yen == 14


def test_r35_the_a_tiles_ask_seven_tea_seven_fish_six_silk_five_copper() -> None:
    need = {T.goods[row.good]: row.count for row in T.achievements if row.type == "goods"}
    assert need == {"tea": 7, "fish": 7, "silk": 6, "copper": 5}


def test_r36_building_stays_optional_for_an_agent() -> None:
    x = no_token(Position(4), "bank").assistants(0, bank=4).player(0, agents=(0,))
    x.do("agent bank")
    assert x.s.stage == "build" and x.why_not("done") is None
    x.do("done")
    assert x.s.stage == "phase_a"


def test_r37_who_has_nothing_takes_no_second_prize() -> None:
    x = Position(4).owns(2, "tram").set(church=(2, *(NONE,) * 7), stage="over", ending="church")
    final = result(T, x.s)
    assert final is not None
    table = dict(final.breakdown)
    assert table["technology_majority"] == (0, 0, 10, 0)
    assert table["church_majority"] == (0, 0, 6, 0)
