"""`kontor node`: the process that holds keys, links and matches; and `kontor` alone, which opens the web client."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from pathlib import Path
from typing import Any

import click

from .home_folder import home_of

HOME = click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Another data directory.")
BIND = click.option(
    "--bind", default="", envvar="KONTOR_BIND", metavar="ADDRESS", help="Other nodes reach this one there only."
)
PORT = click.option(
    "--port", default=0, envvar="KONTOR_PORT", type=click.IntRange(0, 65535), help="At this port; else the last one."
)
LAN = click.option(
    "--lan/--no-lan", default=True, envvar="KONTOR_LAN", help="Whether to look for tables on the local network."
)
MAPPING = click.option(
    "--mapping/--no-mapping",
    default=True,
    envvar="KONTOR_MAPPING",
    show_default=True,
    help="Ask the router to let other players call this node, once you go to a lobby; `kontor doctor` lists it.",
)
PUNCHING = click.option(
    "--punching/--no-punching",
    default=True,
    envvar="KONTOR_PUNCHING",
    show_default=True,
    help="Look for direct ways through routers with the lobby's help; without, its relay carries more.",
)
START_SECONDS = 30.0


@click.group()
def command() -> None:
    """The background process that clients speak to."""


@command.command()
@HOME
@BIND
@PORT
@LAN
@MAPPING
@PUNCHING
def start(home: Path | None, bind: str, port: int, lan: bool, mapping: bool, punching: bool) -> None:
    """Start the node, if it does not run yet."""
    from kontor_games.net.api import daemon

    before = daemon.find(home_of(home))
    asked = {"lan": lan, "mapping": mapping, "punching": punching}
    switches = [f"--{name}" if is_on else f"--no-{name}" for name, is_on in asked.items()]
    running = ensure(home, ["--bind", bind, "--port", str(port), *switches])
    click.echo(f"The node runs (process {running.pid}) on http://127.0.0.1:{running.port}/")
    if before is not None and (bind or port or not lan):
        click.echo("It was running before, and keeps its own settings; kontor node stop first, then start it again.")


@command.command()
@HOME
def stop(home: Path | None) -> None:
    """End the node; matches can be taken up again."""
    from kontor_games.net.api import daemon

    click.echo("The node has ended." if daemon.stop(home_of(home)) else "No node was running.")


@command.command()
@HOME
def status(home: Path | None) -> None:
    """Say whether the node runs; exit code 1 if not."""
    from kontor_games.net.api import daemon

    running = daemon.find(home_of(home))
    if running is None:
        click.echo(f"No node runs for {home_of(home)}.")
        sys.exit(1)
    hello = daemon.ask(running, "GET", "hello")
    matches = daemon.ask(running, "GET", "matches")["matches"]
    playing = sum(match["status"] != "over" for match in matches)
    click.echo(f"The node {hello['software']} runs (process {running.pid}) on http://127.0.0.1:{running.port}/")
    click.echo(f"Identity {hello['node']['fingerprint']}, {playing} of {len(matches)} matches going on.")


@command.command()
@HOME
@click.option("--lines", default=50, show_default=True, type=click.IntRange(1, 10_000))
def logs(home: Path | None, lines: int) -> None:
    """Print the end of the node's log."""
    from kontor_games.clients.text.terminal import clean
    from kontor_games.net.system.logs import NAME

    try:
        text = (home_of(home) / NAME).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        text = ""
    for line in text.splitlines()[-lines:]:
        click.echo(clean(line))


@command.command(hidden=True)
@HOME
@BIND
@PORT
@LAN
@MAPPING
@PUNCHING
@click.option("--bots", default="", help="Another program to play seats of bots, given its Python file.")
@click.option("--leashed", is_flag=True, help="End when standard input does.")
def run(
    home: Path | None, bind: str, port: int, lan: bool, mapping: bool, punching: bool, bots: str, leashed: bool
) -> None:
    """Be the node, in this process."""
    from kontor_games.net.api import daemon

    leash = sys.stdin.fileno() if leashed else None
    daemon.run(home_of(home), setup(bind, port, lan, mapping, punching, bots), sys.stdout.buffer, leash)


def setup(bind: str, port: int, lan: bool, mapping: bool, punching: bool, program: str) -> Any:
    """What this side of Kontor hands to the node: words, pages, bots."""
    from kontor_games.clients.text.api_words import CatalogueWording
    from kontor_games.net.api.matches.hub import Setup
    from kontor_games.net.system.child import python
    from kontor_games.net.system.version import version

    from . import bots

    web = Path(__file__).parent / "web"
    return Setup(
        wording=CatalogueWording(),
        web=web if web.is_dir() else None,
        bot_command=(*python(), program) if program else (*python(), "-m", "kontor_games.clients.bots.bots_client"),
        bot_kinds=tuple(bots.KINDS),
        analyst=NodeAnalyst(),
        software=version(),
        bind=bind,
        port=port,
        lan=lan,
        mapping=mapping,
        punching=punching,
    )


class NodeAnalyst:
    """Analyses for the node: the command that makes them, and what it has stored, in words."""

    @property
    def command(self) -> tuple[str, ...]:
        from kontor_games.net.system.child import python

        return (*python(), "-m", "kontor_games.clients.entry", "analyse", "--leashed")

    def told(self, path: Path, replay: Any) -> dict[str, Any] | None:
        """What is stored about this match, whoever made it."""
        import msgspec

        from kontor_games.clients.bots.analysis import MatchKey, path_of, stored_at
        from kontor_games.clients.text.match_analysis import AnalysedMatch, told
        from kontor_games.net.api.matches.log_lines import turns_of

        info = replay.info()
        plies, names = info["plies"], [seat["name"] for seat in info["seats"]]
        stored = stored_at(path_of(path))
        if stored is None or not stored.is_of(MatchKey(info["match"], replay.digest(plies), len(names))):
            return None
        match = AnalysedMatch(names, turns_of(replay.game, replay.plies), plies, replay.result())
        return told(msgspec.to_builtins(stored), match)


def node_run() -> tuple[str, ...]:
    """The command of a node's process, to which its options are added."""
    from kontor_games.net.system.child import python

    return (*python(), "-m", "kontor_games.clients.entry", "node", "run")


def ensure(home: Path | None = None, options: list[str] | None = None) -> Any:
    """The running node, started if needed; clients that start it at the same moment share one."""
    from kontor_games.engine.errors import KontorError
    from kontor_games.net.api import daemon
    from kontor_games.net.node import home_lock

    folder = home_of(home)
    arguments = (*node_run(), "--home", str(folder.absolute()), *(options or ()))
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            return daemon.start(folder, arguments)
        except KontorError as error:
            if "passphrase; give it" in str(error) and "KONTOR_PASSPHRASE" not in os.environ and sys.stdin.isatty():
                os.environ["KONTOR_PASSPHRASE"] = click.prompt("Passphrase of your key", hide_input=True, err=True)
                continue
            if not home_lock.is_locked(folder) or time.monotonic() > until:
                raise
        time.sleep(0.1)  # another client has just started it


def was_stopped(home: Path | None = None) -> bool:
    """Whether the node that was just lost has ended in order, so that nobody should start it again."""
    from kontor_games.net.api import daemon

    return daemon.ended_in_order(home_of(home))


def key_file(home: Path | None = None) -> Path:
    """Where the node's key lies."""
    from kontor_games.net.wire.identity import FILE_NAME

    return home_of(home) / FILE_NAME


def open_browser(home: Path | None = None) -> None:
    """Open the web client through a one-time link; print the link where there is no browser."""
    from kontor_games.net.api import daemon

    running = ensure(home)
    url = daemon.ask(running, "POST", "links")["url"]
    has_screen = os.name == "nt" or sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if has_screen and webbrowser.open(url):
        click.echo(f"Kontor is open in your browser: http://127.0.0.1:{running.port}/")
    else:
        click.echo("Open this link in your browser within a minute; it works once:")
        click.echo(url)
