"""Nothing from a file steers the terminal; without colours nothing is lost."""

from __future__ import annotations

import io
import sys

import pytest

from kontor_games.clients.text.boards import plain, render
from kontor_games.clients.text.terminal import Terminal, clean, columns


def printed(text: str, colour: bool) -> str:
    out = io.StringIO()
    Terminal(out, colour).print(text)
    return out.getvalue()


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(
    "evil", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r", "\x08", "\x00", "\u202e", "\u2028", "\x1b[31;1m", "\x7f"]
)
def test_control_characters_never_reach_the_terminal(evil: str, colour: bool) -> None:
    out = printed(f"a{evil}b", colour)
    assert out.startswith("a") and out.endswith("b\n")
    assert not set("\x1b\x9b\r\x08\x00\x07\u202e\u2028\x7f") & set(out)


def test_styles_pass_only_where_colours_are_wanted() -> None:
    assert printed(Terminal(io.StringIO(), True).paint("x", "bold red"), True) == "\x1b[1m\x1b[31mx\x1b[0m\n"
    assert printed("\x1b[31mx\x1b[0m", False) == "·[31mx·[0m\n"
    assert Terminal(io.StringIO(), False).paint("x", "red") == "x"
    assert Terminal(io.StringIO(), True).paint("x", "no such style") == "x"


@pytest.mark.parametrize("colour", [False, True])
def test_a_wrapped_text_may_begin_in_colour_and_what_follows_is_cleaned(colour: bool) -> None:
    out = io.StringIO()
    Terminal(out, colour).wrapped(": forged \x1b[31m " + "word " * 30, head="wrong", style="bold")
    assert out.getvalue().startswith("\x1b[1mwrong\x1b[0m: forged" if colour else "wrong: forged")
    assert out.getvalue().count("\x1b") == 2 * colour and all(len(each) <= 90 for each in out.getvalue().splitlines())


def test_colours_follow_the_terminal_and_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Terminal(Tty()).colour and not Terminal(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal(Tty()).colour


def test_a_terminal_that_knows_few_characters_still_shows_the_text() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    Terminal(out).print("Lübeck")
    assert raw.getvalue() == b"L?beck\n"


def test_what_is_typed_is_cleaned_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(" take\x1b r5 \n"))
    terminal = Terminal(io.StringIO())
    assert terminal.ask("> ") == "take· r5"
    assert terminal.ask("> ") is None


def test_columns_fill_downwards_and_keep_the_width() -> None:
    assert columns(["a", "b", "c"], 7) == ["a  c", "b"]
    assert columns([], 80) == [] and columns(["x" * 90], 80) == ["x" * 90]
    assert clean("a\nb") == "a\nb"


def test_a_game_without_a_board_is_shown_as_an_outline() -> None:
    view = {"game": "toy", "seat": 0, "scores": [1, 2], "hands": [[1, None], []], "deep": {"a": {"b": ["x" * 30] * 5}}}
    lines = render(view, 80, lambda text, style: text)
    assert lines == plain.render(view, 80, lambda text, style: text)
    assert "scores: 1 2" in lines and all(len(line) <= 80 for line in lines)


def test_a_name_that_is_longer_than_a_line_is_not_broken() -> None:
    out, name = io.StringIO(), f"matches/{'3' * 64}.kontor"
    Terminal(out, False).wrapped(f"the bytes of {name} are not those that were handed in")
    assert f"  {name}\n" in out.getvalue()
