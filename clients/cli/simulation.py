"""A match of bots alone, played in this process from nothing but game, options and seed; see docs/adr/0011."""

from __future__ import annotations

from kontor_games.clients.text.boards import render
from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.sheet import print_result
from kontor_games.clients.text.story import tell
from kontor_games.clients.text.terminal import Terminal

from .without_node import MatchOfBots


def simulate(match: MatchOfBots, terminal: Terminal, quiet: bool) -> None:
    """Let the bots play to the end; `quiet` prints the result alone."""
    info = match.info()
    names = [seat["name"] for seat in info["seats"]]
    words = Words(info["game"], names)
    if not quiet:
        terminal.print(terminal.paint(info["title"], "bold") + "  " + ", ".join(names))
        options = [f"{name} {value}" for name, value in info["options"].items()]
        if options:
            terminal.wrapped("Options: " + ", ".join(options))
    while not match.is_over:
        entries = match.advance()
        if not quiet:
            tell(terminal, words, entries)
    if not quiet:
        terminal.print()
        terminal.lines(render({**match.view(None), "names": names}, terminal.width, terminal.paint))
        terminal.print()
    result = match.result()
    assert result is not None
    print_result(terminal, words, names, result)
