"""`kontor stats` and `kontor export`: what the matches of an archive come to, and the same as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from kontor_games.clients.cli.judged_archive import archive_options, judged
from kontor_games.clients.cli.without_node import MatchArchive, Services
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

PEOPLE = 20  # of the table on the terminal
CHOICES = 12  # of each game


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--html", type=click.Path(dir_okay=False), help="Write a page with plots.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@archive_options
@click.pass_obj
def stats(services: Services, /, files: tuple[str, ...], html: str | None, as_json: bool, **how: Any) -> None:
    """Games, people, results by seat, points, lengths, endings and choices of the verified matches in FILES or folders.

    Files that do not verify are left out; a match counts once, however many copies there are.
    """
    terminal = Terminal()

    def demand(archive: MatchArchive) -> None:
        if html and (reason := archive.why_not_stats(html)):
            raise click.BadParameter(reason, param_hint="--html")

    with judged(services, files, demand, **how) as (archive, tick):
        found = archive.stats(tick)
        if html:
            archive.write_stats(html, found)
    if as_json:
        click.echo(json.dumps(found))
    else:
        print_stats(terminal, found)
    if html:
        click.echo(f"written: {html}", err=True)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--parquet",
    "folder",
    required=True,
    type=click.Path(file_okay=False),
    help="The folder for matches.parquet, seats.parquet and plies.parquet.",
)
@archive_options
@click.pass_obj
def export(services: Services, /, files: tuple[str, ...], folder: str, **how: Any) -> None:
    """Write the verified matches in FILES or folders as tables: one row per match, per seat and per ply.

    pandas, DuckDB and Polars read them; docs/organising.md has the columns, and queries to begin with.
    """

    def demand(archive: MatchArchive) -> None:
        if reason := archive.why_not_export(folder):
            raise click.BadParameter(reason, param_hint="--parquet")

    with judged(services, files, demand, **how) as (archive, tick):
        count = archive.export(folder, tick)
    click.echo(f"{count:,} matches written to {folder}", err=True)


def print_stats(terminal: Terminal, stats: Data) -> None:
    """The tables of all games, then of people."""
    for name, game in stats["games"].items():
        terminal.print(terminal.paint(name, "bold"))
        terminal.print(f"  {game['matches']:,} matches, {game['finished']:,} finished")
        for what, counts in (("players", game["players"]), ("ended by", game["endings"])):
            if counts:
                told = ", ".join(f"{key.replace('_', ' ')} ({count:,})" for key, count in counts.items())
                terminal.print(f"  {what}: {told}")
        if game["stand_ins"]:
            terminal.print(f"  stand-ins played in {game['stand_ins']:,}")
        for what, key in (("points", "scores"), ("points of winners", "winning_scores"), ("plies", "plies")):
            if game[key]["count"]:
                terminal.print(f"  {what}: {_spread(game[key])}")
        rows = [
            (f"{each['seat'] + 1} of {each['players']}", f"{each['played']:,}", f"{each['won'] / each['played']:.0%}")
            for each in game["seats"]
        ]
        _table(terminal, ("seat", "played", "won"), rows)
        rows = [
            (each["choice"], f"{each['made']:,}", f"{each['by_winners'] / each['made']:.0%}")
            for each in game["choices"][:CHOICES]
        ]
        made, won = (sum(each[what] for each in game["choices"]) for what in ("made", "by_winners"))
        if made:
            rows.append(("all choices", f"{made:,}", f"{won / made:.0%}"))
        _table(terminal, ("choice", "made", "by winners"), rows)
        terminal.print()
    terminal.print(terminal.paint("people", "bold"))
    people = [
        (each["name"], each["key"][:16] or "(no key)", f"{each['finished']:,}", f"{each['won']:g}", f"{each['left']:,}")
        for each in stats["people"][:PEOPLE]
    ]
    _table(terminal, ("name", "key", "finished", "won", "left early"), people)
    if len(stats["people"]) > PEOPLE:
        terminal.print(f"  and {len(stats['people']) - PEOPLE:,} more (--html or --json has all)")
    if stats["left_out"]:
        terminal.print(f"  {stats['left_out']:,} matches are left out: files tell two courses of them")


def _spread(spread: Data) -> str:
    return f"{spread['least']} to {spread['most']}, middle {spread['middle']}, mean {spread['mean']}"


def _table(terminal: Terminal, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for row in (heads, *rows):
        first, *rest = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        terminal.print(f"  {'  '.join(cells)}")
