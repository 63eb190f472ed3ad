"""`kontor verify`: re-run match files and say whether they hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from kontor_games.clients.cli.players import read_players, why_not_players
from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.text.terminal import Terminal, clean
from kontor_games.clients.values import Data

SHORT = 19  # of a fingerprint: sixteen letters, 80 bits; fewer could be found by trying keys
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
@click.option("--quiet", is_flag=True, help="Print only files that do not verify.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Processes for many files; all cores by default.")
@click.pass_obj
def command(
    services: Services,
    files: tuple[str, ...],
    require: str | None,
    players: str | None,
    as_json: bool,
    quiet: bool,
    jobs: int | None,
) -> None:
    """Check match FILES (or all .kontor files in directories) ply by ply, and compare those of one match.

    Exit code: 0 verified, 1 refuted (or files contradict each other, or are not what is required),
    2 unreadable, 3 cannot judge (other rules or data).
    """
    terminal = Terminal()
    known = None if players is None else read_players(Path(players))
    paths = [path for name in files for path in _expand(Path(name))]
    if not paths:
        click.echo("kontor: no .kontor files there", err=True)
        sys.exit(2)
    worst = 0
    try:
        for report in _reports(services, paths, jobs):
            report = _demanded(report, require, known)
            if as_json:
                click.echo(json.dumps(report))
            elif report["code"] or report["contradicts"] or not quiet:
                print_report(terminal, report)
            worst = max(worst, 1 if report["contradicts"] else report["code"], key=SEVERITY.index)
    except KeyboardInterrupt:
        click.echo("kontor: stopped; the files above are checked, the others are not", err=True)
        sys.exit(130)
    sys.exit(worst)


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


def _expand(path: Path) -> list[Path]:
    return sorted(path.rglob("*.kontor")) if path.is_dir() else [path]


def _reports(services: Services, paths: Sequence[Path], jobs: int | None) -> Iterator[Data]:
    """One file with its progress in plies, many with their number."""
    if len(paths) == 1:
        yield services.verify(str(paths[0]), _progress(paths[0]))
        return
    reports = services.verify_many([str(path) for path in paths], jobs)
    try:
        for number, path in enumerate(paths, 1):
            _show(f"[{number}/{len(paths)}] {clean(path.name)}")
            report = next(reports)
            _show("")
            yield report
    finally:
        reports.close()  # type: ignore[attr-defined]


def _progress(path: Path) -> Callable[[int, int], None]:
    def show(done: int, records: int) -> None:
        _show(f"{clean(path.name)} {100 * done // records:>3} %" if done < records - 1 else "")

    return show


def _show(text: str) -> None:
    """Show on a terminal how far a long check has come; the line is wiped before anything else is printed."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text[:78]}")
        sys.stderr.flush()


def print_report(terminal: Terminal, report: Data) -> None:
    """One file in words."""
    style = {0: "green", 1: "red", 2: "red", 3: "yellow"}[report["code"]]
    verdict = report["verdict"]
    line = report["line"].removeprefix(verdict)
    terminal.print(f"{report['path']}: {terminal.paint(verdict, 'bold ' + style)}{line}")
    if report["game"]:
        players = "" if report["peers"] else f"{', '.join(report['players'])}, "
        terminal.print(f"  {report['game']}, {players}{report['plies']} plies, match {report['match'][:12]}")
    for peer in report["peers"]:
        terminal.print(f"  {peer['fingerprint'][:SHORT]}  {' & '.join(peer['names'])}")
    if report["fault"]:
        meaning = FAULTS.get(report["fault"]) or FAULTS.get(report["fault"].partition(".")[0], "")
        terminal.wrapped(f"  This file is evidence. {meaning} Anybody who runs this check finds the same.")
    for note in report["notes"]:
        terminal.print(f"  {note}")
    if report["copy_of"]:
        terminal.print(f"  the same match as in {report['copy_of']}")
    for other in report["contradicts"]:
        terminal.print(f"  {terminal.paint('contradicts', 'bold red')} {other['path']}: {other['text']}")
