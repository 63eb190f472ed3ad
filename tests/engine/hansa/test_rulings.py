"""The rulings R1 … R40, each by its number (R31–R33 and R37 are in test_scoring.py)."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine import ConfigError
from kontor_games.engine.core.chance import Mix
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import (
    BANK,
    BOARD_AT,
    BOARDS,
    DATA,
    DOUBLE_RETURN,
    FREE_RELOCATION,
    MARKERS,
    MISSIONS,
    PLUS_3,
    SWAP_OFFICES,
    VALUES,
)
from kontor_games.engine.games.hansa.position import destinations, permit_for
from kontor_games.engine.games.hansa.state import Bonus, Promo, State, change

from .position import (
    city_of,
    full_route,
    levels,
    map_pieces,
    marker,
    menu,
    names_of,
    piece,
    position,
    post,
    refusal,
    route_of,
    say,
    turn_up,
)


def test_r01_the_bank_is_three_five_seven_all() -> None:
    assert VALUES[BANK][:3] == (3, 5, 7) and VALUES[BANK][3] > 27


def test_r02_the_supply_is_face_down() -> None:
    state: State = GAME.begin({}, 4, bytes(32))
    assert len(state.supply) == 12 and not state.desk.faces
    assert engine.view(GAME, state, 0, {})["supply"] == 12


def test_r03_the_black_cube_starts_at_nought() -> None:
    assert all(GAME.begin({"map": board.id}, board.players[0], bytes(32)).completed == 0 for board in BOARDS)


def test_r04_special_prestige_of_the_east_is_konigsberg() -> None:
    assert [city.id for city in BOARD_AT["east"].cities if city.special] == ["konigsberg"]
    state = position("east", posts=full_route("east", "malmo_visby", "0t 0m 0t"), players={0: {"personal": (0, 0)}})
    assert "no special prestige" in refusal(say(state, "claim mal-vis"), "prestige 7")


@pytest.mark.parametrize("raw", DATA["map"], ids=lambda raw: raw["id"])
def test_r05_the_maps_have_the_counted_cities_routes_posts_and_offices(raw: dict[str, object]) -> None:
    board = BOARD_AT[str(raw["id"])]
    assert raw["counts"] == {
        "cities": len(board.cities),
        "routes": len(board.routes),
        "posts": len(board.post_route),
        "ship_posts": sum(board.post_ship),
        "offices": sum(len(city.spaces) for city in board.cities),
    }
    assert len({city.code for city in board.cities}) == len(board.cities)
    assert len(board.taverns) == 3 and all(len(route.ship) in (2, 3, 4) for route in board.routes)


def test_r05b_six_cities_stand_on_three_missions_and_nine_on_one() -> None:
    counts = Counter(city for card in MISSIONS for city in card)
    assert sorted(counts.values()) == [1] * 9 + [3] * 6
    for board in (BOARD_AT["base_45"], BOARD_AT["base_3"]):
        assert set(counts) <= {city.id for city in board.cities}


def test_r06_the_sea_route_from_carlisle_to_chester_is_english() -> None:
    state = position("britannia_45", players={0: {"personal": (2, 1)}})
    route = state.board.routes[route_of(state, "carlisle_chester")]
    assert route.region == state.board.home and route.accepts
    assert "place crl-che:1" in menu(state)


def test_r07_coins_belong_to_office_spaces() -> None:
    coins = {
        board.id: {f"{city.id}:{i}": s.coin for city in board.cities for i, s in enumerate(city.spaces) if s.coin}
        for board in BOARDS
    }
    assert coins["base_45"] == {"groningen:0": 1, "lubeck:0": 1, "coellen:0": 1, "halle:0": 1}
    assert coins["base_3"] == {**coins["base_45"], "stade:0": 1, "warburg:0": 1}
    assert coins["east"] == {"havelberg:0": 1, "magdeburg:0": 1, "thorn:0": 1}
    assert coins["britannia_45"] == coins["britannia_3"] == {"ipswich:0": 2, "bristol:0": 2, "plymouth:1": 2}


def test_r08_permits_follow_the_rightmost_printed_office_and_spare_london() -> None:
    rows = {"cardiff": "1t 0t", "london": "0t"}
    state = position("britannia_45", rows=rows, extras={"cardiff": "1t 1t"})
    wales, scotland = route_of(state, "cardiff_montgomery"), route_of(state, "carlisle_falkirk")
    cardiff, london = city_of(state, "cardiff"), city_of(state, "london")
    assert permit_for(state, 0, wales) == cardiff  # not its controller, and before London
    state = say(state, "place cdf-mon:1", "with trader")
    assert state.permits == (cardiff,) and permit_for(state, 0, wales) == london
    state = say(state, "place crl-fal:1", "with trader")
    assert state.permits == (cardiff, london) and permit_for(state, 0, scotland) < -1
    # an office gained earlier in the same turn helps
    fresh = position("britannia_45", posts=full_route("britannia_45", "canterbury_london", "0t 0t 0t"))
    assert "needs an unused permit" in refusal(fresh, "place cdf-mon:1")
    assert "place cdf-mon:1" in menu(say(fresh, "claim can-lon", "office lon"))


def test_r08_displacing_abroad_needs_a_permit_as_well() -> None:
    posts = {"cardiff_montgomery:0": "1t"}
    assert "permit" in refusal(position("britannia_45", posts=posts), "displace cdf-mon:1")
    state = position("britannia_45", posts=posts, rows={"cardiff": "0t"})
    assert say(state, "displace cdf-mon:1", "with trader", "pay trader").permits == (city_of(state, "cardiff"),)


def test_r09_a_displaced_piece_never_returns_to_its_route() -> None:
    for board in BOARDS:
        for origin, route in enumerate(board.routes):
            own = range(route.first, route.end)
            assert not any(post in own for rings in board.rings for ring in rings[origin] for post in ring)


def test_r10_destinations_go_by_the_shape_of_each_piece() -> None:
    filled = {f"lubeck_wismar:{i}": "2t" for i in range(3)} | {f"waren_wismar:{i}": "2t" for i in range(3)}
    state = position("east", posts={**filled, "malmo_stralsund:2": "2t"})
    origin = route_of(state, "stralsund_wismar")
    assert names_of(state, destinations(state, origin, 1, 1)) == {"malmo_stralsund:0", "malmo_stralsund:1"}
    farther = {name.partition(":")[0] for name in names_of(state, destinations(state, origin, 1, 0))}
    assert "malmo_stralsund" not in farther and farther


def test_r11_a_displacement_without_any_destination_is_illegal() -> None:
    state = position("east")
    crowd = bytearray([piece("2t")] * len(state.posts))
    for index, ship in enumerate(state.board.post_ship):
        crowd[index] = piece("2m") if ship else crowd[index]
    state = replace(state, posts=bytes(crowd))
    assert "nowhere to go" in refusal(state, "displace bre-fra:1")
    assert not any(line.startswith("displace") for line in menu(state))


def test_r12_a_turn_may_end_with_actions_left() -> None:
    after = say(position(), "end")
    assert after.active == 1 and after.actions == 2


def test_r13_income_hires_and_a_move_moves_at_least_one() -> None:
    assert "at least one" in refusal(position(), "hire 0 0")
    lifted = say(position(posts={"halle_quedlinburg:0": "0t"}), "lift hal-que:1")
    assert "must really move" in refusal(lifted, "put hal-que:1")
    two = say(position(posts={"halle_quedlinburg:0": "0t", "halle_quedlinburg:1": "0t"}), "lift hal-que:1")
    two = say(two, "lift hal-que:2", "put hal-que:1")
    assert "must really move" in refusal(two, "put hal-que:2") and "put hal-que:3" in menu(two)


def test_r14_pieces_change_places_even_on_a_full_board() -> None:
    state = position()
    line = bytearray([piece("2t")] * len(state.posts))
    line[0], line[5] = piece("0t"), piece("0m")
    state = replace(state, posts=bytes(line))
    lifts = [text for text in menu(state) if text.startswith("lift")]
    assert len(lifts) == 2
    state = say(state, *lifts)
    assert [text for text in menu(state) if text.startswith("put")] == [lifts[1].replace("lift", "put")]
    after = say(state, lifts[1].replace("lift", "put"), lifts[0].replace("lift", "put"))
    assert after.posts[0] == piece("0m") and after.posts[5] == piece("0t")


def test_r14_a_single_piece_without_a_free_post_cannot_be_lifted() -> None:
    state = position()
    line = bytearray([piece("2t")] * len(state.posts))
    line[0] = piece("0t")
    state = replace(state, posts=bytes(line))
    assert "nowhere to go" in refusal(state, "lift arn-dui:1")


def test_r15_markers_are_used_between_actions_only() -> None:
    state = position(posts={"halle_quedlinburg:0": "0t"}, players={0: {"unused": (PLUS_3,)}}, actions=1)
    assert "first finish moving" in refusal(say(state, "lift hal-que:1"), "use plus_3")
    spent = say(state, "lift hal-que:1", "put ham-lub:1")
    assert spent.actions == 0 and say(spent, "use plus_3").actions == 3  # also after the last action


def test_r16_a_marker_taken_in_a_claim_does_not_serve_in_it() -> None:
    def claim(unused: tuple[int, ...]) -> State:
        state = position(
            rows={"hannover": "1t"},
            posts=full_route("base_45", "bremen_hannover", "0t 0t 0t"),
            markers={"bremen_hannover": "extra_office"},
            players={0: {"unused": unused}},
        )
        return say(state, "claim bre-han")

    assert "before this claim" in refusal(claim(()), "add-office han trader")
    assert "add-office han trader" in menu(claim((0,)))


def test_r17_a_marker_without_a_route_waits_on_the_plate() -> None:
    full = {city.id: " ".join("2m" if s.shape else "2t" for s in city.spaces) for city in BOARD_AT["base_45"].cities}
    state = position(rows=full, players={0: {"plate": (50,)}}, completed=27)
    state = turn_up(say(state, "end"), PLUS_3)
    assert state.active == 1 and state.players[0].waiting == (PLUS_3,)
    later = position(players={0: {"waiting": (PLUS_3,)}})
    assert "marker plus_3_actions arn-dui" in menu(say(later, "end"))


def test_r18_used_markers_are_public() -> None:
    state = position(players={1: {"used": (PLUS_3,)}})
    assert engine.view(GAME, state, 0, {})["players"][1]["used"] == ["plus_3_actions"]


def test_r19_exchanging_offices_pays_no_coin_and_may_concern_two_own_ones() -> None:
    state = position(rows={"coellen": "1t 0t"}, players={0: {"unused": (SWAP_OFFICES,)}})
    after = say(state, "use swap", "swap coe 1")
    assert after.players[0].score == 0 and after.rows[city_of(after, "coellen")] == bytes(map_pieces("0t 1t"))
    own = position(rows={"coellen": "0t 0t"}, players={0: {"unused": (SWAP_OFFICES,)}})
    assert say(own, "use swap", "swap coe 1").players[0].used == (SWAP_OFFICES,)
    foreign = position(rows={"coellen": "1t 2t"}, players={0: {"unused": (SWAP_OFFICES,)}})
    assert "one of them yours" in refusal(foreign, "use swap")


def test_r20_only_offices_by_the_permanent_marker_are_exchanged_in_green_cities() -> None:
    state = position("east", rows={"waren": "0t 1t"}, extras={"waren": "2t"}, players={0: {"unused": (SWAP_OFFICES,)}})
    state = say(state, "use swap")
    assert menu(state) == ["swap war 1"]
    after = say(state, "swap war 1")
    assert after.rows[city_of(after, "waren")] == bytes(map_pieces("1t 0t"))


def test_r21_an_additional_office_neither_completes_a_city_nor_opens_it() -> None:
    state = position(
        rows={"hannover": "1t"},
        posts=full_route("base_45", "bremen_hannover", "0t 0t 0t"),
        players={0: {"unused": (0,)}},
    )
    after = say(state, "claim bre-han", "add-office han trader")
    assert after.completed == 0 and len(after.rows[city_of(after, "hannover")]) == 1


def test_r22_a_permanent_marker_is_used_before_the_game_ends_and_may_end_it() -> None:
    state = position(
        "east", posts=full_route("east", "malmo_visby", "0t 0m 0t"), completed=9, players={0: {"personal": (1, 0)}}
    )
    state = say(state, "claim mal-vis", "done")
    assert GAME.result(state) is None and "green-office dre trader" in menu(state)
    result = GAME.result(say(state, "green-office dre trader"))
    assert result is not None and result.reason == "cities"
    ended = position(
        "east",
        posts=full_route("east", "malmo_visby", "0t 0m 0t"),
        rows={"malmo": "1m"},
        players={1: {"score": 19}},
    )
    ended = say(ended, "claim mal-vis", "done")
    assert ended.ended == "points" and GAME.result(ended) is None and "green-office dre trader" in menu(ended)
    assert (GAME.result(say(ended, "done")) or pytest.fail()).reason == "points"


def test_r23_pieces_may_be_put_back_on_the_claimed_route() -> None:
    posts = full_route("east", "danzig_malmo", "0t 0t 0t 0m")
    state = position("east", posts=posts, players={0: {"general": (0, 0)}})
    state = say(state, "claim dan-mal", "done")
    assert state.players[0].general == (0, 0)  # they wait beside the board
    after = say(state, "extra merchant", "put dan-mal:4", "done")
    assert after.posts[post(after, "danzig_malmo:3")] == piece("0m") and after.players[0].general == (3, 0)
    assert say(state, "done").players[0].general == (3, 1)


def test_r24_two_pieces_for_wales_or_scotland_come_from_the_general_stock_first() -> None:
    state = position(
        "britannia_45",
        posts=full_route("britannia_45", "calais_southampton", "0m 0m 0m"),
        players={0: {"general": (0, 0), "personal": (5, 0)}},
    )
    state = say(state, "claim cal-sou", "done")
    assert menu(state) == ["extra merchant", "done"]  # the merchants of the route, not the traders at hand
    state = say(state, "extra merchant")
    regions = {state.board.routes[state.board.post_route[p]].region for p in range(len(state.posts))}
    assert len(regions) == 3 and "put cdf-mon:1" in menu(state) and "put crl-fal:1" in menu(state)
    assert "cannot go to" in refusal(state, "put lon-oxf:1")
    after = say(state, "put cdf-mon:1", "extra merchant", "put crl-fal:1")
    assert not after.todo and after.permits == ()


def test_r24_with_empty_stocks_the_pieces_come_from_the_board() -> None:
    state = position(
        "britannia_45",
        posts={"london_oxford:0": "0t"},
        players={0: {"general": (0, 0), "personal": (0, 0)}},
        todo=(Bonus(0, 4, 2),),
    )
    assert menu(state) == ["lift lon-oxf:1", "done"]
    after = say(state, "lift lon-oxf:1", "put cdf-mon:1")
    assert not after.posts[post(after, "london_oxford:0")]
    assert not after.todo  # the piece just placed does not serve again


def test_r25_the_sea_marker_moves_one_or_two_pieces_of_anybody() -> None:
    state = position(
        "east",
        posts={**full_route("east", "stralsund_wismar", "0m 0m 0t"), "lubeck_wismar:0": "1t", "dresden_halle:0": "2t"},
    )
    state = say(state, "claim str-wis", "done")
    assert "lift lub-wis:1" in menu(state) and "done" in menu(state)
    one = say(state, "lift lub-wis:1", "put dre-hal:2")
    assert not one.todo and one.posts[post(one, "dresden_halle:1")] == piece("1t")
    two = say(state, "lift lub-wis:1", "lift dre-hal:1", "put dre-hal:1", "put lub-wis:1")
    assert two.posts[post(two, "lubeck_wismar:0")] == piece("2t") and not two.todo


@pytest.mark.parametrize(
    ("silver", "complaint"),
    [
        ("extra:3,swap:2,move:1,dev:2,plus_3:2,plus_4:1", "exactly 12"),
        ("extra:4,swap:2,move:1,dev:2,plus_3:2,plus_4:1", "only 3"),
        ("gold:12", "does not name one"),
        ("ex:3", "does not name one"),
        ("extra:x", "is not written"),
        ("", "does not name one"),
        ("extra:3," * 20, "at most 64"),
    ],
)
def test_r26_silver_is_any_twelve_within_their_counts(silver: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        GAME.begin({"silver": silver}, 4, bytes(32))


def test_r26_a_free_choice_is_mixed_into_the_supply() -> None:
    state: State = GAME.begin({"silver": "extra:2,swap:2,move:1,dev:1,exch:2,office:2,route:2"}, 4, bytes(32))
    assert dict(zip(MARKERS, state.silver, strict=True))["route_block"] == 2
    want = state.desk.want
    assert isinstance(want, Mix) and sorted(want.faces) == [0, 0, 1, 1, 2, 3, 6, 6, 7, 7, 8, 8]


def test_r26_an_exchange_marker_fetches_any_used_marker_but_its_own_kind() -> None:
    exchange = marker("exchange_marker")
    state = position(players={0: {"unused": (exchange,)}, 1: {"used": (PLUS_3, exchange)}, 2: {"used": ()}})
    state = say(state, "use exchange_marker")
    assert menu(state) == ["exchange green plus_3_actions"]
    assert "cannot fetch" in refusal(state, "exchange green exchange_marker")
    after = say(state, "exchange green plus_3")
    assert after.players[0].unused == (PLUS_3,) and after.players[1].used == (exchange, exchange)
    only = position(players={0: {"unused": (exchange,)}, 1: {"used": (exchange,)}})
    assert "no opponent" in refusal(only, "use exchange_marker")


def tribute_on(state: State, route: str, *owners: int) -> tuple[Promo, ...]:
    return tuple(Promo(route_of(state, route), marker("office_tribute"), owner) for owner in owners)


def test_r27_a_tribute_reacts_to_every_kind_of_office_and_must_be_taken() -> None:
    base = position()
    promos = tribute_on(base, "bremen_hannover", 1)
    posts = full_route("base_45", "bremen_hannover", "0t 0t 0t")
    poor = {1: {"general": (1, 0), "personal": (0, 0)}, 0: {"unused": (0,)}}
    for result in ("office han", "add-office han trader"):
        state = position(rows={"hannover": "2t"}, posts=posts, players={**poor}, promos=promos)
        state = change(state, 0, levels=levels(privilege=2))
        assert say(state, "claim bre-han", result).players[1].personal == (1, 0)
    own = position(posts=posts, promos=tribute_on(base, "bremen_hannover", 0), players={0: {"general": (5, 0)}})
    assert say(own, "claim bre-han", "office han").players[0].personal == (5 + 2, 1)
    nothing = position(posts=posts, players={1: {"general": (0, 0), "personal": (0, 0)}}, promos=promos)
    assert not say(nothing, "claim bre-han", "office han").todo


def test_r27_laying_needs_a_trader_and_any_route_will_do() -> None:
    tribute = marker("office_tribute")
    without = position(players={0: {"unused": (tribute,), "personal": (0, 2)}})
    assert "need a trader" in refusal(without, "use office_tribute")
    state = position(players={0: {"unused": (tribute,)}}, posts={"hamburg_lubeck:0": "1t"})
    after = say(state, "use office_tribute", "lay lub-ham")
    assert after.promos == (Promo(route_of(after, "hamburg_lubeck"), tribute, 0),)
    assert after.players[0].personal == (4, 1) and after.players[0].unused == ()


def test_r28_buying_a_tile_leaves_no_actions_and_needs_two_markers() -> None:
    one = position(players={0: {"unused": (PLUS_3,)}}, display=(FREE_RELOCATION,))
    assert "two unused markers" in refusal(one, "favour free")
    assert "not on offer" in refusal(one, "favour city_patron")
    state = position(players={0: {"unused": (PLUS_3, PLUS_3)}}, display=(FREE_RELOCATION,))
    after = say(state, "favour free")
    assert after.active == 1 and after.players[0].used == (PLUS_3, PLUS_3)


@pytest.mark.parametrize("module", ["missions", "favour"])
@pytest.mark.parametrize(("board", "seats"), [("east", 3), ("britannia", 4)])
def test_r29_missions_and_favour_belong_to_the_league_board(module: str, board: str, seats: int) -> None:
    with pytest.raises(ConfigError, match="Hanseatic League board"):
        GAME.begin({"map": board, module: True}, seats, bytes(32))
    assert GAME.begin({"map": "base", module: True}, seats, bytes(32)).seats == seats


def test_r30_free_relocation_opens_the_whole_board_and_double_return_adds_for_traders() -> None:
    posts = {"dortmund_paderborn:1": "1t"}
    free = say(position(posts=posts, players={1: {"favours": (FREE_RELOCATION,)}}), "displace dor-pad:2")
    free = say(free, "with trader", "pay trader")
    assert "settle dor-pad:1" in menu(free) and "settle ham-lub:1" in menu(free)
    assert "put ham-lub:1" in menu(say(free, "extra trader"))
    for favours, extra in (((), 1), ((DOUBLE_RETURN,), 2)):
        state = say(position(posts=posts, players={1: {"favours": favours}}), "displace dor-pad:2")
        state = say(state, "with trader", "pay trader", "settle dor-dui:1")
        for _ in range(extra):
            state = say(state, "extra trader", "put min-pad:" + str(1 + state.posts.count(piece("1t")) % 3))
        assert not state.todo
    disc = {"dortmund_paderborn:1": "1m"}
    state = say(position(posts=disc, players={1: {"favours": (DOUBLE_RETURN,)}}), "displace dor-pad:2", "with trader")
    state = say(state, "pay trader", "pay trader", "settle dor-dui:1", "extra trader", "put dor-dui:2")
    assert not say(state, "extra trader", "put min-pad:1").todo  # two, as for everybody


def test_r34_neutral_traders_go_by_the_other_player_and_never_to_sea() -> None:
    posts = {"waren_wismar:0": "nt"} | {f"lubeck_wismar:{i}": "1t" for i in range(3)}
    state = position("east", seats=2, posts=posts)
    state = say(state, "displace war-wis:1", "with trader", "pay trader")
    assert engine.to_act(GAME, state) == 1
    assert "traders only" in refusal(state, "extra merchant")
    assert not any(line.startswith(("settle str-wis:1", "settle str-wis:2")) for line in menu(state))
    after = say(state, "settle str-wis:3")
    assert "done" in menu(after) and engine.to_act(GAME, say(after, "done")) == 0


def test_r34_a_neutral_claim_pays_control_and_removes_the_marker() -> None:
    state = position(
        "base_3",
        seats=2,
        posts={"hamburg_lubeck:0": "nt", "hamburg_lubeck:1": "nt", "hamburg_stade:0": "nt"},
        rows={"hamburg": "1t"},
        markers={"hamburg_lubeck": "plus_3_actions"},
    )
    state = say(state, "displace ham-sta:1", "with trader", "pay trader", "settle ham-lub:3")
    after = say(state, "neutral ham-lub ham")
    assert after.players[1].score == 1 and after.removed == (PLUS_3,) and len(after.players[0].plate) == 1
    assert engine.to_act(GAME, after) == 1  # the relocation goes on
    assert after.rows[city_of(after, "hamburg")] == bytes(map_pieces("1t nt"))


def test_r34_a_neutral_route_between_full_cities_is_just_cleared() -> None:
    state = position(
        "base_3",
        seats=2,
        posts={"dortmund_duisburg:0": "nt", "arnheim_duisburg:0": "nt"},
        rows={"duisburg": "1t", "dortmund": "1m 1t"},
        completed=2,
    )
    state = say(state, "displace arn-dui:1", "with trader", "pay trader", "settle dor-dui:2")
    assert menu(state) == ["neutral dor-dui -"]
    after = say(state, "neutral dor-dui -")
    assert not after.posts[post(after, "dortmund_duisburg:0")]


def test_r34_a_placed_marker_attracts_a_neutral_trader() -> None:
    state = turn_up(say(position("base_3", seats=2, players={0: {"plate": (50,)}}), "end"), PLUS_3)
    after = say(state, "marker plus_3 min-pad")
    assert after.posts[post(after, "minden_paderborn:0")] == piece("nt")


def test_r35_r39_the_sides_for_each_number_of_players() -> None:
    allowed = {seats: {board.id for board in BOARDS if seats in board.players} for seats in (2, 3, 4, 5)}
    assert allowed[2] == allowed[3] == {"base_3", "east", "britannia_3"}
    assert allowed[4] == allowed[5] == {"base_45", "east", "britannia_45"}
    with pytest.raises(ConfigError, match="base_45 is for 4 or 5 players"):
        GAME.begin({"map": "base_45"}, 3, bytes(32))
    with pytest.raises(ConfigError, match="players, not 6"):
        GAME.begin({}, 6, bytes(32))


@pytest.mark.parametrize(("board", "count"), [("base_3", 8), ("east", 11), ("britannia_3", 14)])
def test_r36_permanent_markers_attract_no_neutral_trader(board: str, count: int) -> None:
    state: State = GAME.begin({"map": board}, 2, bytes(32))
    standing = [index for index, code in enumerate(state.posts) if code]
    assert len(standing) == count and {state.posts[index] for index in standing} == {piece("nt")}
    routes = [state.board.routes[state.board.post_route[index]] for index in standing]
    for route in routes:
        ends = (state.board.cities[route.a], state.board.cities[route.b])
        assert route.tavern or any(city.abilities for city in ends)
    assert len({route.id for route in routes}) == count


def test_r38_names_are_read_with_and_without_umlauts() -> None:
    state = position()
    for text in ("place lub-ham:1", "place Lübeck-Hamburg:1", "place lubeck-HAM:1", "place ham-lub:3"):
        found = GAME.notation.read(state, 0, text)
        assert GAME.notation.say(state, found) == "place ham-lub:3"


def test_r40_tributes_are_taken_clockwise_from_the_active_player() -> None:
    base = position()
    promos = tribute_on(base, "bremen_hannover", 3, 0, 1)
    everyone = {seat: {"general": (1, 1), "personal": (2, 1)} for seat in range(4)}
    state = position(
        posts=full_route("base_45", "hannover_minden", "0t 0t 0t") | {},
        players={**everyone, 0: {"general": (2, 2)}},
        promos=promos,
    )
    state = say(state, "claim han-min", "office han")
    order = []
    while state.todo:
        order.append(engine.to_act(GAME, state))
        state = say(state, menu(state)[0])
    assert order == [0]  # the others have exactly two pieces: nothing to choose
    assert [player.personal for player in state.players[1::2]] == [(3, 2), (3, 2)]
