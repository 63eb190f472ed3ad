"""What can fill the whole body: the curtain between people, help, the result, a large log."""

from __future__ import annotations

from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.sheet import result_lines
from kontor_games.clients.tui.draw.fitted_text import Line, columns, fitted, rule, wrapped
from kontor_games.clients.tui.draw.paint import fragments, paint
from kontor_games.clients.tui.model.key_help import help_lines
from kontor_games.clients.tui.model.screen import TABS, Screen

from .board import board
from .side import lines_of

TITLES = {"board": "Board", "help": "Help", "result": "Result", **TABS}


def curtain(screen: Screen, width: int, height: int) -> list[Line]:
    """Nothing but whose turn it is: the last person's hand is gone, the next one's is not there yet."""
    seat = screen.session.curtain
    name = screen.session.names[seat] if seat is not None else ""
    texts = [
        f"It is the turn of {name}.",
        "",
        "Everybody else looks away.",
        f"{name} presses the space bar to see the board.",
    ]
    lines = [line for text in texts for line in wrapped(text, width - 4)]
    above = max(0, (height - len(lines)) // 2)
    blank: list[Line] = [[("", "")] for _ in range(above)]
    return [*blank, *([("class:title", " " * max(0, (width - columns(line)) // 2) + line)] for line in lines)]


def sheet_title(screen: Screen, width: int, height: int) -> list[Line]:
    """The line above what fills the body."""
    total, rows = screen.sheet_lines, screen.sheet_rows
    top, count = (screen.board_top, screen.board_lines) if screen.sheet == "board" else (screen.sheet_top, total)
    where = f"{top + 1}\N{EN DASH}{min(count, top + rows)} of {count}, PgUp PgDn" if count > rows else ""
    return [rule(width, TITLES.get(screen.sheet, ""), where)]


def sheet(screen: Screen, width: int, height: int) -> list[Line]:
    """The body, from where it is scrolled to."""
    if screen.sheet == "board":
        drawn = board(screen, width, height)
        screen.sheet_rows, screen.sheet_lines, screen.sheet_top = height, screen.board_lines, screen.board_top
        return drawn
    lines = _lines(screen, width)
    screen.sheet_rows, screen.sheet_lines = height, len(lines)
    screen.scroll_sheet(0)
    return [fitted(line, width) for line in lines[screen.sheet_top : screen.sheet_top + height]]


def _lines(screen: Screen, width: int) -> list[Line]:
    if screen.session.state is None:
        return []
    match screen.sheet:
        case "help":
            return help_lines(screen, width)
        case "result":
            return _result(screen, width)
        case _:
            return lines_of(screen, screen.sheet, width)


def _after(screen: Screen, width: int) -> list[Line]:
    """Where the match lies, what its file proves, and who would play again."""
    session = screen.session
    rematch = (session.state or {}).get("rematch")
    texts = [f"The whole match is in {session.file}"] if session.file else []
    texts += [session.verdict] if session.verdict else []
    if rematch is not None and not rematch["mine"]:
        texts.append(f"{', '.join(rematch['by'])} would play again: choose Play again.")
    return [[("", f"  {line}")] for text in texts for line in wrapped(text, width - 4)]


def _result(screen: Screen, width: int) -> list[Line]:
    """Who won and why, with the points by category."""
    state = screen.session.state
    assert state is not None
    if state["result"] is None:
        return [[("", f" {line}")] for line in wrapped("The match ended without a result.", width - 2)]
    words = Words(state["game"], screen.session.names, screen.session.game.get("terms", {}))
    lines = result_lines(words, screen.session.names, state["result"], width - 4, paint)
    out: list[Line] = [[("", "")], *([("", "  "), *fragments(line)] for line in lines), [("", "")]]
    if state["kind"] == "net" and not state.get("complete", True) and not screen.session.watching:
        out.append([("class:end", "  Waiting for the final signatures of all.")])
    out += _after(screen, width)
    out.append([("class:dim", "  Esc goes back to the board and to what can be done now.")])
    return out
