"""Rounds and standings of an event as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

STATES = {"signed": "", "unsigned": "not signed by all", "unfinished": "unfinished", None: ""}


def print_declared(terminal: Terminal, event: Data) -> None:
    """What was declared."""
    settings = event["settings"]
    terminal.wrapped(f"  {event['title']}, {settings['rounds']} rounds, {settings['method']}")
    for name, text in event["declared"]:
        terminal.wrapped(f"  {name}: {text}")


def print_round(terminal: Terminal, drawn: Data) -> None:
    """Who sits where, and how it ended where it has."""
    terminal.print(terminal.paint(f"Round {drawn['number']}", "bold"))
    for table in drawn["tables"]:
        seats = [_seat(number, seat) for number, seat in enumerate(table["seats"], 1)]
        state = STATES[table["finish"]]
        terminal.wrapped(f"  Table {table['table']}: {', '.join(seats)}{f' ({state})' if state else ''}")
    if drawn["byes"]:
        terminal.wrapped(f"  Bye: {', '.join(drawn['byes'])}")


def _seat(number: int, seat: Data) -> str:
    told = "" if seat["place"] is None else f" ({seat['place']}.)"
    return f"{number} {seat['name']}{' (left)' if seat['left'] else told}"


def print_standings(terminal: Terminal, event: Data) -> None:
    """Everybody in order."""
    terminal.print(terminal.paint("Final standings" if event["is_over"] else "Standings", "bold"))
    heads = ["", "player", "points", *event["tie_breaks"], *(str(each["number"]) for each in event["rounds"])]
    rows = [
        [
            str(row["rank"]),
            row["name"],
            row["points"],
            *row["ties"],
            *(each["points"] if each["how"] == "played" else each["how"] for each in row["rounds"]),
        ]
        for row in event["standings"]
    ]
    _table(terminal, heads, rows)


def _table(terminal: Terminal, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for row in (heads, *rows):
        cells = [
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        terminal.print(f"  {'  '.join(cells)}".rstrip())
