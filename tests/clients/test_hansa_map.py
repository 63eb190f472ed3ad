"""The drawn map of every side of Hansa Teutonica: everything is on it once, nothing hides anything."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from itertools import pairwise, permutations
from math import hypot
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.boards import hansa, map_parts, render_wide
from kontor_games.clients.text.boards.hansa.drawn_map import POST, ROUTES, WIDTH, draw, picture, spots_of
from kontor_games.clients.text.boards.hansa.signs import MARKER, PERMANENT, tags
from kontor_games.clients.text.boards.spot import MapSpot
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import BOARDS
from kontor_games.engine.games.hansa.state import Promo
from tests.engine.hansa.position import marker, position, route_of

SIDES = [board.id for board in BOARDS]
View = dict[str, Any]
TRADER = {"piece": "trader", "owner": 0}
CURVE = 3  # rows by which a road with a bend may be longer
MERCHANT = {"piece": "merchant", "owner": 1}


def plain(text: str, style: str) -> str:
    return text


def view_of(side: str) -> View:
    return engine.view(GAME, position(side), None, {})


def crowded(side: str) -> View:
    """A piece on every post and space, two additional offices in every city, the longest marker beside every route."""
    view = view_of(side)
    board = view["board"]
    longest = max(MARKER, key=lambda marker: len(MARKER[marker]))
    view["posts"] = [[MERCHANT if post["ship"] else TRADER for post in route["posts"]] for route in board["routes"]]
    view["markers"] = [longest if route["accepts_markers"] else None for route in board["routes"]]
    view["offices"] = [
        {"extra": [TRADER], "row": [TRADER for _ in city["spaces"] or range(3)], "controller": 1}
        for city in board["cities"]
    ]
    return view


def drawing(view: View) -> tuple[list[str], list[int], list[int]]:
    return draw(view, plain)


@pytest.mark.parametrize("side", SIDES)
def test_every_city_post_and_marker_has_one_place_of_its_own(side: str) -> None:
    board, found = view_of(side)["board"], picture(side)
    assert sorted(found.cities) == sorted(city["code"] for city in board["cities"])
    posts = [(route, place) for route, facts in enumerate(board["routes"]) for place in range(len(facts["posts"]))]
    assert sorted(found.posts) == posts
    needed = {index for index, route in enumerate(board["routes"]) if route["accepts_markers"] or route["permanent"]}
    assert set(found.markers) == needed
    taken: Counter[tuple[int, int]] = Counter()
    below = [MapSpot(spot.row + 1, spot.start, spot.end) for spot in found.cities.values()]
    for spot in (*found.cities.values(), *below, *found.posts.values(), *found.markers.values()):
        assert 0 <= spot.start < spot.end <= WIDTH and spot.row < len(found.lines)
        taken.update((spot.row, column) for column in range(spot.start, spot.end))
        beside = [found.lines[spot.row].ljust(WIDTH)[column] for column in range(spot.start, spot.end)]
        assert not "".join(beside).strip(), "no road runs through it"
    assert max(taken.values()) == 1, "nothing lies on anything else"


@pytest.mark.parametrize("side", SIDES)
def test_posts_do_not_touch_each_other_nor_a_city(side: str) -> None:
    found = picture(side)
    below = [MapSpot(spot.row + 1, spot.start, spot.end) for spot in found.cities.values()]
    for spot in found.posts.values():
        for other in (*found.cities.values(), *below, *found.posts.values(), *found.markers.values()):
            if other != spot and other.row == spot.row:
                assert spot.end < other.start or other.end < spot.start, (spot, other)


@pytest.mark.parametrize("side", SIDES)
def test_a_picture_names_no_post_twice(side: str) -> None:
    text = resources.files(hansa).joinpath("maps", f"{side}.txt").read_text(encoding="utf-8")
    for pattern in (r"@[a-z]{3}", r"[A-Za-z][1-9]", r"[A-Za-z]\*"):
        assert max(Counter(re.findall(pattern, text)).values()) == 1
    assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize("side", SIDES)
def test_labels_are_legible_however_many_pieces_there_are(side: str) -> None:
    view = crowded(side)
    lines, cities, routes = drawing(view)
    assert not cities and not routes, "everything has room"
    assert all(len(line) == WIDTH for line in lines)
    text, found = "\n".join(lines), picture(side)
    for index, city in enumerate(view["board"]["cities"]):
        name = " ".join([city["name"], *tags(city)])
        spot = found.cities[city["code"]]
        assert lines[spot.row][spot.start : spot.end].rstrip() == name
        assert "=G" in lines[spot.row + 1][spot.start : spot.end], index
    posts = sum(len(route["posts"]) for route in view["board"]["routes"])
    offices = sum(len(city["spaces"]) or 3 for city in view["board"]["cities"])
    assert text.count("[B]") + text.count("(G)") == posts + offices
    assert text.count("*") == sum(route["accepts_markers"] for route in view["board"]["routes"])
    for route in view["board"]["routes"]:
        assert not route["permanent"] or f"={PERMANENT[route['permanent']]}" in text


@pytest.mark.parametrize("side", SIDES)
def test_the_posts_of_a_route_lie_in_order_between_its_cities(side: str) -> None:
    """From city to city over the posts is a shorter way than over the same posts in any other order."""
    board, found = view_of(side)["board"], picture(side)
    for index, route in enumerate(board["routes"]):
        way = [found.posts[index, place] for place in range(len(route["posts"]))]
        first, last = (found.cities[board["cities"][route[end]]["code"]] for end in ("a", "b"))
        drawn = length([first, *way, last])
        assert all(drawn <= length([first, *other, last]) + CURVE for other in permutations(way)), route["id"]


def length(way: list[MapSpot]) -> float:
    """Of a way over places, in rows; a city has two of them."""
    return sum(
        hypot(max(0, two.start - one.end, one.start - two.end) / 2, one.row - two.row) for one, two in pairwise(way)
    )


def test_what_has_no_room_on_the_map_is_told_below_it() -> None:
    view = view_of("east")
    green = next(index for index, city in enumerate(view["board"]["cities"]) if city["green"])
    view["offices"][green] = {"extra": [TRADER] * 4, "row": [TRADER, MERCHANT] * 8, "controller": 0}
    lines, cities, _ = drawing(view)
    assert cities == [green] and all(len(line) == WIDTH for line in lines)
    assert "+BBBB [B](G)[B](G)" in "\n".join(render_wide({**view, "game": "hansa"}, 100, plain))
    state = position("britannia_45")
    promo = Promo(route_of(state, "cardiff_montgomery"), marker("route_block"), 1)
    crossed = engine.view(GAME, position("britannia_45", promos=(promo,)), None, {})
    assert drawing(crossed)[2] == [route_of(state, "cardiff_montgomery")]
    assert "Cardiff–Montgomery  ○  ○  ○  Wales !block G" in "\n".join(render_wide(crossed, 100, plain))


def test_elements_of_the_board_are_found_on_the_map() -> None:
    view = view_of("base_45")
    lines = drawing(view)[0]
    route = next(index for index, route in enumerate(view["board"]["routes"]) if route["id"] == "hamburg_lubeck")
    assert [lines[spot.row][spot.start : spot.end] for spot in spots_of(view, f"route:{route}")] == [" ○ "] * 3
    assert spots_of(view, f"post:{route}:1") == spots_of(view, f"route:{route}")[1:2]
    city = view["board"]["routes"][route]["a"]
    name, row = spots_of(view, f"city:{city}")
    assert lines[name.row][name.start :].startswith("Hamburg") and row.row == name.row + 1
    assert not spots_of(view, "supply:trader") and not spots_of(view, "city:99") and not spots_of(view, "post:0:9")


@pytest.mark.parametrize("side", SIDES)
def test_a_narrow_terminal_shows_the_map_in_two_parts_that_overlap(side: str) -> None:
    view = {**view_of(side), "game": "hansa"}
    whole = [line.ljust(WIDTH) for line in map_parts(view, 100, plain)[""]]
    parts = map_parts(view, 80, plain)
    assert list(parts) == ["west", "east"] and all(len(line) <= 80 for part in parts.values() for line in part)
    for line, west, east in zip(whole, parts["west"], parts["east"], strict=True):
        assert line[:60].rstrip() == west and line[40:].rstrip() == east
    assert not map_parts({**view, "game": "none such"}, 80, plain)


def test_there_are_letters_for_all_routes_and_room_for_a_piece() -> None:
    assert max(len(board.routes) for board in BOARDS) <= len(ROUTES) and len("[B]") == POST
