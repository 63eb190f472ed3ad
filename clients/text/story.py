"""The log of a match in words."""

from __future__ import annotations

from typing import Any

from .phrases import Words
from .terminal import Terminal


def tell_lines(terminal: Terminal, names: list[str], lines: list[dict[str, Any]], numbers: bool = False) -> None:
    """Print lines of the node's log, which are worded already; with numbers, the notation stands before the words."""
    for line in lines:
        said = f"{names[line['seat']]}: {line['text']}" if numbers and line["seat"] is not None else ""
        number = f"{line['ply']:>4}  " if numbers else ""
        if said or line["say"]:
            terminal.wrapped(number + "  ".join(part for part in (said, line["say"]) if part), indent="      ")


def tell(terminal: Terminal, words: Words, entries: list[dict[str, Any]], numbers: bool = False) -> None:
    """Print log entries: the action in notation, then what came of it."""
    for entry in entries:
        number = f"{entry['ply']:>4}  " if numbers else ""
        said = f"{words.player(entry['seat'])}: {entry['text']}" if entry["seat"] is not None else ""
        facts = " ".join(filter(None, map(words.event, entry["events"])))
        if not said and not facts and numbers:
            facts = words.chance(entry["chance"])
        if said or facts:
            terminal.wrapped(number + "  ".join(part for part in (said, facts) if part), indent="      ")
