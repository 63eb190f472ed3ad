"""`kontor ladder`: compute a published ladder again, or look at it."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

import click

from kontor_games.clients.cli.common import LOBBY, LOBBY_KEY, at_node, enter_lobby
from kontor_games.clients.cli.progress_line import ProgressLine
from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.text.terminal import Terminal, clean
from kontor_games.clients.values import Data

PEOPLE = 20  # of each table on the terminal
_place = click.argument("place", metavar="FOLDER-or-URL")
_json = click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")


@click.group("ladder")
def command() -> None:
    """Check what a lobby's ladder says, or look at it. docs/ladder.md explains how ladders count."""


@command.command("check")
@_place
@_json
@click.option("--jobs", type=click.IntRange(1, 64), help="Processes that judge files; all cores by default.")
@click.option("--key", metavar="FINGERPRINT", help="The lobby's fingerprint: another keeper is a difference.")
@click.pass_obj
def check(services: Services, /, place: str, as_json: bool, jobs: int | None, key: str | None) -> None:
    """Compute every rating of a published ladder again from its files, and say what differs.

    FOLDER-or-URL is where ladder.json lies; an address begins with https:// or http://.

    Exit code: 0 everything follows from the files, 1 something differs, 2 the ladder cannot be read,
    3 nothing differs so far, but some files cannot be judged here (a newer Kontor may be needed).
    """
    line = ProgressLine(0)
    try:
        found = services.check_ladder(place, jobs or os.cpu_count() or 1, key, lambda d, t: line.draw(d, {}, t))
    except KeyboardInterrupt:
        line.wipe()
        click.echo("kontor: stopped; nothing was changed", err=True)
        sys.exit(130)
    line.wipe()
    if as_json:
        click.echo(json.dumps(found))
    else:
        _print_check(Terminal(), found)
    sys.exit(found["code"])


def _print_check(terminal: Terminal, found: Data) -> None:
    head = {
        0: terminal.paint("holds", "bold green"),
        1: terminal.paint("differs", "bold red"),
        3: terminal.paint("not all could be checked", "bold yellow"),
    }[found["code"]]
    terminal.print(f"{clean(found['title'])}, kept by {found['keeper'][:19]}: {head}")
    counts = [(found["files"], "file"), (found["matches"], "match"), (found["ratings"], "rating")]
    terminal.print(f"  computed anew: {', '.join(_counted(number, what) for number, what in counts)}")
    if found["on_word"]:
        terminal.wrapped(
            f"  {found['on_word']:,} of these files are withdrawn because a name was removed: "
            "what they came to is the lobby's word."
        )
    for text in found["differences"]:
        terminal.wrapped(f"  {clean(text)}")
    if found["more"]:
        terminal.print(f"  and {found['more']:,} more differences")
    for text in found["not_judged"][:PEOPLE]:
        terminal.wrapped(f"  {clean(text)}")


@command.command("show")
@_place
@_json
@click.option("--game", help="Only this game.")
@click.option("--season", type=click.IntRange(1), help="Another season than the one that runs.")
@click.pass_obj
def show(services: Services, /, place: str, as_json: bool, game: str | None, season: int | None) -> None:
    """Print the tables of a published ladder as its lobby signed them; `check` computes them again."""
    page = services.ladder_page(place)
    if as_json:
        click.echo(json.dumps(page))
        return
    terminal, said = Terminal(), page["said"]
    wanted = season or said["season"]
    boards = [b for b in said["boards"] if b["season"] == wanted and game in (None, b["game"])]
    as_of = datetime.fromtimestamp(page["as_of"] / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    terminal.print(f"{clean(page['title'])}, season {wanted}, as of {as_of}")
    for board in boards:
        where = "" if board["list"] == "open" else ", played on local networks"
        terminal.print(terminal.paint(f"{board['game']} with {board['players']} players{where}", "bold"))
        for row in board["people"][:PEOPLE]:
            terminal.print(f"  {_row(row)}")
        if len(board["people"]) > PEOPLE:
            terminal.print(f"  and {len(board['people']) - PEOPLE:,} more")
    if not boards:
        terminal.print("  no match has been counted yet")
    for each in said["named"]:
        who = clean(each["name"]) or "somebody"
        terminal.wrapped(f"  {who} ({each['key'][:12]}) signed two different messages in match {each['match'][:12]}.")


@command.command("count")
@click.argument("folder", type=click.Path(file_okay=False))
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--title", default="A ladder", show_default=True, help="What the ladder is called.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Processes that judge files; all cores by default.")
@click.pass_obj
def count(services: Services, /, folder: str, files: tuple[str, ...], title: str, jobs: int | None) -> None:
    """Keep a ladder of your own in FOLDER: judge FILES of rated matches, count them, publish.

    It is signed with this node's key. FOLDER/published is what others check. Exit code: 0 all files were
    accepted, 1 some were refused, 2 the folder or a file cannot be used.
    """
    told = services.count_files(folder, files, title, jobs or os.cpu_count() or 1)
    terminal = Terminal()
    for each in told["files"]:
        terminal.wrapped(
            f"{clean(each['path'])}: {each['state']}{': ' if each['reason'] else ''}{clean(each['reason'])}"
        )
    waiting = f", {told['waiting']:,} wait for their time to pass" if told["waiting"] else ""
    terminal.print(f"{_counted(told['counted'], 'match')} counted{waiting}; published in {clean(told['published'])}")
    sys.exit(1 if any(each["state"] == "refused" for each in told["files"]) else 0)


@command.command("hand-in")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, resolve_path=True))
@LOBBY
@LOBBY_KEY
def hand_in(files: tuple[str, ...], lobby: str | None, lobby_key: str | None) -> None:
    """Hand FILES of rated matches to a lobby's ladder: those played on a local network, or cut off.

    The lobby judges them later; its ladder shows what became of them. Exit code: 0 all files are safe there.
    """
    with at_node() as (node, terminal):
        if not enter_lobby(node, terminal, lobby, lobby_key):
            raise click.UsageError("which lobby? Give --lobby ADDRESS once; it is remembered")
        for path in files:
            word = node.post("lobby/hand-in", {"path": path})
            terminal.print(f"{clean(path)}: {clean(word['text'])}")
            if word["page"]:
                terminal.print(f"  Everybody will see it at {clean(word['page'])}")


@command.command("hide")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.argument("key")
@click.pass_obj
def hide(services: Services, /, folder: str, key: str) -> None:
    """Remove the name of KEY (64 digits, or the fingerprint) from the ladder in FOLDER, yours or your lobby's."""
    services.hide_name(folder, key)
    click.echo("The name goes, and so do the files that hold it; the ratings stay.")


def _row(row: dict[str, Any]) -> str:
    name = clean(row["name"]) or "(name removed)"
    notes = [f"{count} × {mark}" for mark, count in row["marks"].items()]
    notes += ["provisional"] if row["provisional"] else []
    played = f"{_counted(row['matches'], 'match')}, {row['won']} won"
    tail = f"  ({', '.join(notes)})" if notes else ""
    return f"{row['rank']:>4}  {row['points']:>5}  {name[:24]:<24} {row['fingerprint'][:9]}  {played}{tail}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}{'es' if what.endswith('ch') else 's'}"
