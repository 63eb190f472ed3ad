"""Texts that fit: cleaned at the door, measured in columns, cut and wrapped."""

from __future__ import annotations

from typing import Any

from prompt_toolkit.utils import get_cwidth

from kontor_games.clients.text.terminal import clean

Fragment = tuple[str, str]  # style and text
Line = list[Fragment]
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def cleaned(value: Any) -> Any:
    """An answer of the node in which no text can steer the terminal or break a line; names of fields are ours."""
    if isinstance(value, str):
        return clean(value).replace("\n", " ")
    if isinstance(value, list):
        return [cleaned(each) for each in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(each) for key, each in value.items()}
    return value


def columns(text: str) -> int:
    """How many columns the text takes."""
    return get_cwidth(text)


def cut(text: str, width: int) -> str:
    """The text in at most `width` columns; dots tell that something is missing."""
    if columns(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns(kept + char) > width - 1:
            break
        kept += char
    return (kept.rstrip() + ELLIPSIS)[: max(0, width)]


def padded(text: str, width: int) -> str:
    """The text in exactly `width` columns."""
    text = cut(text, width)
    return text + " " * (width - columns(text))


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The text on as many lines as it needs; all but the first are indented. Words too long for a line are broken."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while columns(word) > width - columns(indent) > 0:
            if line.strip():
                lines.append(line)
            head = _head(word, width - columns(indent))
            lines.append((indent if lines else "") + head)
            word, line = word[len(head) :], indent
        if not word:
            continue
        longer = f"{line} {word}" if line.strip() else line + word
        if columns(longer) > width:
            lines.append(line)
            longer = indent + word
        line = longer
    return [*lines, line] if line.strip() or not lines else lines


def _head(word: str, width: int) -> str:
    """As much of a word as fits, at least one character."""
    end = 1
    while end < len(word) and columns(word[: end + 1]) <= width:
        end += 1
    return word[:end]


def line_columns(line: Line) -> int:
    return sum(columns(text) for _, text in line)


def fitted(line: Line, width: int) -> Line:
    """The line in at most `width` columns."""
    out: Line = []
    room = width
    for style, text in line:
        if columns(text) > room:
            return [*out, (style, cut(text, room))]
        out.append((style, text))
        room -= columns(text)
    return out


def rule(width: int, left: str, right: str = "") -> Line:
    """A line that parts two panes, with words on it."""
    right = f" {right} " if right else ""
    left = cut(f" {left} ", max(0, width - columns(right) - 4)) if left else ""
    fill = max(0, width - 2 - columns(left) - columns(right) - 1)
    return [
        ("class:rule", "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 2),
        ("class:title", left),
        ("class:rule", "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * fill),
        ("class:rule", right),
        ("class:rule", "\N{BOX DRAWINGS LIGHT HORIZONTAL}"),
    ]
