"""The menu, what the marked item does, and the drafted turn."""

from __future__ import annotations

from kontor_games.clients.text.choice_groups import sentences
from kontor_games.clients.tui.draw.fitted_text import (
    ELLIPSIS,
    Line,
    columns,
    cut,
    fitted,
    line_columns,
    padded,
    rule,
    wrapped,
)
from kontor_games.clients.tui.model.menu_rows import MenuRow
from kontor_games.clients.tui.model.screen import Screen
from kontor_games.clients.tui.model.shown_match import State

from .head import whose_turn

STOP = "\N{BLACK SQUARE}"


def title(screen: Screen, width: int, height: int) -> list[Line]:
    """The line above the menu."""
    shown, total = len(screen.menu.shown), len(screen.menu.items)
    count = f"{shown} of {total}" if shown != total else str(total) if total else ""
    return [rule(width, "What you can do" if total else "Nothing to do now", count)]


def menu(screen: Screen, width: int, height: int) -> list[Line]:
    """What is asked now, and the items below it by kind, in columns if there is room; a page at a time."""
    shown = screen.menu.shown
    if not shown:
        return [[("class:dim", line)] for line in _nothing(screen, width)][:height]
    lines: list[Line] = [[("class:title", f" {line}")] for line in _asked(screen, width - 2, max(1, height // 3))]
    rows = screen.menu_rows
    rows.above = len(lines)
    rows.lay(shown, width, height - len(lines), screen.menu.cursor)
    for start in range(rows.top, min(len(rows.rows), rows.top + rows.height)):
        line: Line = []
        for row in rows.rows[start : rows.top + rows.page : rows.height]:
            line += _cell(row, width // rows.across, row.place == screen.menu.cursor)
        lines.append(fitted(line, width))
    return lines


def _asked(screen: Screen, width: int, most: int) -> list[str]:
    """What is to be decided, in a sentence."""
    state = screen.session.state
    if state is None or not screen.session.is_my_turn:
        return []
    return _at_most(wrapped(state["now"]["text"], width), width, most)


def _cell(row: MenuRow, width: int, marked: bool) -> Line:
    text = padded(row.text, width - len(row.number) - 1)
    if row.place is None:
        return [("class:dim", f" {text}")]
    if marked:
        return [("class:chosen", row.number + text), ("", " ")]
    return [("class:number", row.number), ("", text), ("", " ")]


def _nothing(screen: Screen, width: int) -> list[str]:
    session = screen.session
    if screen.menu.items:
        typed = screen.menu.typed.strip()
        return wrapped(f"Nothing here contains «{typed}». Enter sends it as it is; Esc clears it.", width - 1)
    state = session.state
    if state is not None and state["status"] == "playing" and session.curtain is None:
        return wrapped(state["now"]["text"], width - 1)
    return wrapped(whose_turn(session), width - 1)


def detail(screen: Screen, width: int, height: int) -> list[Line]:
    """What the node answered last, else what the marked item does."""
    session = screen.session
    if session.note:
        return _lines(session.note, width, height, "class:alert")
    item = screen.menu.marked
    if item is None or session.curtain is not None:
        return []
    effect = screen.effect(item)
    if effect is None:
        screen.ask_effect(item)
    text = effect or item.label
    if item.reveals:
        text += f" {STOP} Reveals something: no undo after it."
    return _lines(text, width, height, "class:end" if item.reveals else "")


def _lines(text: str, width: int, height: int, style: str) -> list[Line]:
    return [[(style, f" {line}")] for line in _at_most(wrapped(text, width - 2), width - 2, height)]


def _at_most(lines: list[str], width: int, most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)]


def draft(screen: Screen, width: int, height: int) -> list[Line]:
    """The drafted turn, and where undo ends."""
    session = screen.session
    state = session.state
    if state is None or session.curtain is not None:
        return []
    if session.watching:
        return [[("class:dim", cut(" You are watching: nothing that only players know is shown.", width))]]
    if not session.is_my_turn:
        return []
    if not state["draft"]["steps"]:
        again = " Ctrl-Y takes the undone step again." if state["draft"]["can_redo"] else ""
        return [[("class:dim", cut(f" Draft: nothing yet. Nothing counts before you confirm.{again}", width))]]
    tail = _ways(state["draft"])
    says = sentences(state)
    room = width - 9 - (line_columns(tail) if height < 2 else 0)
    kept = says[-1:]
    while len(kept) < len(says) and columns(" ".join(says[-len(kept) - 1 :])) < room:
        kept = says[-len(kept) - 1 :]
    dots = "" if len(kept) == len(says) else ELLIPSIS
    line: Line = [("class:title", " Draft: "), ("", cut(dots + " ".join(kept), room))]
    return [[*line, *tail]] if height < 2 else [line, [("", "       "), *tail]]


def _ways(draft: State) -> Line:
    """What can be done with what is drafted."""
    if draft["must_commit"]:
        tail: Line = [("class:end", f" {STOP} undo ends here: "), ("class:key", "Enter"), ("", " confirms  ")]
        return [*tail, *([("class:key", "Ctrl-Z"), ("", " takes back")] if draft["can_undo"] else [])]
    tail = [("class:key", "  Ctrl-Z"), ("", " undo")] if draft["can_undo"] else []
    return [*tail, *([("class:key", "  F9"), ("", " confirm")] if draft["may_commit"] else [])]
