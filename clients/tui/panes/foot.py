"""The last line: the keys that matter now."""

from __future__ import annotations

from kontor_games.clients.tui.draw.fitted_text import Line, line_columns
from kontor_games.clients.tui.model.screen import Screen


def keys(screen: Screen, width: int, height: int) -> list[Line]:
    """As many keys as fit, the most useful first."""
    line: Line = [("", " ")]
    leave = _piece("Ctrl-C", "leave")
    for key, does in _keys(screen):
        piece = _piece(key, does)
        if line_columns([*line, *piece, *leave]) <= width:
            line += piece
    return [[*line, *leave]]


def _piece(key: str, does: str) -> Line:
    return [("class:key", key), ("class:dim", f" {does}  ")]


def _keys(screen: Screen) -> list[tuple[str, str]]:
    session = screen.session
    if session.curtain is not None:
        return [("Space", "lift the curtain")]
    if screen.sheet:
        sides = [("\N{LEFTWARDS ARROW} \N{RIGHTWARDS ARROW}", "to the sides")]
        wide = sides if screen.sheet == "board" and screen.board_columns > screen.board_width else []
        return [("Esc", "back"), ("PgUp PgDn", "scroll"), *wide, ("Home End", "to the ends")]
    if screen.is_talking:
        return [("Enter", "say it to everybody"), ("Esc", "back to the match")]
    draft = session.state["draft"] if session.is_my_turn and session.state is not None else None
    found: list[tuple[str, str]] = []
    if screen.menu.items:
        found += [("\N{UPWARDS ARROW}\N{DOWNWARDS ARROW} Enter", "choose")]
        if draft is not None and not draft["must_commit"]:
            found += [("type", "narrow down")]
    if draft is not None and draft["can_undo"]:
        found += [("Ctrl-Z", "undo")]
    if draft is not None and draft["can_redo"]:
        found += [("Ctrl-Y", "redo")]
    if draft is not None and draft["may_commit"]:
        found += [("F9", "confirm")]
    if screen.board_columns > screen.board_width:
        found += [("Ctrl-\N{LEFTWARDS ARROW}\N{RIGHTWARDS ARROW}", "move map")]
    found += [("F2", "large board"), ("Tab", "log, you, table"), ("F3", "large log")]
    if screen.can_talk:
        found.insert(-1, ("F4", "say"))
    return found
