"""Final scoring: the worked examples, every category, regions, missions, ties."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import CITY_PATRON, FIRST_MISSION, MASTER_OF_ARTS
from kontor_games.engine.games.hansa.position import controller
from kontor_games.engine.games.hansa.scoring import breakdown, marker_points, region_points, result
from kontor_games.engine.games.hansa.state import OVER, Promo, State

from .position import levels, marker, position

ROWS = {"dortmund": "0m 0t 2t", "paderborn": "0t 1m", "minden": "1t 0t 1t 0t", "hannover": "0t 1t", "lubeck": "0t"}
RED = {
    "score": 14,
    "levels": levels(actions=5, bank=3, privilege=2, book=1, keys=3),
    "unused": (0, 1),
    "used": (2, 3, 4),
}


def final(**red: Any) -> State:
    return position(
        rows=ROWS,
        extras={"hannover": "0m"},
        players={0: {**RED, **red}},
        prestige=bytes([0, 1, 0, 0]),
        stage=OVER,
        ended="points",
    )


def test_x22_final_scoring() -> None:
    state = final()
    table = {name: points[0] for name, points in breakdown(state)}
    assert table == {"track": 14, "abilities": 8, "markers": 6, "special": 8, "cities": 8, "network": 21}
    outcome = result(state)
    assert outcome is not None and outcome.scores[0] == 65 and outcome.winners == (0,)


def test_x22_a_mission_and_favour_tiles_add_up() -> None:
    mission = final(mission=3)
    mission = replace(mission, missions=1, desk=mission.desk.show([(3, FIRST_MISSION + 1)]))
    assert GAME.faces[FIRST_MISSION + 1] == "mission_2"
    assert dict(breakdown(mission))["mission"][0] == 2
    assert (result(mission) or pytest.fail()).scores[0] == 67
    patron = result(final(favours=(CITY_PATRON,)))
    master = result(final(favours=(MASTER_OF_ARTS,)))
    assert patron is not None and patron.scores[0] == 65 + 8
    assert master is not None and master.scores[0] == 65 + 6


def test_five_more_points_for_a_mission_with_all_three_cities_controlled() -> None:
    rows = {"osnabruck": "0t", "stendal": "0t", "paderborn": "0t"}
    state = position(rows=rows, players={0: {"mission": 3}}, missions=1, stage=OVER)
    state = replace(state, desk=state.desk.show([(3, FIRST_MISSION)]))
    assert dict(breakdown(state))["mission"][0] == 8
    lost = replace(state, extras=position(extras={"stendal": "1t 1t"}).extras)
    assert dict(breakdown(lost))["mission"][0] == 3


def wales(rows: dict[str, str], seats: int = 4) -> list[int]:
    state = position("britannia_45", seats=seats, rows=rows)
    return region_points(state, [controller(state, city) for city in range(len(state.board.cities))])


def test_x19_region_scoring_shares_ranks_and_rounds_down() -> None:
    rows = {
        "conway": "0t 0t",  # A rules Conway with two
        "pembroke": "3t 0t",  # and Pembroke by the right end
        "chester": "1t 1m",  # B the same elsewhere
        "cardiff": "3t 1t",
        "montgomery": "2t",
    }
    assert wales(rows) == [5, 5, 2, 0]
    other = {"conway": "1t 0t", "pembroke": "2t 0t", "chester": "1t 0m", "cardiff": "2t 0t"}
    assert wales(other) == [7, 3, 3, 0]


def test_r31_three_players_tied_share_all_three_ranks() -> None:
    rows = {"conway": "0t", "pembroke": "1t", "montgomery": "2t"}
    assert wales(rows) == [4, 4, 4, 0]  # (7 + 4 + 2) / 3, rounded down


def test_r37_the_neutral_player_takes_no_rank_but_keeps_its_cities() -> None:
    state = position("britannia_3", seats=2, rows={"conway": "nt", "pembroke": "0t nt", "montgomery": "1t"})
    points = region_points(state, [controller(state, city) for city in range(len(state.board.cities))])
    assert points == [4, 7]


def test_scotland_is_scored_apart_and_the_isle_of_man_counts_in_both() -> None:
    state = position("britannia_45", rows={"isle_of_man": "0m 0m", "falkirk": "1t"})
    points = region_points(state, [controller(state, city) for city in range(len(state.board.cities))])
    assert points == [7 + 7, 4, 0, 0]


@pytest.mark.parametrize(
    ("count", "points"), [(0, 0), (1, 1), (2, 3), (3, 3), (4, 6), (5, 6), (7, 10), (8, 15), (9, 15), (10, 21), (14, 21)]
)
def test_r33_collected_markers(count: int, points: int) -> None:
    assert marker_points(count) == points


def test_laid_promo_markers_count_for_the_player_who_laid_them() -> None:
    state = position(promos=(Promo(0, marker("route_block"), 2), Promo(1, marker("office_tribute"), 2)))
    assert dict(breakdown(state))["markers"] == (0, 0, 3, 0)


def test_markers_on_a_plate_score_for_nobody() -> None:
    state = position(players={0: {"plate": (5,), "waiting": (3,)}})
    assert dict(breakdown(state))["markers"] == (0, 0, 0, 0)


def test_the_keys_never_score_by_themselves() -> None:
    state = position(players={0: {"levels": levels(keys=4), "favours": (MASTER_OF_ARTS,)}})
    assert dict(breakdown(state))["abilities"][0] == 0


def tie(first: dict[str, Any], second: dict[str, Any], rows: dict[str, str] | None = None) -> tuple[int, ...]:
    state = position(players={0: first, 1: second}, rows=rows or {}, stage=OVER, ended="points")
    outcome = result(state)
    assert outcome is not None and outcome.scores[0] == outcome.scores[1]
    return outcome.winners


def test_x23_r32_a_tie_goes_to_the_lower_level_of_actions() -> None:
    a, b = {"score": 9, "levels": levels(actions=3)}, {"score": 9, "levels": levels(actions=4)}
    assert tie(a, b) == (0,) and tie(b, a) == (1,)


def test_x23_then_to_the_larger_network_and_then_it_is_shared() -> None:
    assert tie({"score": 9}, {"score": 6}, {"lubeck": "1t"}) == (1,)  # two for control, one for the network
    assert tie({"score": 9}, {"score": 9}) == (0, 1)


def test_places_name_every_seat() -> None:
    state = position(players={0: {"score": 3}, 1: {"score": 9}, 2: {"score": 3}}, stage=OVER, ended="points")
    outcome = result(state)
    assert outcome is not None and outcome.places == (2, 1, 2, 4)
