"""The parts of the full screen that need no screen: menu, texts, places on the boards, sizes."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.boards import render
from kontor_games.clients.tui.draw.fitted_text import cleaned, columns, cut, fitted, line_columns, rule, wrapped
from kontor_games.clients.tui.draw.paint import fragments, paint, plain
from kontor_games.clients.tui.model.action_places import spot_of
from kontor_games.clients.tui.model.menu import Menu, MenuItem
from kontor_games.clients.tui.model.menu_rows import MenuRows
from kontor_games.clients.tui.model.own_part import own_lines
from kontor_games.clients.tui.panes.layout import plan
from tests.engine.playouts import new_match, policies, steps

ITEMS = [
    MenuItem("Place Hamburg–Lübeck 1", "place ham-lub:1"),
    MenuItem("Hire", "hire 1 0"),
    MenuItem("Undo", command="undo"),
]


def test_typing_narrows_the_menu_down_and_numbers_mark() -> None:
    menu = Menu()
    menu.fill(ITEMS)
    menu.type("LUBECK place")
    assert [number for number, _ in menu.shown] == [1] and menu.meant() == ITEMS[0]
    menu.type("2")
    assert len(menu.shown) == 3 and menu.meant() == ITEMS[1]
    menu.type("9")
    assert not menu.shown and menu.meant() is None
    menu.type("hire 1 0")
    assert menu.meant() == ITEMS[1]
    menu.type("")
    menu.move(99)
    assert menu.meant() == ITEMS[2]
    menu.move(-99)
    assert menu.meant() == ITEMS[0]


def test_the_mark_stays_where_it_is_while_the_items_are_the_same() -> None:
    menu = Menu()
    menu.fill(ITEMS)
    menu.move(1)
    menu.fill([*ITEMS])
    assert menu.meant() == ITEMS[1]
    menu.fill(ITEMS[1:])
    assert menu.cursor == 0
    assert not menu.mark(7) and menu.mark(1) and menu.meant() == ITEMS[2]


def test_no_item_of_the_menu_is_cut_and_titles_of_kinds_stand_between() -> None:
    shown = [
        (number, MenuItem(f"Place a trader on Hamburg–Lübeck, post {number}", f"p{number}", kind="Place"))
        for number in range(1, 9)
    ]
    shown.append((9, MenuItem("End the turn", "end", kind="End turn")))
    for width, height, across in ((30, 40, 1), (100, 5, 2), (60, 4, 1)):
        rows = MenuRows()
        rows.lay(shown, width, height, 8)
        assert rows.across == across
        texts: dict[int, str] = {}
        for row in rows.rows:
            assert columns(row.text) + columns(row.number) < width // across
            if row.place is not None:
                texts[row.place] = f"{texts.get(row.place, '')} {row.text}".strip()
        assert [texts[place] for place in range(9)] == [item.label for _, item in shown]
        assert [row.text for row in rows.rows if row.place is None] == ["Place", "End turn"]
        assert rows.top <= rows.row_of(8) < rows.top + rows.page, "the marked item is in sight"
        assert rows.place_at(0, rows.row_of(8) - rows.top, width) == 8 or across > 1
        assert rows.beside(0, 1) > 0 and rows.beside(0, -1) == 0


@pytest.mark.parametrize("text", ["", "one", "a few words that go on and on", "x" * 50, "漢字 " * 12, "née " * 9])
def test_texts_fit_their_columns(text: str) -> None:
    for width in (5, 12, 40):
        assert columns(cut(text, width)) <= width
        lines = wrapped(text, width, "  ")
        assert all(columns(line) <= width for line in lines)
        assert "".join("".join(lines).split()) == "".join(text.split()), "nothing is lost"
        assert line_columns(fitted([("", text), ("bold", text)], width)) <= width
        assert line_columns(rule(max(width, 12), text, "9")) <= max(width, 12)


def test_painted_lines_and_cleaned_answers_hold_no_marks_of_others() -> None:
    line = "a " + paint("b", "bold red") + " c"
    assert plain(line) == "a b c" and fragments(line) == [("", "a "), ("bold fg:ansired", "b"), ("", " c")]
    assert cleaned({"a": ["x\x1b[2Jy\nz\ue000", 3, None]}) == {"a": ["x·[2Jy z·", 3, None]}


def views(game: str, plies: int) -> Any:
    """Positions of a playout with the seat to act, and what it may do."""
    record = engine.load(game)
    match = new_match(record, {}, 3, b"places")
    for _ in steps(match, policies("random", 3, b"places"), plies):
        seat = match.turn
        if seat is not None and seat >= 0:
            view = engine.view(record, match.state, seat, match.known(seat)) | {"names": ["Anna", "Bob", "Carl"]}
            texts = [
                (record.notation.say(match.state, action), record.offer.targets(match.state, (action,))[0])
                for action in engine.legal(record, match.state, match.known(seat))
            ]
            yield view, texts


@pytest.mark.parametrize("game", engine.game_ids())
def test_the_board_shows_where_actions_belong_and_what_is_ones_own(game: str) -> None:
    found = 0
    for view, texts in views(game, 150):
        lines = render(view, 100, paint)
        own = own_lines(lines)
        assert own and all("\ue000" not in line for line in own)
        for text, target in texts:
            spot = spot_of(view, text, target, lines)
            if spot is not None:
                found += 1
                assert 0 <= spot.row < len(lines) and 0 <= spot.start < spot.end <= 101
    assert found > 20


@pytest.mark.parametrize("game", engine.game_ids())
@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (132, 43), (200, 60)])
def test_the_panes_fit_every_size(game: str, size: tuple[int, int]) -> None:
    columns_, rows = size
    sizes = plan(game, columns_, rows)
    above = rows - 4 - 2 * sizes.detail
    if sizes.beside:
        assert columns_ - sizes.side - 1 >= 69 and sizes.acts + 4 <= above
    else:
        assert above - 1 - sizes.bottom >= 4
