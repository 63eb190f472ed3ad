"""`kontor verify`: re-run match files and say whether they hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from .api import Data, Services
from .terminal import Terminal, clean

SEVERITY = (0, 3, 2, 1)  # exit codes from harmless to grave; several files give the gravest


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
@click.option("--quiet", is_flag=True, help="Print only files that do not verify.")
@click.pass_obj
def command(services: Services, files: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Check match FILES (or all .kontor files in directories) ply by ply.

    Exit code: 0 verified, 1 refuted, 2 unreadable, 3 cannot judge (other rules or data).
    """
    terminal = Terminal()
    paths = [path for name in files for path in _expand(Path(name))]
    worst = 0
    for number, path in enumerate(paths, 1):
        report = services.verify(str(path), _progress(path, number, len(paths)))
        if as_json:
            click.echo(json.dumps(report))
        elif report["code"] or not quiet:
            _print(terminal, report)
        worst = max(worst, report["code"], key=SEVERITY.index)
    if not paths:
        click.echo("kontor: no .kontor files there", err=True)
        sys.exit(2)
    sys.exit(worst)


def _expand(path: Path) -> list[Path]:
    return sorted(path.rglob("*.kontor")) if path.is_dir() else [path]


def _progress(path: Path, number: int, total: int):  # type: ignore[no-untyped-def]
    """Show on a terminal how far a long check has come."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, records: int) -> None:
        end = "\r" if done < records else "\n"
        sys.stderr.write(f"\r[{number}/{total}] {clean(path.name)} {100 * done // records:>3} %{end}")
        sys.stderr.flush()

    return show


def _print(terminal: Terminal, report: Data) -> None:
    style = {0: "green", 1: "red", 2: "red", 3: "yellow"}[report["code"]]
    terminal.print(f"{report['path']}: {terminal.paint(report['verdict'], 'bold ' + style)}: {report['message']}")
    if report["game"]:
        players = ", ".join(report["players"])
        terminal.print(f"  {report['game']}, {players}, {report['plies']} plies, match {report['match'][:12]}")
    for note in report["notes"]:
        terminal.print(f"  {note}")
