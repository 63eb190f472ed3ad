"""The text board and the words of the fair."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.clients.text.boards.joban import render
from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import Event, LocalMatch, event_dict
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import Pick
from kontor_games.engine.games.joban.data import FACES
from kontor_games.engine.games.joban.state import CATEGORIES, NOBODY, State
from tests.engine.joban.playouts import bot, playout
from tests.engine.joban.position import face, play, position, resolving


def _lines(state: State, seat: int | None = 0, width: int = 80, **more: Any) -> list[str]:
    view = {**engine.view(GAME, state, seat, {}), **more}
    return render(view, width, lambda text, style: text)


def test_the_field_is_a_grid_with_letters_and_dragon_marks() -> None:
    field = [(-1, 1, 1, NOBODY), (0, 0, 0, 1), (1, 1, 2, 0)]
    rows = [line for line in _lines(position(field=field)) if re.match(r"\s+-?\d+ ", line)]
    assert rows[:5] == [
        "   2  ·   ·   ·   ·   ·  ",
        "   1  ·   R   ·   Yk  ·  ",
        "   0  ·   ·   Go  ·   ·  ",
        "  -1      ·   ·   ·      ",
        "     -2  -1   0   1   2  ",
    ]


def test_new_picked_and_waiting_shops_are_marked() -> None:
    state = resolving(face(bonus="move_shop"), (0, 0))
    assert any("[G ]" in line for line in _lines(state))
    assert any("<Y >" in line for line in _lines(play(state, Pick(0, (1, 1)))))
    waiting = position(field=[(0, 0, 0, 1), (1, 0, 1, NOBODY)], phase="dragons", card=0, queue=((1, ((0, 0),)),))
    assert any("Go!" in line for line in _lines(waiting))


def test_names_of_players_are_used_where_the_client_gives_them() -> None:
    text = "\n".join(_lines(position(), names=["Ira", "Masha", "Timur"]))
    assert "Ira (you) designs or builds (action 1 of 2)" in text and "Timur" in text


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("width", [69, 80, 100])
def test_every_position_fits_the_width_for_every_viewer(seats: int, width: int) -> None:
    def watch(match: LocalMatch[State], events: tuple[Event, ...]) -> None:
        for seat in (None, match.ply % seats):
            known = {} if seat is None else match.known(seat)
            view = engine.view(GAME, match.state, seat, known) | {"names": ["A very long name indeed"] * seats}
            lines = render(view, width, lambda text, style: text)
            assert max(map(len, lines)) <= width, max(lines, key=len)

    seed = bytes([seats, width])
    playout({"field_half_extent": 10}, seats, seed, bot("random", seed), watch)


def test_no_code_is_shown() -> None:
    codes = re.compile("|".join(rf"(?<!\S){re.escape(code)}(?!\S)" for code in FACES) + r"|\b[gry]\d\b|=|_")

    def watch(match: LocalMatch[State], events: tuple[Event, ...]) -> None:
        if match.ply % 5 and match.turn is not None:
            return
        for seat in (None, match.ply % 2):
            known = {} if seat is None else match.known(seat)
            text = "\n".join(render(engine.view(GAME, match.state, seat, known), 80, lambda text, style: text))
            assert not codes.search(text), codes.search(text)

    playout({}, 2, b"codes", bot("random", b"codes"), watch)


def test_cards_tasks_and_lines_are_told_in_words() -> None:
    state = position(seats=2, hands=((1, 0, 0), (1, 1, 0)), discard=(face("red", "diagonal", "yellow", "swap_shops"),))
    known = {state.players[0].hand[0][0]: face("green", "adjacent", "red", "draw_two")}
    known[state.players[0].tasks[0]] = GAME.faces.index("row+g-r")
    lines = render(engine.view(GAME, state, 0, known), 80, lambda text, style: text)
    assert "  G   a green shop: scores red around it; or draw two cards" in lines
    assert "  1   a row: +2 per green shop, -2 per red shop" in lines
    assert "      lines now: middle: +2  1 below: +0  1 above: -2" in lines
    assert "  2   a task not known yet" in lines
    assert lines[-1] == "  red: yellow diagonally / swap"


def test_a_field_wider_than_the_terminal_is_cut_into_bands() -> None:
    field = [(x, 0, x % 3, NOBODY) for x in range(-15, 16)]
    lines = _lines(position(field=field, options={"field_half_extent": 0}))
    assert max(map(len, lines)) <= 80
    assert sum(1 for line in lines if line.startswith("   0 ")) == 2


def test_colour_is_never_the_only_sign() -> None:
    state = position(field=[(0, 0, 0, 0), (1, 0, 1, 1), (2, 0, 2, NOBODY)])
    painted: list[tuple[str, str]] = []

    def paint(text: str, style: str) -> str:
        painted.append((text, style))
        return text

    render(engine.view(GAME, state, 0, {}), 80, paint)
    assert {("G", "green"), ("R", "red"), ("Y", "yellow")} <= set(painted)


def test_a_leaver_is_marked_and_the_open_hand_is_shown() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"board")
    list(match.settle())
    seat = match.state.active
    match.play(match.legal()[0])
    list(match.settle())
    match.leave(seat)
    text = "\n".join(_lines(match.state, (seat + 1) % 3))
    assert f"Open cards of seat {seat} (left)" in text


def test_the_end_names_the_winner() -> None:
    match = playout({}, 2, b"end", bot("greedy", b"end"))
    assert _lines(match.state)[0].startswith("The fair is over. Winner: seat")
    assert any("scored" in line for line in _lines(match.state))


def test_the_catalogue_words_every_event_reason_category_and_face() -> None:
    catalogue = load_catalogue("joban")
    assert {cls.__name__ for cls in GAME.events} <= set(catalogue["events"])
    assert {"one_pile", "two_piles"} <= set(catalogue["reasons"])
    assert set(CATEGORIES) <= set(catalogue["categories"])
    assert len(catalogue["names"]["card"]) == len(FACES)
    letters = {"green": "g", "red": "r", "yellow": "y", "around": "a", "straight": "o", "diagonally": "d"}
    for code, words in zip(FACES[:36], catalogue["names"]["card"], strict=False):
        own, scores, pattern, bonus = re.fullmatch(r"(\w+) card \((\w+) (\w+) / (\w+)\)", words).groups()  # type: ignore[union-attr]
        assert f"{letters[own]}{letters[pattern]}{letters[scores]}-{bonus}" == code
    kinds = {"rows": "row", "columns": "column", "rising diagonals": "rise", "falling diagonals": "fall"}
    for code, words in zip(FACES[36:], catalogue["names"]["card"][36:], strict=True):
        kind, plus, minus = re.fullmatch(r"(.+) \+(\w+) −(\w+)", words).groups()  # type: ignore[union-attr]
        assert f"{kinds[kind]}+{letters[plus]}-{letters[minus]}" == code
    for number, code in enumerate(FACES[36:], 36):
        line, pays = catalogue["names"]["line"][str(number)], catalogue["names"]["pays"][str(number)]
        kind = re.fullmatch(r"the (.+) \{line:(row|column)\}", line).group(1)  # type: ignore[union-attr]
        plus, minus = re.fullmatch(r"(\w+) pays and (\w+) costs", pays).groups()  # type: ignore[union-attr]
        assert f"{kinds[kind + 's']}+{letters[plus]}-{letters[minus]}" == code


def test_sentences_have_no_open_places() -> None:
    words = Words("joban", ["Ira", "Masha", "Timur", "Boris"])
    said: set[str] = set()

    def watch(match: LocalMatch[State], events: tuple[Event, ...]) -> None:
        for event in events:
            sentence = words.event(event_dict(event))
            assert "{" not in sentence and sentence.endswith((".", ")."))
            said.add(type(event).__name__)

    for number in range(4):
        seed = b"words" + bytes([number])
        playout({}, 4, seed, bot("random", seed), watch)
    assert len(said) > 15


def test_rendering_does_not_change_the_view() -> None:
    state = replace(position(), ended=1)
    view = engine.view(GAME, state, 0, {})
    before = repr(view)
    render(view, 80, lambda text, style: text)
    assert repr(view) == before
