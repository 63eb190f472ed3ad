"""`kontor analyse`: how the chances went in a finished match, what decided it, and what would have been better.

The node runs the same command with `--leashed` for its browsers: it says its progress in lines of JSON, leaves all
other work of the machine the first place, and stops as for Ctrl-C when its standard input ends, which it does with the
node however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

import click

from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.text.match_analysis import AnalysedMatch, report
from kontor_games.clients.text.terminal import Terminal

NICE = 10  # its workers, which do the work, are as nice once more


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--budget",
    type=click.IntRange(8, 10_000),
    help="Continuations for each decision; 100, unless an analysis was begun with another number.",
)
@click.option("--jobs", type=click.IntRange(1, 8), help="Processes; all cores by default.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as one JSON object.")
@click.option("--leashed", is_flag=True, hidden=True)
@click.pass_obj
def command(services: Services, file: str, budget: int | None, jobs: int | None, as_json: bool, leashed: bool) -> None:
    """Analyse the finished match in FILE: who was how likely to win, when, and which decisions cost most.

    Every decision is looked at with what its player knew then. It takes minutes. What is done is stored beside FILE as
    FILE.analysis.json: stopped with Ctrl-C, it goes on from there the next time, and once done it is only shown. The
    replay in the browser shows the same.
    """
    progress = _Lines() if leashed else _Bar()
    try:
        if leashed:
            _serve()
        analysis = services.analyse(file, budget, jobs, progress.show)
    except KeyboardInterrupt:
        progress.clear()
        click.echo("kontor: stopped; the same command goes on from here", err=True)
        sys.exit(130)
    progress.clear()
    if as_json:
        click.echo(json.dumps(analysis))
    elif not leashed:
        info = analysis["info"]
        names = [seat["name"] for seat in info["seats"]]
        match = AnalysedMatch(names, analysis["turns"], info["plies"], analysis["result"])
        report(Terminal(), info["title"], analysis, match)


def _serve() -> None:
    """Work in the background, and end with whoever holds the other end of standard input."""
    if hasattr(os, "nice"):
        os.nice(NICE)

    def wait() -> None:
        while sys.stdin.buffer.read(1 << 12):
            pass
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            os._exit(130)  # what is done is stored, and workers end with their pipes

    threading.Thread(target=wait, daemon=True).start()


class _Bar:
    """A bar on standard error, if somebody looks at it."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()

    def show(self, done: int, total: int) -> None:
        if self._is_shown:
            full = 30 * done // max(1, total)
            click.echo(f"\r[{'#' * full}{'.' * (30 - full)}] {done} of {total}", nl=False, err=True)

    def clear(self) -> None:
        if self._is_shown:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)


class _Lines:
    """Lines of JSON on standard output, for the node."""

    def show(self, done: int, total: int) -> None:
        click.echo(json.dumps({"done": done, "total": total}))

    def clear(self) -> None:
        """Nothing is left behind."""
