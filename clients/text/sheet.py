"""The result of a match as a score sheet."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from .phrases import Words
from .terminal import Terminal


def print_result(terminal: Terminal, words: Words, names: list[str], result: dict[str, Any]) -> None:
    """Why the match ended, who won, and the points by category."""
    terminal.lines(result_lines(words, names, result, terminal.width, terminal.paint))


def result_lines(
    words: Words, names: list[str], result: dict[str, Any], width: int, paint: Callable[[str, str], str]
) -> list[str]:
    """The sheet in at most `width` columns."""
    reason = words.reason(result["reason"])
    lines = textwrap.wrap(f"{reason[:1].upper()}{reason[1:]}.".replace("..", "."), width, subsequent_indent="  ")
    winners = [words.player(seat) for seat in result["winners"]]
    lines.append(paint("Winner: " if len(winners) == 1 else "Winners: ", "bold") + (", ".join(winners) or "none"))
    lines.append("")
    rows = [(words.category(name), list(points)) for name, points in result["breakdown"]]
    rows.append(("Points", list(result["scores"])))
    rows.append(("Place", list(result["places"])))
    first = min(max(len(label) for label, _ in rows), 34)
    column = max(6, min(14, (width - first) // max(1, len(names)) - 1))
    head = " " * first + "".join(" " + name[: column - 1].rjust(column - 1) for name in names)
    lines.append(paint(head, "bold"))
    for label, points in rows:
        line = label[:first].ljust(first) + "".join(str(point).rjust(column) for point in points)
        lines.append(paint(line, "bold") if label in ("Points", "Place") else line)
    return lines


def verdict_line(verdict: str) -> str:
    """What the file of a match proves, as `kontor verify` says it; with a word on what nobody signed."""
    why = " (it was played on one machine, so nobody had to sign it)" if "unsigned" in verdict else ""
    return f"Its file is {verdict}{why}."
