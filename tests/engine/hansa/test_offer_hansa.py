"""How Hansa Teutonica is offered: kinds, joined choices, elements, figures, travels and reasons, by examples."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine import Action, Choice, choices, is_forced, step
from kontor_games.engine.core.offer import Figure, Travel
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import PLUS_3
from kontor_games.engine.games.hansa.state import Promo, State

from .position import city_of, full_route, levels, marker, position, post, route_of, say

OFFER = GAME.offer


def of_kind(state: State, kind: str) -> list[Choice]:
    return [choice for choice in choices(GAME, state, {}) if OFFER.kind(state, choice.actions) == kind]


def kinds(state: State) -> dict[str, int]:
    counts: dict[str, int] = {}
    for choice in choices(GAME, state, {}):
        kind = OFFER.kind(state, choice.actions)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def figures(state: State, *path: Action) -> set[tuple[str, int, int | None, str]]:
    return {(each.id, each.amount, each.seat, each.element) for each in OFFER.foresee(state, path, {})}


def travels(state: State, *actions: Action) -> list[Travel]:
    """Everything that moves through these actions."""
    found: list[Travel] = []
    for action in actions:
        after, events = step(GAME, state, action)
        found += [travel for event in events for travel in OFFER.travels(state, event)]
        state = after
    return found


def displaced() -> State:
    return position(posts={"arnheim_duisburg:0": "1t", "arnheim_duisburg:1": "2m"}, players={0: {"personal": (5, 2)}})


def claim() -> State:
    """Seat 0 may claim a route; seat 1 controls one of its cities, and a marker lies beside it."""
    return position(
        posts=full_route("base_45", "gottingen_quedlinburg", "0t 0m 0t"),
        rows={"gottingen": "1t"},
        markers={"gottingen_quedlinburg": "move_3"},
        players={0: {"unused": (0,), "levels": levels(privilege=3)}},
    )


def test_a_usual_turn_is_a_kind_and_two_posts_and_then_ends_by_itself() -> None:
    state = position()
    for name in ("arnheim_kampen:0", "arnheim_kampen:1"):
        here = post(state, name)
        meant = [
            choice
            for choice in of_kind(state, "place_trader")
            if OFFER.targets(state, choice.actions)[0] == f"post:{route_of(state, 'arnheim_kampen')}:{name[-1]}"
        ]
        assert [choice.actions for choice in meant] == [(a.Place(0, here), a.Choose(0, 0))]
        state = meant[0].after  # type: ignore[assignment]
        assert OFFER.at_rest(state)
    assert is_forced(choices(GAME, state, {})) and kinds(state) == {"end_turn": 1}


def test_a_post_has_one_choice_for_each_piece() -> None:
    free = len(position().posts)
    assert kinds(position()) == {"hire": 3, "place_trader": free, "place_merchant": free, "end_turn": 1}
    only = position(players={0: {"personal": (0, 1)}})
    assert kinds(only) == {"hire": 3, "place_merchant": free, "end_turn": 1}


def test_displacing_is_one_choice_with_its_piece_and_its_toll_in_any_order() -> None:
    state = displaced()
    found = of_kind(state, "displace")
    assert len(found) == 4 + 5, "one trader: 2 × 2; a merchant: two or none or one of each, but not two after the last"
    assert all(GAME.turn(choice.after) in (1, 2) for choice in found)
    here = post(state, "arnheim_duisburg:0")
    route = route_of(state, "arnheim_duisburg")
    assert figures(state, a.Displace(0, here)) == {
        ("toll", 1, 0, f"post:{route}:0"),
        ("added", 1, 1, f"post:{route}:0"),
    }


def test_a_full_route_is_one_target_with_its_posts_and_cities() -> None:
    state = claim()
    route, city = route_of(state, "gottingen_quedlinburg"), city_of(state, "gottingen")
    other = city_of(state, "quedlinburg")
    whole = {f"route:{route}", *(f"post:{route}:{place}" for place in range(3)), f"city:{city}", f"city:{other}"}
    drawn: dict[str, int] = {}
    for choice in of_kind(state, "claim"):
        targets = OFFER.targets(state, choice.actions)
        assert whole <= set(targets) <= whole | {"ability:actions"}
        drawn[targets[0]] = drawn.get(targets[0], 0) + 1
    assert drawn == {f"city:{city}": 4, f"city:{other}": 1, f"route:{route}": 1}


def test_a_claim_shows_points_control_marker_and_what_it_brings() -> None:
    state = claim()
    route, city = route_of(state, "gottingen_quedlinburg"), city_of(state, "gottingen")
    first = a.Claim(0, route)
    always = {("points", 1, 1, f"city:{city}"), ("marker", 1, 0, f"route:{route}")}
    assert figures(state, first, a.Done(0)) == always
    assert figures(state, first, a.Office(0, city)) == always | {("control", 1, 0, f"city:{city}")}
    assert figures(state, first, a.ExtraOffice(0, city, 0)) == always
    developed = {("step", 1, 0, "ability:actions"), ("actions", 1, 0, f"city:{city}")}
    assert figures(state, first, a.Develop(0, 1)) == always | developed


def test_an_office_shows_its_coin_and_the_end_and_a_prestige_space_its_points() -> None:
    state = position(
        posts=full_route("base_45", "coellen_warburg", "0t 0t 0t 0m"),
        players={0: {"levels": levels(privilege=3), "score": 19}},
    )
    city = city_of(state, "coellen")
    coin = state.board.cities[city].spaces[0].coin
    found = figures(state, a.Claim(0, route_of(state, "coellen_warburg")), a.Office(0, city))
    assert ("points", coin, 0, f"city:{city}") in found and ("end", 1, None, f"city:{city}") in found
    prestige = figures(state, a.Claim(0, route_of(state, "coellen_warburg")), a.Prestige(0, 1))
    assert prestige == {("prestige", state.board.spots[1].value, 0, "prestige:1")}


def test_markers_are_used_with_their_choice_unless_they_go_beside_a_route() -> None:
    state = position(
        rows={"arnheim": "0t 1t"}, players={0: {"unused": tuple(range(9))}, 1: {"used": (3, PLUS_3)}}, fresh=0
    )
    paths = {tuple(type(action).__name__ for action in choice.actions) for choice in of_kind(state, "marker")}
    assert paths == {("UseMarker",), ("UseMarker", "Swap"), ("UseMarker", "Develop"), ("UseMarker", "Exchange")}
    city = city_of(state, "arnheim")
    swap = (a.UseMarker(0, marker("swap_offices")), a.Swap(0, city, 0))
    assert OFFER.targets(state, swap) == (f"office:{city}:0", f"office:{city}:1", f"city:{city}", "marker:swap_offices")
    assert figures(state, *swap) == {("control", 1, 0, f"city:{city}")}
    assert figures(state, a.UseMarker(0, PLUS_3)) == {("actions", 3, 0, "marker:plus_3_actions")}


def test_a_displaced_player_puts_the_piece_down_and_adds_others_by_a_click_on_a_post() -> None:
    state = say(displaced(), "displace arn-dui:1", "with trader", "pay trader")
    assert not OFFER.at_rest(state)
    found = kinds(state)
    assert found["settle"] == found["add_trader"] and set(found) == {"settle", "add_trader"}
    added = of_kind(state, "add_trader")[0]
    assert [type(action) for action in added.actions] == [a.Extra, a.Put]
    assert OFFER.targets(state, added.actions)[0].startswith("post:")


@pytest.mark.parametrize(
    ("state", "reasons"),
    [
        (
            position(players={0: {"personal": (0, 0)}}),
            {
                "place_trader": "your supply is empty: hire first",
                "displace": "nobody else stands on a post",
                "move": "you have no piece on the board",
                "claim": "no route is full of your pieces",
                "marker": "you have no unused bonus marker",
                "favour": "no favour tile is on offer",
                "pay": "nothing asks for that now; choose an action, a marker or the end of your turn",
            },
        ),
        (
            position(players={0: {"personal": (1, 0), "general": (0, 0)}}, posts={"arnheim_duisburg:0": "1t"}),
            {
                "hire": "your stock is empty: all your pieces are hired already",
                "place_merchant": "your supply has no merchant",
                "displace": "displacing takes at least two pieces of your supply, which holds 1",
            },
        ),
        (
            position(actions=0, players={0: {"unused": (0,)}}),
            {"hire": "you have no actions left", "marker": "an additional office is taken as the result of a claim"},
        ),
        (position(display=(1,)), {"favour": "a favour tile costs two unused markers"}),
        (position(display=(1,), fresh=0), {"favour": "a favour tile is bought as the very first decision of a turn"}),
        (say(position(), "place arn-kam:1"), {"hire": "first choose a trader or a merchant for the post"}),
    ],
)
def test_a_kind_without_a_choice_says_why(state: State, reasons: dict[str, str]) -> None:
    for kind, reason in reasons.items():
        found = OFFER.why_none(state, kind, {})
        assert found == reason and found.id


def test_every_free_post_may_be_blocked_or_taken() -> None:
    blocks = tuple(Promo(route, marker("route_block"), 1) for route in range(len(position().board.routes)))
    poor = position(promos=blocks, players={0: {"personal": (1, 0)}})
    assert OFFER.why_none(poor, "place_trader", {}) == (
        "every free post needs a permit or more pieces than your supply holds"
    )
    full = replace(position(), posts=bytes(1 + 2 for _ in position().posts))
    assert OFFER.why_none(full, "place_trader", {}) == "no free post takes a trader"


def test_pieces_travel_between_desks_posts_and_cities() -> None:
    state = displaced()
    route = route_of(state, "arnheim_duisburg")
    moved = travels(state, a.Displace(0, post(state, "arnheim_duisburg:0")), a.Choose(0, 0), a.Pay(0, 1))
    assert moved == [
        Travel("trader", f"post:{route}:0", "desk:1:hand", 1),
        Travel("trader", "desk:0:supply", f"post:{route}:0", 0),
        Travel("merchant", "desk:0:supply", "desk:0:stock", 0),
    ]
    assert travels(state, a.Income(0, 2, 0)) == [Travel("trader", "desk:0:stock", "desk:0:supply", 0, 2)]


def test_a_claim_sends_points_marker_office_and_the_other_pieces_on_their_ways() -> None:
    state = claim()
    route, city = route_of(state, "gottingen_quedlinburg"), city_of(state, "gottingen")
    assert travels(state, a.Claim(0, route), a.Office(0, city)) == [
        Travel("points", f"city:{city}", "points:1", 1),
        Travel("marker:move_3", f"route:{route}", "desk:0:markers", 0),
        Travel("marker", "deck:markers", "desk:0:plate", 0),
        Travel("merchant", f"route:{route}", f"city:{city}", 0),
        Travel("trader", f"route:{route}", "desk:0:stock", 0, 2),
    ]


def test_points_are_those_of_the_track() -> None:
    assert GAME.points(position(players={1: {"score": 7}})) == (0, 7, 0, 0)


def test_unseen_markers_are_those_that_lie_nowhere() -> None:
    state: Any = position(players={0: {"unused": (0, 4)}})
    ((faces, slots),) = GAME.unseen(state, {})
    assert len(slots) == 12 and slots == state.supply
    known = {slots[0]: faces[0]}
    ((fewer, left),) = GAME.unseen(state, known)
    assert left == slots[1:] and len(fewer) == len(faces) - 1


def test_a_figure_names_somebody_and_something() -> None:
    for state in (claim(), displaced(), position()):
        for choice in choices(GAME, state, {}):
            for figure in OFFER.foresee(state, choice.actions, {}):
                assert isinstance(figure, Figure) and figure.amount > 0 and figure.element
