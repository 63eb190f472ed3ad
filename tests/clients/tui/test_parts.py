"""The parts of the full screen that need no screen: menu, texts, places on the boards, sizes."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.node.node_connection import NodeConnection
from kontor_games.clients.node.node_link import NodeLink
from kontor_games.clients.text.boards import render_wide
from kontor_games.clients.tui.draw.fitted_text import Line, cleaned, columns, cut, fitted, line_columns, rule, wrapped
from kontor_games.clients.tui.draw.paint import fragments, paint, plain
from kontor_games.clients.tui.model.action_places import spots_of
from kontor_games.clients.tui.model.menu_rows import MenuRows
from kontor_games.clients.tui.model.own_part import own_lines
from kontor_games.clients.tui.model.screen import Screen
from kontor_games.clients.tui.model.screen_menu import Menu, MenuItem
from kontor_games.clients.tui.model.shown_match import ScreenMatch
from kontor_games.clients.tui.model.talk import Talk
from kontor_games.clients.tui.panes.board import board
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
    """Positions of a playout with the seat to act, and the elements of what it may do."""
    record = engine.load(game)
    match = new_match(record, {}, 3, b"places")
    for _ in steps(match, policies("random", 3, b"places"), plies):
        seat = match.turn
        if seat is not None and seat >= 0:
            view = engine.view(record, match.state, seat, match.known(seat)) | {"names": ["Anna", "Bob", "Carl"]}
            actions = engine.legal(record, match.state, match.known(seat))
            yield view, [record.offer.targets(match.state, (action,))[0] for action in actions]


@pytest.mark.parametrize("game", engine.game_ids())
def test_the_board_shows_where_actions_belong_and_what_is_ones_own(game: str) -> None:
    found = 0
    for view, targets in views(game, 150):
        lines = render_wide(view, 80, paint)
        own = own_lines(lines)
        assert own and all("\ue000" not in line for line in own)
        for target in targets:
            for spot in spots_of(view, target, lines, 80):
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


def test_a_map_wider_than_its_pane_is_moved_and_follows_what_is_marked() -> None:
    view, targets = next(iter(views("hansa", 40)))
    session = ScreenMatch(Talk(NodeConnection(NodeLink(0, ""), lambda: NodeLink(0, ""))), "m", 0, False)
    session.state = {
        "view": view,
        "seats": [{"name": name} for name in view["names"]],
        "ply": 1,
        "draft": {"texts": []},
    }
    screen = Screen(session)
    west = texts_of(board(screen, 80, 50))
    screen.pan_board(500)
    east = texts_of(board(screen, 80, 50))
    assert screen.board_left == 20 and all(len(line) <= 80 for line in west + east)
    lines = zip(west[3:40], east[3:40], strict=True)
    assert all(left[20:].rstrip() == right[:60].rstrip() for left, right in lines), "two windows on one map"
    assert west[0] == east[0], "what fits stays where it is"
    posts = [target for target in targets if target.startswith("post:")]
    for target in (posts[0], posts[-1]):
        screen.menu.fill([MenuItem("a post", target, target=target)])
        drawn = board(screen, 80, 12)
        marked = "".join(text for line in drawn for style, text in line if "class:mark" in style)
        assert len(marked) == 3, "the marked post is in sight"


def texts_of(lines: list[Line]) -> list[str]:
    return ["".join(text for _, text in line) for line in lines]
