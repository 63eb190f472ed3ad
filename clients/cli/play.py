"""`kontor play`: a match in this terminal, against bots or several people at one screen."""

from __future__ import annotations

import sys
from typing import Any

import click

from .api import Data, Services
from .games import print_options, read_option
from .table import Table
from .terminal import Terminal


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game")
@click.option("--seats", default="me,bot", show_default=True, help="Who plays: me, me:NAME, bot, bot:KIND, by commas.")
@click.option("--seed", help="A word or number that fixes all chance, for practice.")
@click.option("--save", "path", type=click.Path(dir_okay=False), help="The match file; an unfinished one is resumed.")
@click.option("--quiet", is_flag=True, help="Print only the result (matches of bots).")
@click.option("--options", "show_options", is_flag=True, help="Show the options of this game.")
@click.option("--confirm/--no-confirm", default=True, help="Ask before a turn becomes final.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    seats: str,
    seed: str | None,
    path: str | None,
    quiet: bool,
    show_options: bool,
    confirm: bool,
) -> None:
    """Play GAME in this terminal; or go on with a match, given its .kontor file.

    Options of the game follow as --name value; see them with --options.
    """
    services: Services = context.obj
    terminal = Terminal()
    if game.endswith(".kontor"):
        if context.args:
            raise click.UsageError(f"a match that goes on keeps its options: {' '.join(context.args)}")
        match = services.resume_match(game)
    else:
        record = find_game(services, game)
        if show_options:
            print_options(terminal, record)
            return
        options = game_options(record, context.args)
        match = services.new_match(game, options, _seats(services, seats), seed, path)
    try:
        Table(match, terminal, quiet, confirm).run()
    except KeyboardInterrupt:
        terminal.print()
        Table(match, terminal, quiet, confirm).say_saved()
        sys.exit(130)
    finally:
        match.close()


def find_game(services: Services, game: str) -> Data:
    """The game of this name; click's error names those there are."""
    games = services.games()
    for record in games:
        if record["id"] == game:
            return record
    raise click.UsageError(f"there is no game {game!r}; there are {', '.join(record['id'] for record in games)}")


def game_options(game: Data, arguments: list[str]) -> dict[str, Any]:
    """Options of the game among the arguments, as --name value."""
    options: dict[str, Any] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise click.UsageError(f"unexpected {word!r}; options of the game are --name value")
        name, equals, value = word[2:].replace("-", "_", word[2:].partition("=")[0].count("-")).partition("=")
        if not equals:
            if not rest:
                raise click.UsageError(f"--{name} needs a value")
            value = rest.pop(0)
        options[name] = read_option(game, name, value)
    return options


def _seats(services: Services, text: str) -> list[tuple[str, str]]:
    """«me,bot,bot:random» as names and kinds; equal names get numbers."""
    kinds = list(services.bot_kinds())
    seats: list[tuple[str, str]] = []
    for word in text.split(","):
        who, _, detail = word.strip().partition(":")
        if who == "me":
            seats.append((detail or "Player", "person"))
        elif who == "bot" and (not detail or detail in kinds):
            seats.append(((detail or kinds[0]).capitalize(), detail or kinds[0]))
        else:
            raise click.UsageError(f"a seat is me, me:NAME, bot or bot:KIND ({', '.join(kinds)}), not {word.strip()!r}")
    names = [name for name, _ in seats]
    counts: dict[str, int] = {}
    numbered: list[tuple[str, str]] = []
    for name, kind in seats:
        counts[name] = counts.get(name, 0) + 1
        numbered.append((f"{name} {counts[name]}" if names.count(name) > 1 else name, kind))
    return numbered
