"""`kontor tournament`: an event from its declaration to its standings, in one folder that anybody can check."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from kontor_games.clients.cli.commands.play_command import game_options
from kontor_games.clients.cli.common import (
    BOT,
    LOBBY,
    LOBBY_KEY,
    READY,
    at_node,
    bot_kind,
    enter_lobby,
    play_match,
    screen_options,
)
from kontor_games.clients.cli.judged_archive import cache_path
from kontor_games.clients.cli.progress_line import ProgressLine
from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.home_folder import again, use_home
from kontor_games.clients.text.terminal import Terminal, one_line
from kontor_games.clients.values import Data

from .event_table import EventTableFlow, find_table, open_table
from .event_text import print_declared, print_round, print_standings

F = TypeVar("F", bound=Callable[..., Any])
FOLDER = click.argument("folder", type=click.Path(path_type=Path))
ANYWAY = click.option("--anyway", is_flag=True, help="Tables without a file score what was declared for them.")
CACHE = click.option("--cache", type=click.Path(dir_okay=False), help="Where to remember what files came to.")
NO_CACHE = click.option("--no-cache", is_flag=True, help="Judge every file anew, and remember nothing.")
TIES = ("opponents", "wins", "seconds", "share", "lot")


def own_home(command: F) -> F:
    """Every command of the group understands --home."""
    return click.option(
        "--home", type=click.Path(file_okay=False), expose_value=False, is_eager=True, callback=use_home,
        help="Another directory for key and matches.",
    )(command)  # fmt: skip


@click.group()
def command() -> None:
    """Organise a tournament: players by key, rounds drawn, results from verified files, all in one signed folder.

    An evening: new, add (for every player), then for every round pair, page, result; at last end. Players go to their
    tables with kontor tournament play. Anybody can check the folder. docs/organising.md tells it with an example.
    """


@command.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@FOLDER
@click.argument("game")
@click.option("--name", required=True, help="What the event is called.")
@click.option("--rounds", type=click.IntRange(1, 60), default=5, show_default=True)
@click.option(
    "--tables", "sizes", default="4,3", show_default=True, metavar="SIZES", help="Sizes of tables, the liked first."
)
@click.option("--method", type=click.Choice(["swiss", "robin"]), default="swiss", show_default=True,
              help="Swiss brings together those with like points; a round robin everybody with everybody.")  # fmt: skip
@click.option(
    "--points", multiple=True, metavar="LIST", help="By place, such as 12,8,4,0; once for each size of table."
)
@click.option("--bye", type=click.IntRange(0, 1000), default=12, show_default=True, help="Points of a bye.")
@click.option("--late", type=click.IntRange(0, 1000), default=0, show_default=True,
              help="Points for each round before somebody came.")  # fmt: skip
@click.option("--missing", type=click.IntRange(0, 1000), default=0, show_default=True,
              help="Points of everybody at a table of which no file is handed in.")  # fmt: skip
@click.option("--unfinished", type=click.IntRange(0, 1000), default=0, show_default=True,
              help="Points of everybody at a table whose match did not end.")  # fmt: skip
@click.option("--unsigned", type=click.Choice(["places", "unfinished"]), default="places", show_default=True,
              help="How a match counts that is over, and not signed by all who stayed.")  # fmt: skip
@click.option("--left", type=click.Choice(["nothing", "places"]), default="nothing", show_default=True,
              help="What those score who left their match before its end.")  # fmt: skip
@click.option("--tie-break", "tie_breaks", multiple=True, type=click.Choice(TIES),
              help="In the order given; usual are opponents, wins, seconds. lot ends every tie.")  # fmt: skip
@click.option("--recovery", type=click.Choice(["majority", "none"]), default="majority", show_default=True,
              help="If somebody is lost: a majority can go on, or nobody can.")  # fmt: skip
@click.option("--grace", type=click.IntRange(0, 30 * 86_400), default=120, show_default=True, metavar="SECONDS",
              help="How long somebody may be out of reach before the others can go on.")  # fmt: skip
@click.option("--spectators/--no-spectators", default=True, show_default=True, help="Let others watch the matches.")
@click.option("--seed", help="What all lots follow from; best something nobody can choose, such as tonight's numbers.")
@own_home
@click.pass_context
def new(context: click.Context, /, folder: Path, game: str, sizes: str, points: tuple[str, ...], **wish: Any) -> None:
    """Declare an event of GAME in a new FOLDER, signed with this node's key. What is declared never changes.

    Options of the game follow as --name value; see them with kontor play GAME --options.
    """
    services: Services = context.obj
    record = next((known for known in services.games() if known["id"] == game), None)
    if record is None:
        raise click.UsageError(f"there is no game {game!r}; see kontor games")
    wish["sizes"] = _numbers(sizes, "--tables")
    unfit = [size for size in wish["sizes"] if size not in record["seats"]]
    if unfit:
        raise click.UsageError(
            f"{record['title']} is for {', '.join(map(str, record['seats']))}, not {unfit[0]} players"
        )
    wish["points"] = _points(points, wish["sizes"])
    wish["tie_breaks"] = wish["tie_breaks"] or TIES[:3]
    services.new_tournament(folder, {**wish, "game": game, "options": game_options(record, context.args)})
    event = services.tournament(folder).shown()
    terminal = Terminal()
    terminal.print(f"{terminal.paint(event['settings']['name'], 'bold')} is declared in {folder}.")
    print_declared(terminal, event)
    terminal.print("Now add the players; each finds their key with kontor id:")
    terminal.print(f"  {again('tournament add')} {folder} NAME KEY")


def _points(lists: Sequence[str], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """Points in the order of the sizes; None: the usual ones."""
    if not lists:
        return None
    told = {len(each): each for each in (_numbers(text, "--points") for text in lists)}
    lacking = [size for size in sizes if size not in told]
    if lacking:
        raise click.UsageError(f"--points: a table of {lacking[0]} needs a list of {lacking[0]} numbers")
    return tuple(told[size] for size in sizes)


def _numbers(text: str, option: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
        raise click.UsageError(f"{option} takes numbers with commas between them, not {text!r}")
    return tuple(map(int, parts))


@command.command()
@FOLDER
@click.argument("name", required=False)
@click.argument("key", required=False)
@click.option("--players", type=click.File(encoding="utf-8"), help="A list: a key and a name on each line.")
@own_home
@click.pass_obj
def add(services: Services, folder: Path, name: str | None, key: str | None, players: Any) -> None:
    """Let NAME, who holds KEY, take part from the next round on; or everybody in a list.

    Whoever of a list takes part already is passed over, so a list can be handed in again when it was mended.
    """
    wanted = [(key, name)] if name and key else []
    listed = [] if players is None else _listed(players)
    if not wanted and not listed:
        raise click.UsageError("who? Give a name and a key, or --players FILE")
    event = services.tournament(folder)
    here = {(each["key"], each["name"]) for each in event.shown()["players"] if each["is_here"]} if listed else set()
    for each, called in wanted + [line for line in listed if line not in here]:
        event.add(each, called)
        click.echo(f"{called} takes part")
    there = sum(line in here for line in listed)
    if there:
        click.echo(f"{there} of the list took part already")


def _listed(players: Iterable[str]) -> list[tuple[str, str]]:
    """Keys and names in a list of players."""
    try:
        lines = [line.split(None, 1) for line in players if line.strip() and not line.startswith("#")]
    except ValueError:
        raise click.UsageError("--players: this is not a text in UTF-8") from None
    if any(len(line) != 2 for line in lines):
        raise click.UsageError("--players: each line has a key and a name")
    return [(line[0].lower(), line[1].strip()) for line in lines]


@command.command()
@FOLDER
@click.argument("who")
@own_home
@click.pass_obj
def drop(services: Services, folder: Path, who: str) -> None:
    """Let WHO (a name, or the beginning of a key) go: not drawn again, points stay. add brings them back."""
    click.echo(f"{services.tournament(folder).drop(who)} takes no part in further rounds")


@command.command()
@FOLDER
@ANYWAY
@own_home
@click.pass_obj
def pair(services: Services, folder: Path, anyway: bool) -> None:
    """Draw the next round, and close the one before."""
    event = services.tournament(folder)
    number = event.draw(anyway)
    terminal = Terminal()
    print_round(terminal, event.shown()["rounds"][number - 1])
    terminal.print("Give the players event.txt of the folder; each goes to their table with:")
    terminal.print("  kontor tournament play event.txt")


@command.command()
@FOLDER
@click.argument("files", nargs=-1, required=True, type=click.Path())
@CACHE
@NO_CACHE
@own_home
@click.pass_obj
def result(services: Services, folder: Path, files: tuple[str, ...], cache: str | None, no_cache: bool) -> None:
    """Hand in match FILES of the round under way; anybody's file of a match will do.

    Only a verified file counts, of exactly the keys, seats, options and terms of its table. Others are refused, with
    the name of the fault, and the exit code is 1.
    """
    line = ProgressLine(len(files))
    refused = 0
    event = services.tournament(folder)
    for each in event.hand_in(files, cache_path(cache, no_cache), lambda done, total: line.draw(done, {}, total)):
        line.wipe()
        where = f"round {each['round']}, table {each['table']}"
        if each["fault"]:
            refused += 1
            click.echo(one_line(f"{each['path']}: refused ({each['fault']}): {each['text']}"))
        else:
            told = f"; {each['text']}" if each["text"] else ""
            click.echo(one_line(f"{each['path']}: counts for {where}{told}"))
    missing = event.shown()["missing"]
    click.echo(f"still missing: table {', '.join(map(str, missing))}" if missing else "all results of the round are in")
    sys.exit(1 if refused else 0)


@command.command()
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print the whole event as one JSON object.")
@own_home
@click.pass_obj
def standings(services: Services, folder: Path, as_json: bool) -> None:
    """Show the round under way and the standings; FOLDER may be a copy of event.txt alone."""
    event = services.tournament(folder).shown()
    if as_json:
        click.echo(json.dumps(event))
        return
    terminal = Terminal()
    if event["rounds"] and not event["is_over"]:
        print_round(terminal, event["rounds"][-1])
    print_standings(terminal, event)


@command.command()
@FOLDER
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="A page for the wall and for phones.")
@click.option("--csv", "table", type=click.Path(dir_okay=False, path_type=Path), help="The standings as a table.")
@own_home
@click.pass_obj
def page(services: Services, folder: Path, html: Path | None, table: Path | None) -> None:
    """Write pairings and standings as a page that needs nothing else, or as a table.

    An open page reads itself again every half minute. Neither goes into the event's folder.
    """
    if html is None and table is None:
        raise click.UsageError("say where: --html FILE, --csv FILE or both")
    event = services.tournament(folder)
    for path, write in ((html, event.write_page), (table, event.write_csv)):
        if path is not None:
            write(path)
            click.echo(f"written: {path}")


@command.command()
@FOLDER
@ANYWAY
@own_home
@click.pass_obj
def end(services: Services, folder: Path, anyway: bool) -> None:
    """Close the event: its standings are signed, and nothing follows."""
    event = services.tournament(folder)
    event.end(anyway)
    print_standings(Terminal(), event.shown())


@command.command()
@FOLDER
@click.option("--older", type=click.Path(exists=True, path_type=Path),
              help="A copy from before (a folder or its event.txt): the event must go on from it.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
@CACHE
@NO_CACHE
@own_home
@click.pass_obj
def check(
    services: Services, folder: Path, older: Path | None, as_json: bool, cache: str | None, no_cache: bool
) -> None:
    """Check an event from its files alone: signatures, every match, every drawing, the standings. Needs no key.

    The exit code is 0 if everything holds, 1 if something does not, 3 if a file could not be judged.
    """
    line = ProgressLine(0)
    found = services.tournament(folder).check(
        cache_path(cache, no_cache), older, lambda done, total: line.draw(done, {}, total)
    )
    line.wipe()
    if as_json:
        click.echo(json.dumps(found))
        sys.exit(found["code"])
    terminal = Terminal()
    for text in found["faults"]:
        terminal.wrapped(f": {text}", head="wrong", style="bold red")
    for text in found["not_judged"]:
        terminal.wrapped(f": {text}", head="not judged", style="bold yellow")
    for text in found["notes"]:
        terminal.wrapped(f"note: {text}")
    event = found["event"]
    if not found["code"] and event is not None:
        settings, rounds = event["settings"], event["rounds"]
        files = sum(table["file"] is not None for each in rounds for table in each["tables"])
        drawn = (
            "1 round as the method draws it" if len(rounds) == 1 else f"{len(rounds)} rounds as the method draws them"
        )
        results = "1 result" if files == 1 else f"{files} results"
        told = f"{results} as {'its file says' if files == 1 else 'their files say'}"
        if not found["has_files"]:
            told = f"{results} of which no file was looked at"
        terminal.wrapped(
            f": {settings['name']}, {event['records']} records signed by "
            f"{settings['organiser'][:16]}…, {drawn}, {told}; "
            f"last record {event['tip'][:16]}",
            head="holds",
            style="bold green",
        )
    sys.exit(found["code"])


@command.command()
@click.argument("event", type=click.Path(exists=True, path_type=Path))
@LOBBY
@LOBBY_KEY
@BOT
@READY
@screen_options
@own_home
@click.pass_obj
def play(
    services: Services,
    /,
    event: Path,
    lobby: str | None,
    lobby_key: str | None,
    kind: str | None,
    auto: bool,
    **screen: Any,
) -> None:
    """Go to your table of the round under way; EVENT is the event's folder or a copy of its event.txt.

    The node in the first seat opens the table, on the local network or with --lobby there; the others find it by its
    host's key. Seats and options are as drawn. An unfinished match goes on with kontor resume.
    """
    with at_node() as (node, terminal):
        invitation = services.tournament(event).invitation(str(node.hello["node"]["key"]))
        _tell_invitation(terminal, invitation)
        if invitation["is_filed"]:
            terminal.print("The result of this table is in already.")
            return
        in_lobby = lobby is not None or bool(lobby_key)
        if in_lobby:
            enter_lobby(node, terminal, lobby, lobby_key)
        player = bot_kind(node, kind)
        terminal.inbox.listen()
        if invitation["seat"] == 0:
            table = open_table(node, invitation, in_lobby)
        else:
            terminal.wrapped(f"Waiting for the table of {invitation['seats'][0]['name']} …")
            table = find_table(node, terminal, invitation)
        match = EventTableFlow(node, terminal, table, invitation, player, auto or kind is not None).run()
        sys.exit(1 if match is None else play_match(node, terminal, match, **screen))


def _tell_invitation(terminal: Terminal, invitation: Data) -> None:
    others = [seat["name"] for number, seat in enumerate(invitation["seats"]) if number != invitation["seat"]]
    terminal.wrapped(
        f"{invitation['event']}, round {invitation['round']}, table {invitation['table']}: you have seat "
        f"{invitation['seat'] + 1}, with {', '.join(others)}."
    )
    terminal.wrapped(f"The organiser's key in words: {invitation['organiser_words']}.")
