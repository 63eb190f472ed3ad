"""`kontor verify`: re-run match files and say whether they hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from kontor_games.clients.cli.judged_archive import cache_path
from kontor_games.clients.cli.players import read_players, why_not_players
from kontor_games.clients.cli.progress_line import ProgressLine
from kontor_games.clients.cli.without_node import MatchArchive, Services
from kontor_games.clients.text.terminal import Terminal, clean, one_line
from kontor_games.clients.values import Data

SHORT = 19  # of a fingerprint: sixteen letters, 80 bits; fewer could be found by trying keys
MANY = 20  # files: of more than these only those are printed that do not verify
SEVERITY = (0, 3, 2, 1)  # exit codes from harmless to grave; several files give the gravest
FAULTS = {
    "fork": "It signed two different messages for one place of the match; both are in the file, only one can count.",
    "rule": "It signed a turn that the rules forbid.",
    "frame.form": "It signed a turn that cannot be read.",
    "body.form": "It signed a message about the cards that cannot be read.",
    "shr": "It signed shares of a card that do not fit its key: the card would have come out wrong.",
    "mix": "It signed a shuffle that is none: cards were changed, added or lost.",
    "key": "It signed a table key that it does not have.",
    "esc": "It signed an escrow of its key that the others could not open.",
    "rky": "It signed a card passed on that is another card.",
    "giv": "It signed a wrong share of the key of somebody who is gone.",
    "opn": "It opened another key at the end than the one it played with.",
    "bye": "It handed over another key when it left than the one it played with.",
    "cmp": "It signed a complaint about a good share.",
    "gon": "It signed a vote about who is gone that does not fit the match.",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--require",
    type=click.Choice(["sealed", "final"]),
    help="Fail files that are not proven network matches, or not finished and signed by all who stayed.",
)
@click.option("--players", type=click.Path(), help="A TOML file: every player must have the key that stands there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
@click.option(
    "--quiet/--verbose",
    default=None,
    help=f"Print only files that do not verify, or all of them. Usual is quiet for more than {MANY} files.",
)
@click.option("--jobs", type=click.IntRange(1, 64), help="Processes for many files; all cores by default.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let a Dask cluster judge: the address of its scheduler, or `local` to start one here (docs/organising.md).",
)
@click.option("--time-limit", type=click.FloatRange(1), help="Seconds after which one of many files is given up.")
@click.option("--cache", type=click.Path(dir_okay=False), help="Where to remember what many files came to.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Write what was found to a file: .html, .csv, .jsonl or .parquet; as often as you like.",
)
@click.option("--no-cache", is_flag=True, help="Judge every file anew, and remember nothing.")
@click.pass_obj
def command(
    services: Services,
    /,
    files: tuple[str, ...],
    require: str | None,
    players: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Check match FILES (or all .kontor files in directories) ply by ply, and compare those of one match.

    Exit code: 0 verified, 1 refuted (or files contradict each other, or are not what is required),
    2 unreadable, 3 cannot judge (other rules or data), or not judged because every process that tried ended.
    """
    known = None if players is None else read_players(Path(players))
    if len(files) == 1 and not Path(files[0]).is_dir() and not (how["reports"] or how["cluster"]):
        report = _demanded(services.verify(files[0], _progress(Path(files[0]))), require, known)
        _print(Terminal(), report, as_json, bool(how["quiet"]))
        sys.exit(report["code"])
    archive = services.archive(files)
    try:
        for path in how["reports"]:
            if reason := archive.why_not_report(path):
                raise click.BadParameter(reason, param_hint="--report")
        if not archive.total:
            click.echo("kontor: no .kontor files there", err=True)
            sys.exit(2)
        sys.exit(_verify_all(archive, partial(_demanded, require=require, known=known), as_json, **how))
    finally:
        archive.close()


def _verify_all(
    archive: MatchArchive,
    demand: Callable[[Data], Data],
    as_json: bool,
    quiet: bool | None,
    jobs: int | None,
    time_limit: float | None,
    cache: str | None,
    no_cache: bool,
    reports: Sequence[str],
    cluster: str | None,
) -> int:
    """All files of an archive, with progress and a summary; the exit code."""
    terminal, line, worst = Terminal(), ProgressLine(archive.total), 0
    quiet = archive.total > MANY if quiet is None else quiet
    where = cache_path(cache, no_cache)
    judged = archive.verify(jobs, where, demand, line.draw, time_limit, cluster, line.warn)  # or there is none to do it
    try:
        for report in judged:
            if as_json or report["code"] or report["contradicts"] or not quiet:
                line.wipe()
                _print(terminal, report, as_json, quiet)
            worst = max(worst, 1 if report["contradicts"] else report["code"], key=SEVERITY.index)
    except KeyboardInterrupt:
        line.wipe()
        _sum_up(archive, line, "stopped", reports)
        kept = "" if no_cache else "; what was judged is remembered, and the same command goes on from there"
        click.echo(f"kontor: stopped{kept}", err=True)
        return 130
    except Exception:  # told by the entry point; what was found until then is told first
        line.wipe()
        _sum_up(archive, line, "stopped", reports)
        raise
    line.wipe()
    _sum_up(archive, line, "done", reports)
    return worst


def _sum_up(archive: MatchArchive, line: ProgressLine, how: str, reports: Sequence[str]) -> None:
    """What an archive came to, in a few lines; on standard error, so that reports can be read by programs."""
    summary = archive.summary()
    found = [f"{count:,} {verdict}" for verdict, count in sorted(summary["verdicts"].items())]
    of = f"{summary['told']:,} of {summary['files']:,} files" if how == "stopped" else f"{summary['files']:,} files"
    click.echo(f"{of}: {', '.join(found) or 'none judged yet'} ({line.whole(summary['told'])})", err=True)
    parts = ["1 match" if summary["matches"] == 1 else f"{summary['matches']:,} matches"]
    if summary["people"]:
        parts.append(f"{summary['people']:,} keys of players")
    if summary["clashes"]:
        parts.append(f"{summary['clashes']:,} pairs of files contradict each other")
    if summary["known"]:
        parts.append(f"{summary['known']:,} files were known from before")
    click.echo(f"  {', '.join(parts)}", err=True)
    names = list(dict.fromkeys(summary["names"]))
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        click.echo(f"  names with more than one key: {', '.join(map(clean, names[:5]))}{more}", err=True)
    for path in reports:
        archive.write_report(path)
        click.echo(f"  written: {clean(path)}", err=True)


def _print(terminal: Terminal, report: Data, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(json.dumps(report))
    elif report["code"] or report["contradicts"] or not quiet:
        print_report(terminal, report)


def _demanded(report: Data, require: str | None, known: Mapping[str, str] | None) -> Data:
    """The report, refuted if the file holds but is not what was asked for."""
    reason = None
    if require and not report[require]:
        reason = f"not {require}"
    elif known is not None:
        reason = why_not_players(report["peers"], known)
    if reason is None or report["code"]:
        return report
    return {**report, "code": 1, "verdict": "refuted", "line": f"refuted: {reason} ({report['line']})"}


def _progress(path: Path) -> Callable[[int, int], None]:
    """Show on a terminal how far the check of one file has come; the line is wiped before anything else is printed."""

    def show(done: int, records: int) -> None:
        if sys.stderr.isatty():
            text = f"{clean(path.name)} {100 * done // records:>3} %" if done < records - 1 else ""
            sys.stderr.write(f"\r\x1b[K{text[:78]}")
            sys.stderr.flush()

    return show


def print_report(terminal: Terminal, report: Data) -> None:
    """One file in words."""
    style = {0: "green", 1: "red", 2: "red", 3: "yellow"}[report["code"]]
    verdict = report["verdict"]
    line = one_line(report["line"].removeprefix(verdict))
    terminal.print(f"{one_line(report['path'])}: {terminal.paint(verdict, 'bold ' + style)}{line}")
    if report["game"]:
        players = "" if report["peers"] else f"{', '.join(report['players'])}, "
        terminal.print(f"  {report['game']}, {players}{report['plies']} plies, match {report['match'][:12]}")
    for peer in report["peers"]:
        terminal.print(f"  {peer['fingerprint'][:SHORT]}  {' & '.join(peer['names'])}")
    if report["fault"]:
        meaning = FAULTS.get(report["fault"]) or FAULTS.get(report["fault"].partition(".")[0], "")
        terminal.wrapped(f"  This file is evidence. {meaning} Anybody who runs this check finds the same.")
    for note in report["notes"]:
        terminal.print(f"  {one_line(note)}")
    if report["copy_of"]:
        terminal.print(f"  the same match as in {one_line(report['copy_of'])}")
    for other in report["contradicts"]:
        told = one_line(f"{other['path']}: {other['text']}")
        terminal.print(f"  {terminal.paint('contradicts', 'bold red')} {told}")
