"""An archive that is judged before something else is done with it: progress, and what was left out, on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from kontor_games.clients.cli.progress_line import ProgressLine
from kontor_games.clients.cli.without_node import MatchArchive, Services
from kontor_games.clients.home_folder import data_dir

F = TypeVar("F", bound=Callable[..., Any])


def archive_options(command: F) -> F:
    """How an archive is judged."""
    jobs = click.option("--jobs", type=click.IntRange(1, 64), help="Processes; all cores by default.")
    cache = click.option("--cache", type=click.Path(dir_okay=False), help="Where to remember what files came to.")
    no_cache = click.option("--no-cache", is_flag=True, help="Judge every file anew, and remember nothing.")
    return jobs(cache(no_cache(command)))


def cache_path(cache: str | None, no_cache: bool) -> str | None:
    """Where to remember what files came to."""
    return None if no_cache else cache or str(data_dir() / "verified.sqlite")


@contextmanager
def judged(
    services: Services,
    names: Sequence[str],
    demand: Callable[[MatchArchive], None],
    jobs: int | None,
    cache: str | None,
    no_cache: bool,
) -> Iterator[tuple[MatchArchive, Callable[[int, int], None]]]:
    """The archive, every file of it judged, and what draws the progress of further work.

    `demand` says before the work what would fail after it. An archive without a verified match ends the command.
    """
    archive = services.archive(names)
    try:
        if not archive.total:
            click.echo("kontor: no .kontor files there", err=True)
            sys.exit(2)
        demand(archive)
        line = ProgressLine(archive.total)
        for _ in archive.verify(jobs, cache_path(cache, no_cache), tick=line.draw):
            pass
        line.wipe()
        summary = archive.summary()
        rest = {verdict: n for verdict, n in summary["verdicts"].items() if verdict != "verified"}
        if rest:
            words = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(rest.items()))
            click.echo(f"kontor: left out: {words} (kontor verify says why)", err=True)
        if not summary["matches"]:
            click.echo("kontor: no match there is verified", err=True)
            sys.exit(2)
        yield archive, lambda done, total: line.draw(done, {}, total)
        line.wipe()
    except KeyboardInterrupt:
        kept = "" if no_cache else "; what was judged is remembered, and the same command goes on from there"
        click.echo(f"\nkontor: stopped{kept}", err=True)
        sys.exit(130)
    finally:
        archive.close()
