"""The worked examples of the rules: setup, the five actions, markers, maps with seas and regions."""

from __future__ import annotations

import pytest

from kontor_games import engine
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import (
    ACTIONS,
    BANK,
    EXTRA_ACTION,
    FREE_RELOCATION,
    NEUTRAL_TRADER,
    PLUS_3,
    SWAP_OFFICES,
)
from kontor_games.engine.games.hansa.position import controller, destinations, row_of
from kontor_games.engine.games.hansa.state import PLAYING, Promo, State, owner_of

from .position import (
    city_of,
    full_route,
    levels,
    marker,
    menu,
    names_of,
    piece,
    position,
    post,
    refusal,
    route_of,
    say,
    told,
    turn_up,
)


def at(state: State, name: str) -> int:
    return state.posts[post(state, name)]


def test_x01_setup_of_four_players() -> None:
    match: engine.LocalMatch[State] = engine.LocalMatch(GAME, {}, 4, b"x1")
    list(match.settle())
    state = match.state
    third = state.players[(state.start + 2) % 4]
    assert (third.personal, third.general, third.levels, third.score) == ((7, 1), (4, 0), bytes(5), 0)
    laid = {state.board.routes[number].id for number, kind in enumerate(state.markers) if kind}
    assert laid == {"bremen_osnabruck", "goslar_hildesheim", "luneburg_perleberg"}
    assert sorted(kind - 1 for kind in state.markers if kind) == [0, 1, 2]
    assert (len(state.supply), state.completed, state.stage, state.active) == (12, 0, PLAYING, state.start)


def test_x02_income_hires_any_mix_up_to_the_bank() -> None:
    bank = {0: {"levels": levels(bank=1), "general": (3, 2), "personal": (0, 0)}}
    state = position(players=bank)
    hires = [line for line in menu(state) if line.startswith("hire")]
    assert sorted(hires) == sorted(f"hire {t} {m}" for t in range(4) for m in range(3) if 1 <= t + m <= 5)
    after = say(state, "hire 3 2")
    assert after.players[0].general == (0, 0) and after.players[0].personal == (3, 2)
    assert "your general stock holds 0" in refusal(after, "hire 1 0")
    rich = position(players={0: {"levels": levels(bank=3), "general": (9, 2), "personal": (0, 0)}})
    assert say(rich, "hire 9 2").players[0].personal == (9, 2)
    assert "at most 3" in refusal(position(players={0: {"general": (4, 0)}}), "hire 4 0")


def displacement(personal: tuple[int, int] = (2, 0)) -> State:
    return position(
        posts={"dortmund_paderborn:1": "1t"},
        players={
            0: {"personal": personal, "general": (3, 0)},
            1: {"personal": (2, 0), "general": (4, 0)},
        },
    )


def test_x03_displacing_a_trader() -> None:
    state = say(displacement(), "displace dor-pad:2")
    assert at(state, "dortmund_paderborn:1") == piece("0t")
    assert state.players[0].personal == (0, 0) and state.players[0].general == (4, 0)
    assert engine.to_act(GAME, state) == 1
    spots = {line.split()[1].partition(":")[0] for line in menu(state) if line.startswith("settle")}
    assert spots == {"dor-dui", "hil-pad", "min-pad", "pad-war"}
    assert "nearest routes" in refusal(state, "settle dor-pad:1")
    after = say(state, "settle dor-dui:1", "extra trader", "put min-pad:3")
    assert at(after, "dortmund_duisburg:0") == at(after, "minden_paderborn:2") == piece("1t")
    assert after.players[1].general == (3, 0) and after.players[1].personal == (2, 0)
    assert engine.to_act(GAME, after) == 0 and after.actions == 1
    assert "needs 2 pieces" in refusal(displacement((1, 0)), "displace dor-pad:2")


def test_x04_displacing_a_merchant_next_ring_and_sources() -> None:
    state = position(
        "base_3",
        posts={
            "emden_groningen:0": "1m",
            "bremen_hamburg:1": "1t",
            "emden_osnabruck:0": "2t",
            "emden_osnabruck:1": "2t",
            "emden_osnabruck:3": "2t",
        },
        players={
            0: {"personal": (3, 0), "general": (0, 0)},
            1: {"personal": (1, 0), "general": (0, 0)},
        },
    )
    few = position(posts={"emden_groningen:0": "1m"}, players={0: {"personal": (2, 0)}})
    assert "needs 3 pieces" in refusal(few, "displace emd-gro:1")
    state = say(state, "displace emd-gro:1")
    assert [line for line in menu(state) if line.startswith("settle")] == ["settle emd-osn:3"]
    state = say(state, "settle emd-osn:3")
    assert at(state, "emden_osnabruck:2") == piece("1m")
    assert menu(state) == ["extra trader", "done"]
    state = say(state, "extra trader")
    assert {line.partition(":")[0] for line in menu(state)} == {"put bre-osn", "put kam-osn"}
    state = say(state, "put kam-osn:1")
    assert menu(state) == ["lift bre-ham:2", "done"]
    moved = say(state, "lift bre-ham:2", "put bre-osn:1")
    assert at(moved, "bremen_osnabruck:0") == piece("1t") and not at(moved, "bremen_hamburg:1")
    assert at(say(state, "done"), "bremen_hamburg:1") == piece("1t")


def test_x05_ship_posts_in_relocation() -> None:
    state = position(
        "east",
        posts={
            "stralsund_wismar:2": "1t",
            **{f"lubeck_wismar:{i}": "2t" for i in range(3)},
            **{f"waren_wismar:{i}": "2t" for i in range(3)},
        },
        players={1: {"general": (0, 1)}},
    )
    filled = {route.id: route.end - route.first for route in state.board.routes}
    assert filled["lubeck_wismar"] == filled["waren_wismar"] == 3
    state = say(state, "displace str-wis:3", "with trader", "pay trader")
    assert [line for line in menu(state) if line.startswith("settle")] == ["settle mal-str:3"]
    state = say(state, "extra merchant")
    assert sorted(menu(state)) == ["put mal-str:1", "put mal-str:2", "put mal-str:3"]


def test_x06_move_with_exchange() -> None:
    state = position(posts={"halle_quedlinburg:0": "0t", "hamburg_lubeck:1": "0m", "hamburg_stade:0": "0t"})
    state = say(state, "lift hal-que:1", "lift ham-lub:2")
    assert "at most 2 pieces" in refusal(state, "lift ham-sta:1")
    after = say(state, "put ham-lub:2", "put hal-que:1")
    assert at(after, "hamburg_lubeck:1") == piece("0t") and at(after, "halle_quedlinburg:0") == piece("0m")
    assert after.actions == 1 and not after.todo


def claim_at_dortmund(privilege: int) -> State:
    return position(
        rows={"dortmund": "0m", "paderborn": "0t 1m"},
        posts=full_route("base_45", "dortmund_paderborn", "0t 0t 0t"),
        markers={"dortmund_paderborn": "plus_3_actions"},
        players={0: {"levels": levels(privilege=privilege), "general": (0, 0)}},
    )


def test_x07_claim_pays_control_takes_the_marker_and_founds_an_office() -> None:
    state = say(claim_at_dortmund(1), "claim dor-pad")
    assert (state.players[0].score, state.players[1].score) == (1, 1)
    assert state.players[0].unused == (PLUS_3,) and len(state.supply) == 11 and len(state.players[0].plate) == 1
    after = say(state, "office dortmund")
    assert after.rows[city_of(after, "dortmund")] == bytes([piece("0m"), piece("0t")])
    assert after.players[0].general == (2, 0) and not any(after.posts)
    assert "use plus_3_actions" in menu(after)
    assert say(after, "use plus_3_actions").actions == 1 + 3
    assert "privilege orange" in refusal(say(claim_at_dortmund(0), "claim dor-pad"), "office dor")


def test_x08_choices_at_coellen_warburg() -> None:
    state = position(
        posts=full_route("base_45", "coellen_warburg", "0t 0t 0t 0m"),
        players={0: {"levels": levels(privilege=1), "general": (0, 0), "unused": (0,)}},
    )
    state = say(state, "claim coe-war")
    assert menu(state) == ["office coe", "office war", "prestige 7", "prestige 8", "done"]
    assert "privilege pink" in refusal(state, "prestige 9")
    assert "first space" in refusal(state, "add-office coe trader")
    assert say(state, "office coe").players[0].score == 1
    after = say(state, "prestige 8")
    assert after.prestige == bytes([0, 1, 0, 0]) and after.players[0].general == (3, 0)
    assert after.players[0].score == 0


def test_x09_coin_and_completion() -> None:
    state = position("base_3", posts=full_route("base_3", "hamburg_stade", "0m 0t 0t"))
    after = say(state, "claim ham-sta", "office stade")
    assert after.players[0].score == 1 and after.completed == 1


def test_x10_additional_office() -> None:
    state = position(
        rows={"hannover": "1t 2t"},
        posts=full_route("base_45", "bremen_hannover", "0t 0t 0m"),
        players={0: {"unused": (0, 0)}},
        completed=1,
    )
    assert len([p for p in state.posts if p]) == 3
    state = say(state, "claim bre-han")
    assert state.players[2].score == 1
    after = say(state, "add-office han merchant")
    city = city_of(after, "hannover")
    assert row_of(after, city) == bytes([piece("0m"), piece("1t"), piece("2t")])
    assert (after.completed, after.players[0].unused, after.players[0].used) == (1, (0,), (0,))
    assert controller(after, city) == 2
    twice = position(rows={"hannover": "1t 2t"}, extras={"hannover": "0t 0m"})
    assert controller(twice, city) == 0


def test_x11_east_west_scores_seven_four_two_once_per_player() -> None:
    def chain(seat: int, linked: int) -> State:
        own = f"{seat}t"
        return position(
            seats=4,
            rows={"arnheim": own, "munster": f"{seat}m", "minden": own, "stendal": own},
            posts=full_route("base_45", "brunswiek_minden", f"{own} {own} {own} {own}"),
            players={seat: {"levels": levels(privilege=1)}},
            active=seat,
            linked=linked,
        )

    for seat, already, points in ((0, 0, 7), (1, 1, 4), (2, 2, 2), (3, 3, 0)):
        before = say(chain(seat, already), "claim bru-min")
        after = say(before, "office bru")
        assert after.players[seat].score - before.players[seat].score == points
        assert after.players[seat].linked == already + 1 and after.completed == 1
    linked = position(
        rows={"arnheim": "0t", "munster": "0m", "minden": "0t", "stendal": "0t"},
        posts=full_route("base_45", "brunswiek_minden", "0t 0t 0t 0t"),
        players={0: {"levels": levels(privilege=1), "linked": 1, "score": 7}},
        linked=1,
    )
    assert say(linked, "claim bru-min", "office bru").players[0].score == 7 + 1  # control of Minden, nothing more


def test_x12_developing_actions_counts_in_the_same_turn() -> None:
    state = position(posts=full_route("base_45", "gottingen_quedlinburg", "0t 0t 0t"))
    after = say(state, "claim got-que", "develop actions")
    assert after.players[0].levels[ACTIONS] == 1 and after.actions == 2
    assert after.players[0].personal == (6, 1) and after.players[0].general == (9, 0)
    later = position(
        posts=full_route("base_45", "gottingen_quedlinburg", "0t 0t 0t"),
        players={0: {"levels": levels(actions=1)}},
    )
    assert say(later, "claim got-que", "develop actions").actions == 1


def test_x13_exchange_of_offices() -> None:
    state = position(rows={"perleberg": "2t 0t 1m"}, players={0: {"unused": (SWAP_OFFICES,)}})
    city = city_of(state, "perleberg")
    assert controller(state, city) == 1
    after = say(state, "use swap", "swap per 2")
    assert after.rows[city] == bytes([piece("2t"), piece("1m"), piece("0t")])
    assert controller(after, city) == 0 and after.completed == state.completed
    assert [player.score for player in after.players] == [0, 0, 0, 0]


def test_x14_end_by_supply() -> None:
    state = position(
        posts=full_route("base_45", "arnheim_duisburg", "0t 0t 0t"),
        markers={"arnheim_duisburg": "move_3"},
        supply=0,
        actions=3,
    )
    middle = say(state, "claim arn-dui")
    assert middle.ended == "markers" and middle.players[0].unused == (marker("move_3"),)
    after = say(middle, "office arn")
    result = GAME.result(after)
    assert result is not None and result.reason == "markers"
    assert dict(result.breakdown)["markers"] == (1, 0, 0, 0) and dict(result.breakdown)["cities"][0] == 2


def test_x15_end_by_twenty_points_completes_the_claim() -> None:
    state = position(
        rows={"minden": "1t"},
        posts=full_route("base_45", "minden_paderborn", "0t 0t 0t"),
        markers={"minden_paderborn": "move_3"},
        players={1: {"score": 19}},
    )
    middle = say(state, "claim min-pad")
    assert middle.players[1].score == 20 and middle.ended == "points" and GAME.result(middle) is None
    after = say(middle, "office pad")
    result = GAME.result(after)
    assert result is not None and result.reason == "points"
    assert dict(result.breakdown)["markers"][0] == 1 and after.rows[city_of(after, "paderborn")]


def test_x16_green_city() -> None:
    state = position(
        "east",
        posts=full_route("east", "malmo_visby", "0t 0m 0t"),
        players={0: {"personal": (2, 0)}},
    )
    state = say(state, "claim mal-vis", "done", "green-office bel trader")
    city = city_of(state, "belgard")
    assert row_of(state, city) == bytes([piece("0t")]) and state.completed == 1
    later = position(
        "east",
        rows={"belgard": "0t"},
        posts=full_route("east", "anklam_belgard", "1t 1t 1t"),
        players={1: {"unused": (0,)}},
        active=1,
        completed=1,
    )
    after = say(later, "claim ank-bel", "add-office bel trader")
    assert row_of(after, city) == bytes([piece("1t"), piece("0t")]) and after.completed == 1
    assert controller(after, city) == 0
    swapper = position(
        "east", rows={"belgard": "0t"}, extras={"belgard": "1t"}, players={0: {"unused": (SWAP_OFFICES,)}}
    )
    assert "no two neighbouring" in refusal(swapper, "use swap")


def test_x17_permits() -> None:
    state = position(
        "britannia_45",
        rows={"cardiff": "0t 1t", "london": "0t"},
        posts={"cardiff_montgomery:0": "0t"},
    )
    placed = say(state, "place cdf-mon:2", "with trader")
    assert names_of(placed, [p for p, code in enumerate(placed.posts) if code and owner_of(code) == 0]) == {
        "cardiff_montgomery:0",
        "cardiff_montgomery:1",
    }
    assert "Wales needs an unused permit" in refusal(placed, "place cdf-mon:3")
    assert say(placed, "place lon-oxf:1", "with trader").actions == 0
    assert say(state, "place crl-fal:1", "with trader").permits == (city_of(state, "london"),)
    lifted = say(state, "lift cdf-mon:1")
    assert "put lon-oxf:1" in menu(lifted)
    english = position("britannia_45", posts={"london_oxford:0": "0t"})
    assert "leave its region" in refusal(say(english, "lift lon-oxf:1"), "put cdf-mon:1")
    foreign = position("britannia_45", posts=full_route("britannia_45", "cardiff_montgomery", "0t 0t 0t"))
    assert "claim cdf-mon" in menu(foreign)


@pytest.mark.parametrize(
    ("origin", "ring"),
    [
        (
            "carlisle_durham",
            {"carlisle_chester", "carlisle_richmond", "durham_lancaster", "durham_newcastle", "durham_york"},
        ),
        (
            "carlisle_falkirk",
            {"carlisle_chester", "carlisle_durham", "carlisle_isle_of_man", "carlisle_richmond", "falkirk_glasgow"},
        ),
    ],
)
def test_x18_relocation_by_region(origin: str, ring: set[str]) -> None:
    state = position("britannia_45")
    spots = destinations(state, route_of(state, origin), 1, 1)
    assert {name.partition(":")[0] for name in names_of(state, spots)} == ring


def test_x20_two_players_and_the_neutral_route() -> None:
    start: State = GAME.begin({"map": "base_3"}, 2, bytes(32))
    neutral = names_of(start, [p for p, code in enumerate(start.posts) if code])
    assert neutral == {
        f"{route}:0"
        for route in (
            "bremen_osnabruck",
            "emden_groningen",
            "goslar_hildesheim",
            "gottingen_quedlinburg",
            "halle_quedlinburg",
            "hamburg_lubeck",
            "hamburg_stade",
            "luneburg_perleberg",
        )
    }
    state = position("base_3", seats=2, posts=dict.fromkeys(neutral, "nt"))
    before = state.players[0]
    state = say(state, "displace ham-sta:1", "with trader", "pay trader")
    assert engine.to_act(GAME, state) == 1
    assert state.players[0].personal == (before.personal[0] - 2, 1)
    assert state.players[0].general == (before.general[0] + 1, 0)
    state = say(state, "settle ham-lub:2", "extra trader", "put ham-lub:3")
    assert engine.to_act(GAME, state) == 0 and menu(state) == ["neutral ham-lub ham", "neutral ham-lub lub"]
    after = say(state, "neutral ham-lub lub")
    assert after.rows[city_of(after, "lubeck")] == bytes([NEUTRAL_TRADER])
    assert [player.score for player in after.players] == [0, 0] and after.actions == 1
    assert not any(at(after, f"hamburg_lubeck:{index}") for index in range(3))
    assert engine.to_act(GAME, after) == 0 and not after.todo


def test_x21_tribute_and_block() -> None:
    state = position(
        posts=full_route("base_45", "bremen_hamburg", "0t 0t 0t 0t"),
        players={1: {"general": (1, 2), "personal": (0, 0)}},
        promos=(),
    )
    tribute = Promo(route_of(state, "hamburg_stade"), marker("office_tribute"), 1)
    state = position(
        posts=full_route("base_45", "bremen_hamburg", "0t 0t 0t 0t"),
        players={1: {"general": (1, 2), "personal": (0, 0)}},
        promos=(tribute,),
    )
    state = say(state, "claim bre-ham", "office ham")
    assert engine.to_act(GAME, state) == 1 and menu(state) == ["collect 0 2", "collect 1 1"]
    after = say(state, "collect 0 2")
    assert after.players[1].personal == (0, 2) and after.players[1].general == (1, 0)
    block = Promo(route_of(state, "emden_groningen"), marker("route_block"), 1)
    poor = position(players={0: {"personal": (1, 0)}}, promos=(block,))
    assert "needs 2 pieces" in refusal(poor, "place emd-gro:1")
    paid = say(position(players={0: {"personal": (2, 0), "general": (0, 0)}}, promos=(block,)), "place emd-gro:1")
    assert paid.players[0].personal == (0, 0) and paid.players[0].general == (1, 0)
    assert at(paid, "emden_groningen:0") == piece("0t")


def test_x24_marker_placement() -> None:
    state = position(
        posts={"minden_paderborn:1": "1t"},
        rows={"duisburg": "1t"},
        players={0: {"plate": (50,)}},
    )
    state = turn_up(say(state, "end"), PLUS_3)
    assert "pieces stand on" in refusal(state, "marker plus_3 min-pad")
    assert "marker plus_3_actions arn-dui" in menu(state)
    full = position(rows={"duisburg": "1t", "dortmund": "1m 1t 1t"}, players={0: {"plate": (50,)}})
    full = turn_up(say(full, "end"), PLUS_3)
    assert "neither city" in refusal(full, "marker plus_3 dor-dui")
    after = say(state, "marker plus_3 arn-dui")
    assert after.markers[route_of(after, "arnheim_duisburg")] == 1 + PLUS_3 and after.active == 1


def test_x25_keeping_pieces_at_sea() -> None:
    state = position(
        "east",
        posts=full_route("east", "danzig_malmo", "0t 0t 0t 0m"),
        players={0: {"general": (0, 0)}},
    )
    state = say(state, "claim dan-mal", "office dan")
    state = say(state, "extra merchant", "put dan-mal:4", "extra trader", "put dan-kon:1")
    assert at(state, "danzig_malmo:3") == piece("0m") and at(state, "danzig_konigsberg:0") == piece("0t")
    assert state.players[0].general == (1, 0) and not state.todo


def test_x26_favour_costs_the_turn_and_two_markers() -> None:
    unused = (SWAP_OFFICES, PLUS_3, PLUS_3)
    state = position(players={0: {"unused": unused}}, display=(FREE_RELOCATION, EXTRA_ACTION))
    after = say(state, "favour extra_action", "give swap")
    player = after.players[0]
    assert player.favours == (EXTRA_ACTION,) and player.used == (SWAP_OFFICES, PLUS_3) and player.unused == (PLUS_3,)
    assert after.display == (FREE_RELOCATION,) and after.active == 1
    for _ in range(3):
        after = say(after, "end")
    assert after.active == 0 and after.actions == 3
    busy = say(state, "place arn-dui:1", "with trader")
    assert "very first decision" in refusal(busy, "favour extra_action")
    assert "very first decision" in refusal(say(state, "use plus_3"), "favour extra_action")
    assert any(
        type(event).__name__ == "FavourBought" for event in told(state, GAME.notation.read(state, 0, "favour ex"))
    )


def test_the_bank_level_two_is_seven() -> None:
    state = position(players={0: {"levels": levels(bank=2), "general": (8, 0)}})
    assert state.players[0].levels[BANK] == 2
    assert "hire 7 0" in menu(state) and "at most 7" in refusal(state, "hire 8 0")
