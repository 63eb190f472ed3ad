"""The menu, what the marked item does, and the drafted turn."""

from __future__ import annotations

from kontor_games.clients.tui.draw.fitted_text import Line, columns, cut, fitted, line_columns, padded, rule, wrapped
from kontor_games.clients.tui.model.menu import MenuItem
from kontor_games.clients.tui.model.screen import Screen

from .head import whose_turn

WIDE = 28  # columns that an item needs beside others
ARROW = " \N{BLACK RIGHT-POINTING SMALL TRIANGLE} "
STOP = "\N{BLACK SQUARE}"


def title(screen: Screen, width: int, height: int) -> list[Line]:
    """The line above the menu."""
    shown, total = len(screen.menu.shown), len(screen.menu.items)
    count = f"{shown} of {total}" if shown != total else str(total) if total else ""
    return [rule(width, "What you can do" if total else "Nothing to do now", count)]


def menu(screen: Screen, width: int, height: int) -> list[Line]:
    """The items, in columns if there is room; a page at a time."""
    shown = screen.menu.shown
    if not shown:
        return [[("class:dim", line)] for line in _nothing(screen, width)][:height]
    across = screen.menu_across = max(1, min(width // WIDE, -(-len(shown) // max(1, height))))
    screen.menu_rows = height
    page = screen.menu.cursor // (height * across)
    first = page * height * across
    each = width // across
    lines: list[Line] = []
    for row in range(min(height, len(shown) - first)):
        line: Line = []
        for place in range(first + row, min(len(shown), first + height * across), height):
            number, item = shown[place]
            line += _cell(number, item, each, place == screen.menu.cursor)
        lines.append(fitted(line, width))
    return lines


def _cell(number: int, item: MenuItem, width: int, marked: bool) -> Line:
    head = f"{number:>3} "
    room = width - len(head) - 1
    text = padded(item.label if columns(item.label) <= room or not item.text else item.text, room)
    if marked:
        return [("class:chosen", head + text), ("", " ")]
    return [("class:number", head), ("" if item.text else "class:title", text), ("", " ")]


def _nothing(screen: Screen, width: int) -> list[str]:
    session = screen.session
    if screen.menu.items:
        typed = screen.menu.typed.strip()
        return wrapped(f"Nothing here contains «{typed}». Enter sends it as it is; Esc clears it.", width - 1)
    return wrapped(whose_turn(session), width - 1)


def place_at(screen: Screen, x: int, y: int, width: int) -> int:
    """The place in the menu under a click."""
    across, rows = screen.menu_across, screen.menu_rows
    page = screen.menu.cursor // (rows * across)
    return page * rows * across + min(across - 1, x // max(1, width // across)) * rows + y


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
    told = effect or ("" if item.label == item.text else item.label)
    text = f"{item.text}: {told}" if item.text and told else item.text or told
    if item.reveals:
        text += f" {STOP} Reveals something: no undo after it."
    return _lines(text, width, height, "class:end" if item.reveals else "")


def _lines(text: str, width: int, height: int, style: str) -> list[Line]:
    lines = wrapped(text, width - 2)
    if len(lines) > height:
        lines = [*lines[: height - 1], cut(" ".join(lines[height - 1 :]), width - 2)]
    return [[(style, f" {line}")] for line in lines]


def draft(screen: Screen, width: int, height: int) -> list[Line]:
    """The drafted turn, and where undo ends."""
    session = screen.session
    state = session.state
    if state is None or session.curtain is not None:
        return []
    if session.watching:
        return [[("class:dim", cut(" You are watching: nothing that only players know is shown.", width))]]
    drafted = state["draft"]
    if not session.is_my_turn:
        return []
    if not drafted["texts"]:
        again = " Ctrl-Y takes the undone step again." if drafted["can_redo"] else ""
        return [[("class:dim", cut(f" Draft: nothing yet. Nothing counts before you confirm.{again}", width))]]
    if drafted["must_commit"]:
        tail: Line = [("class:end", f" {STOP} undo ends here: "), ("class:key", "Enter"), ("", " confirms ")]
        tail += [("class:key", "Ctrl-Z"), ("", " takes back")] if drafted["can_undo"] else []
    else:
        tail = [("class:key", "  Ctrl-Z"), ("", " undo")] if drafted["can_undo"] else []
        tail += [("class:key", "  F9"), ("", " confirm")] if drafted["may_commit"] else []
    room = width - line_columns(tail) - 8
    steps = ARROW.join(drafted["texts"])
    while columns(steps) > room and ARROW in steps:
        steps = steps.partition(ARROW)[2]
    dots = "" if steps.count(ARROW) == len(drafted["texts"]) - 1 else "\N{HORIZONTAL ELLIPSIS}"
    return [[("class:title", " Draft: "), ("", dots + cut(steps, room - len(dots))), *tail]]
