"""The board, with the place of the marked action standing out."""

from __future__ import annotations

from kontor_games.clients.tui.draw.fitted_text import Line, fitted
from kontor_games.clients.tui.draw.paint import fragments, plain
from kontor_games.clients.tui.model.action_places import Spot
from kontor_games.clients.tui.model.screen import Screen


def board(screen: Screen, width: int, height: int) -> list[Line]:
    """As much of the board as fits, from where it is scrolled to."""
    lines = screen.look_at_board(width, height)
    spot = screen.spot(width)
    screen.scroll_board(0)  # the board may have become shorter
    top = screen.board_top
    return [
        fitted(_marked(line, spot if spot is not None and spot.row == row else None), width)
        for row, line in enumerate(lines[top : top + height], top)
    ]


def _marked(line: str, spot: Spot | None) -> Line:
    if spot is None:
        return fragments(line)
    text = plain(line).ljust(spot.end)
    out: Line = []
    column = 0
    for style, piece in fragments(line + " " * (len(text) - len(plain(line)))):
        for char in piece:
            inside = spot.start <= column < spot.end
            out.append((f"{style} class:mark" if inside else style, char))
            column += 1
    return out
