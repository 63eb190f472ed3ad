"""The text board and the words of Hansa Teutonica."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.boards.hansa import render
from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import Event, LocalMatch, event_dict
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.state import Promo, State
from tests.engine.hansa.playouts import PROMO, lively_policy, playout
from tests.engine.hansa.position import full_route, marker, position, route_of, say


def lines_of(state: State, seat: int | None = 0, width: int = 100, **more: Any) -> list[str]:
    view = {**engine.view(GAME, state, seat, {}), **more}
    return render(view, width, lambda text, style: text)


def listed(state: State) -> str:
    """The board of a narrow terminal."""
    return "\n".join(lines_of(state, width=80))


def test_routes_show_pieces_by_shape_and_owner_and_their_markers() -> None:
    state = position(
        posts={"hamburg_lubeck:0": "0t", "hamburg_lubeck:2": "1m"}, markers={"hamburg_lubeck": "swap_offices"}
    )
    assert "Hamburg–Lübeck [B] ○ (G) *swap" in listed(state)


def test_cities_show_offices_free_spaces_coins_and_control() -> None:
    state = position(rows={"gottingen": "1t"}, extras={"gottingen": "0m"})
    text = listed(state)
    assert "Göttingen actions: +B [G](w)[p] =G" in text
    assert "Lübeck bank: [w]+1[p]" in text


def test_sea_posts_permanent_markers_regions_and_promos_are_told() -> None:
    east = listed(position("east"))
    assert "Malmö–Visby  ○ ( ) ○  =green office" in east and "Waren actions bank green" in east
    state = position("britannia_45")
    promo = Promo(route_of(state, "cardiff_montgomery"), marker("route_block"), 1)
    text = listed(position("britannia_45", promos=(promo,)))
    assert "Cardiff–Montgomery  ○  ○  ○  Wales !block G" in text and "Cardiff permit W: " in text


def test_the_headline_tells_who_decides_what() -> None:
    state = position(posts={"dortmund_paderborn:1": "1t"}, players={0: {"personal": (2, 0)}})
    assert "Ira (you): 2 actions left" in lines_of(state, names=["Ira", "Masha", "Timur", "Boris"])[1]
    state = say(state, "displace dor-pad:2")
    told = lines_of(state)[1]
    assert "Green relocates around Dortmund–Paderborn (turn of Blue (you), 1 actions left)" in told
    assert lines_of(state)[2] == "  the displaced piece must be settled · up to 1 additional"
    assert "in hand [G]" in lines_of(say(state, "extra trader"))[2]
    lifted = say(position(posts={"arnheim_duisburg:0": "0m"}), "lift arn-dui:1")
    assert "in hand (B)" in lines_of(lifted)[2]
    claim = say(position(posts=full_route("base_45", "arnheim_duisburg", "0t 0t 0t")), "claim arn-dui")
    assert "has claimed Arnheim–Duisburg" in lines_of(claim)[1]


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {"map": "east", "silver": PROMO}),
        (3, {"map": "base_3", "missions": True, "favour": True}),
        (4, {"map": "britannia_45", "silver": PROMO}),
        (5, {"map": "base_45", "missions": True, "favour": True, "silver": PROMO}),
        (5, {"map": "britannia_45"}),
    ],
)
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_every_position_fits_the_width_and_every_event_has_its_sentence(
    seats: int, options: dict[str, Any], every: int
) -> None:
    """Every event, and every third position; all positions are long."""
    names = ["A very long name indeed, longer than any column"] * seats
    words = Words("hansa", names)

    def watch(match: LocalMatch[State], events: tuple[Event, ...]) -> None:
        for event in events:
            sentence = words.event(event_dict(event))
            assert "{" not in sentence and sentence.endswith("."), sentence
        for width in (80, 100) if match.ply % every == 0 else ():
            viewer = match.ply // every % seats
            view = engine.view(GAME, match.state, viewer, match.known(viewer)) | {"names": names}
            lines = render(view, width, lambda text, style: text)
            assert max(map(len, lines)) <= width, max(lines, key=len)

    playout({**options, "max_rounds": 30}, seats, b"board", [lively_policy(b"b")], watch)


def test_the_catalogue_words_every_event_reason_and_category() -> None:
    catalogue = load_catalogue("hansa")
    assert {cls.__name__ for cls in GAME.events} <= set(catalogue["events"])
    assert {"points", "markers", "cities", "rounds"} <= set(catalogue["reasons"])
    categories = {"track", "abilities", "markers", "special", "cities", "regions", "network", "mission"}
    assert categories | {"actions_level"} <= set(catalogue["categories"])


def test_the_own_mission_is_shown_and_no_other() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"missions": True}, 3, b"own")
    list(match.settle())
    view = engine.view(GAME, match.state, 1, match.known(1))
    assert sum("mission" in line for line in render(view, 100, lambda text, style: text)) == 1


def test_the_end_names_the_winner() -> None:
    match = playout({"max_rounds": 3}, 2, b"end", [lively_policy(b"e")]).match
    assert lines_of(match.state)[1].startswith("The match is over. Winner: ")
