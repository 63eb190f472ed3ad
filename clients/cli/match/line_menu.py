"""The menu in plain lines: what is asked, then the choices in words, by kind; many of one kind are only counted."""

from __future__ import annotations

from kontor_games.clients.text.choice_groups import groups_of
from kontor_games.clients.text.terminal import Terminal, columns
from kontor_games.clients.values import Data

FEW = 12  # choices that are read out in full where little shall be said
MANY = 24  # choices of one kind that are counted rather than read out


def show_menu(terminal: Terminal, state: Data, brief: bool = False) -> None:
    """What is asked now and what can be chosen."""
    groups = groups_of(state)
    if not groups:
        return
    terminal.print()
    terminal.wrapped(state["now"]["text"])
    total = len(state["menu"])
    if brief and total > FEW:
        counts = ", ".join(f"{title or 'more'} ({len(entries)})" for title, entries in groups)
        terminal.wrapped(f"{total} choices: {counts}. menu lists them.")
        return
    number = 1
    for title, entries in groups:
        if len(entries) > MANY:
            last = number + len(entries) - 1
            terminal.wrapped(f"{title}: choices {number} to {last}; menu {title.lower()} lists them.")
        else:
            if title and len(groups) > 1:
                terminal.print(terminal.paint(title, "bold"))
            _list(terminal, number, entries)
        number += len(entries)


def show_whole_menu(terminal: Terminal, state: Data, words: str, forms: bool = False) -> None:
    """All choices, or those that have the words, with their notation if wanted; and why other kinds are not there."""
    wanted = words.casefold().split()
    number = 0
    found = False
    terminal.wrapped(state["now"]["text"])
    for title, entries in groups_of(state):
        is_headed = False
        for entry in entries:
            number += 1
            shown = f"{entry['phrase']}  ({entry['text']})" if forms else entry["phrase"]
            if not all(word in f"{title} {shown}".casefold() for word in wanted):
                continue
            if title and not is_headed:
                terminal.print(terminal.paint(title, "bold"))
            found = is_headed = True
            terminal.wrapped(f"{number:>3}  {shown}", indent=" " * 5)
    if wanted and not found:
        terminal.wrapped(f"No choice has these words: {words}")
    whys: dict[str, list[str]] = {}
    for kind in state["kinds"]:
        if kind["why"] and not wanted:
            whys.setdefault(kind["why"], []).append(kind["label"])
    for why, labels in whys.items():
        terminal.wrapped(f"{', '.join(labels)}: not now; {why}.")


def _list(terminal: Terminal, number: int, entries: list[Data]) -> None:
    """Short choices side by side, long ones wrapped."""
    cells = [f"{place:>3}  {entry['phrase']}" for place, entry in enumerate(entries, number)]
    if max(map(len, cells)) <= terminal.width:
        terminal.lines(columns(cells, terminal.width))
        return
    for cell in cells:
        terminal.wrapped(cell, indent=" " * 5)
