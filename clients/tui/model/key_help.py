"""Help: the keys, the words that can be typed, and the game in short."""

from __future__ import annotations

from kontor_games.clients.tui.draw.fitted_text import Line, padded, wrapped

from .screen import Screen

KEYS = (
    ("\N{UPWARDS ARROW} \N{DOWNWARDS ARROW}", "mark another item of the menu; left and right in its columns"),
    ("letters", "leave the items that contain them; Esc clears what was typed"),
    ("a number", "marks the item of that number"),
    ("Enter", "does the marked item; text that fits no item is taken as notation (below)"),
    ("Ctrl-Z, Ctrl-Y", "undo, redo; Backspace in the empty field undoes too"),
    ("F9", "confirm what is drafted: it is final then"),
    ("PgUp, PgDn", "scroll the board; Ctrl and an arrow moves it a little, to the sides too if it is wide"),
    ("F2", "the board alone, as large as it gets"),
    ("Tab", "log, your own things, chat, table; Alt and arrows scroll them, F3 makes them large"),
    ("F4", "write to everybody at the table"),
    ("F5", "the result, once the match is over"),
    ("F6", "give the mouse back to the terminal, for copying text, or take it again"),
    ("F1 or ?", "this help"),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-C or F10", "leave the screen; the match goes on"),
)  # fmt: skip
WORDS = (
    ("/say TEXT", "write to everybody"),
    ("/undo /redo /confirm", "like the keys"),
    ("/restart", "take back the whole draft"),
    ("/vote, /wait", "go on without who is missing, or take that back"),
    ("/board /log /you /table", "make one thing large"),
    ("/bye", "leave the match for good; a stand-in plays on, among two it is a forfeit"),
    ("/quit", "leave the screen"),
)
MOUSE = "The mouse is optional: a click marks an item and a click on the marked one does it; the wheel scrolls."


def help_lines(screen: Screen, width: int) -> list[Line]:
    """Everything about this screen and this game."""
    game = screen.session.game
    lines = [*_heading("Keys"), *_pairs(KEYS, width), *_text(MOUSE, width)]
    lines += [*_heading("Words to type"), *_pairs(WORDS, width)]
    lines += [*_heading(game.get("title", "The game")), *_text(game.get("help", ""), width)]
    for title, *paragraphs in game.get("rules", []):
        lines += _heading(title)
        for paragraph in paragraphs:
            points = paragraph if isinstance(paragraph, list) else [paragraph]
            sign = "\N{BULLET} " if isinstance(paragraph, list) else ""
            lines += [line for point in points for line in _text(sign + point, width, "  " if sign else "")]
    lines += _heading("How actions are written")
    for form in game.get("forms", []):
        lines += _text(form.replace("{", "<").replace("}", ">"), width)
    return lines


def _heading(text: str) -> list[Line]:
    return [[("", "")], [("class:title", f" {text}")]]


def _text(text: str, width: int, indent: str = "") -> list[Line]:
    return [[("", f"  {line}")] for line in wrapped(text, min(width, 100) - 4, indent)]


def _pairs(pairs: tuple[tuple[str, str], ...], width: int) -> list[Line]:
    first = max(len(name) for name, _ in pairs) + 2
    lines: list[Line] = []
    for name, text in pairs:
        head, *rest = wrapped(text, max(20, width - first - 4))
        lines.append([("class:key", f"  {padded(name, first)}"), ("", head)])
        lines += [[("", " " * (first + 2) + line)] for line in rest]
    return lines
