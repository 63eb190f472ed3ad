"""`kontor play`: a match on this machine, against bots or several people at one screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kontor_games.clients.cli.common import at_node, play_match, screen_options
from kontor_games.clients.cli.simulation import simulate
from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.text.game_options import find_game, print_options, read_option
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

PERSON = "me"


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game")
@click.option("--seats", default="me,bot", show_default=True, help="Who plays: me, me:NAME, bot, bot:KIND, by commas.")
@click.option("--seed", help="A word or number that fixes all chance, for practice.")
@click.option("--save", "path", type=click.Path(dir_okay=False), help="Write the match to this file when you leave.")
@click.option("--quiet", is_flag=True, help="Print only the result (matches of bots).")
@click.option("--options", "show_options", is_flag=True, help="Show the options of this game.")
@click.option("--confirm/--no-confirm", default=True, help="Ask before a turn becomes final.")
@screen_options
@click.pass_context
def command(
    context: click.Context,
    /,
    game: str,
    seats: str,
    seed: str | None,
    path: str | None,
    quiet: bool,
    show_options: bool,
    confirm: bool,
    **screen: Any,
) -> None:
    """Play GAME on this machine; kontor resume goes on later.

    Options of the game follow as --name value; see them with --options. Bots alone play in this very process; the
    same seed gives the same file, and an unfinished one goes on.
    """
    services: Services = context.obj
    record = find_game(services.games(), game)
    if show_options:
        print_options(Terminal(), record)
        return
    options = game_options(record, context.args)
    places = _seats(services, seats)
    if all(kind != PERSON for _, kind in places):
        _simulate(services, game, options, places, seed, path, quiet)
        return
    if quiet:
        raise click.UsageError("--quiet is for matches of bots alone")
    if path and Path(path).exists():
        raise click.UsageError(f"{path} exists already; choose another name")
    with at_node() as (node, terminal):
        people = [{"kind": kind, **({"name": name} if name else {})} for name, kind in places]
        body = {"game": game, "options": options, "seats": people, **({"seed": seed} if seed else {})}
        match = node.post("matches", body)["id"]
        terminal.inbox.listen()
        sys.exit(play_match(node, terminal, match, confirm=confirm, save=path or "", **screen))


def _simulate(
    services: Services,
    game: str,
    options: dict[str, Any],
    seats: list[tuple[str, str]],
    seed: str | None,
    path: str | None,
    quiet: bool,
) -> None:
    terminal = Terminal()
    match = services.new_match(game, options, seats, seed, path)
    try:
        simulate(match, terminal, quiet)
    except KeyboardInterrupt:
        terminal.print(f"\nStopped; what was played is in {match.info()['path']}")
        sys.exit(130)
    finally:
        match.close()


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
    """«me,bot,bot:random» as names and kinds; equal names get numbers, and the person's own name is the node's."""
    kinds = list(services.bot_kinds())
    seats: list[tuple[str, str]] = []
    for word in text.split(","):
        who, _, detail = word.strip().partition(":")
        if who == PERSON:
            seats.append((detail, PERSON))
        elif who == "bot" and (not detail or detail in kinds):
            seats.append(((detail or kinds[0]).capitalize(), detail or kinds[0]))
        else:
            raise click.UsageError(f"a seat is me, me:NAME, bot or bot:KIND ({', '.join(kinds)}), not {word.strip()!r}")
    names = [name for name, _ in seats]
    counts: dict[str, int] = {}
    numbered: list[tuple[str, str]] = []
    for name, kind in seats:
        counts[name] = counts.get(name, 0) + 1
        numbered.append((f"{name} {counts[name]}" if name and names.count(name) > 1 else name, kind))
    return numbered
