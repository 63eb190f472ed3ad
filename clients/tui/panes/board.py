"""The board, with the place of the marked action standing out."""

from __future__ import annotations

from kontor_games.clients.text.boards.spot import MapSpot
from kontor_games.clients.text.choice_groups import guide_words
from kontor_games.clients.tui.draw.fitted_text import Line, fitted, wrapped
from kontor_games.clients.tui.draw.paint import fragments, plain
from kontor_games.clients.tui.model.screen import Screen


def board(screen: Screen, width: int, height: int) -> list[Line]:
    """As much of the board as fits, from where it is scrolled to; lines that are too long are moved to the side."""
    told = _guide(screen, width)[: max(0, height - 4)]
    height -= len(told)
    lines = screen.look_at_board(width, height)
    spots = screen.spots(width)
    screen.scroll_board(0)  # the board may have become shorter, or its pane wider
    screen.pan_board(0)
    top = screen.board_top
    shown = []
    for row, line in enumerate(lines[top : top + height], top):
        here = [spot for spot in spots if spot.row == row]
        marked = _marked(line, here) if here else fragments(line)
        if len(plain(line)) > width:
            marked = _between(marked, screen.board_left, screen.board_left + width)
        shown.append(fitted(marked, width))
    return [*told, *shown]


def _guide(screen: Screen, width: int) -> list[Line]:
    """What the guide of a first match says, above the board that it speaks of."""
    session = screen.session
    text = "" if session.state is None or session.curtain is not None else guide_words(session.state)
    return [[("class:end", f" {line}")] for line in wrapped(text, width - 2)] if text else []


def _between(line: Line, start: int, end: int) -> Line:
    """Some columns of a line."""
    out: Line = []
    column = 0
    for style, text in line:
        out.append((style, text[max(0, start - column) : max(0, end - column)]))
        column += len(text)
    return [piece for piece in out if piece[1]]


def _marked(line: str, spots: list[MapSpot]) -> Line:
    bare = plain(line)
    blank = " " * (max(spot.end for spot in spots) - len(bare))
    out: Line = []
    column = 0
    for style, piece in fragments(line + blank):
        for char in piece:
            inside = any(spot.start <= column < spot.end for spot in spots)
            out.append((f"{style} class:mark" if inside else style, char))
            column += 1
    return out
