"""`kontor lobby`: start a lobby, or talk to the one that runs here. Twisted is imported only to serve."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from kontor_games.engine.errors import KontorError

from .admin.admin_command import admin_group
from .admin.backup_command import backup, restore
from .admin.move_command import move_command


@click.group("lobby", invoke_without_command=True, short_help="Host a lobby where people find each other.")
@click.option("--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="Settings in TOML.")
@click.option("--listen", metavar="HOST:PORT", help="Where nodes connect; default [::]:7460, by IPv4 and IPv6.")
@click.option("--metrics", metavar="HOST:PORT", help="Metrics and health; default 127.0.0.1:7461, '' for none.")
@click.option("--pages", metavar="HOST:PORT", help="Serve pages for everybody there, over HTTP; default none.")
@click.option("--data", metavar="DIR", help="Key, database and admin socket; default in your data directory.")
@click.option("--title", help="The lobby's name.")
@click.option("--store", metavar="STORE", help="sqlite, memory (a stop forgets everything) or redis://HOST:PORT/DB.")
@click.option("--process", metavar="NAME", help="This process's name, where several share one Redis.")
@click.option("--address", metavar="HOST:PORT", help="Where nodes reach this process, where several are one lobby.")
@click.option("--certificate", metavar="PEM", help="Your own certificate instead of the lobby's key.")
@click.option("--private-key", metavar="PEM", help="The key of that certificate.")
@click.option("--check-config", is_flag=True, help="Check the settings and exit; changes nothing.")
@click.pass_context
def lobby(context: click.Context, /, file: Path | None, check_config: bool, **flags: Any) -> None:
    """Host a lobby where people find each other. It works without any settings."""
    from kontor_games.lobby.settings.config import load_config

    services = context.obj
    try:
        config = load_config(file, flags)
        context.obj = config
        if context.invoked_subcommand is not None:
            return
        if check_config:
            from .admin.config_checking import check

            click.echo(check(config))
            return
    except KontorError as error:
        click.echo(f"kontor lobby: {error}", err=True)
        sys.exit(2)
    from .run import Runner

    pages = config.pages
    kit = services.page_kit(pages.memory) if pages.listen and services is not None else None
    sys.exit(Runner(config, partial(load_config, file, flags), kit).run())


for part in (admin_group, backup, restore, move_command):
    lobby.add_command(part)
command = lobby
