"""`kontor lobby backup` and `kontor lobby restore`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kontor_games.engine.errors import KontorError, StoreError

_file = click.Path(path_type=Path, dir_okay=False)


@click.command("backup", short_help="Write database and key to a file, also while it runs.")
@click.argument("file", type=_file)
@click.option("--without-key", is_flag=True, help="Leave the lobby's key out.")
@click.pass_context
def backup(context: click.Context, file: Path, without_key: bool) -> None:
    """Write database and key of the lobby to FILE, also while it runs."""
    from .backup import back_up, back_up_text
    from .opening import is_in_redis

    config = _with_files(context)

    def told() -> str:
        if is_in_redis(config):
            from .redis_backup import back_up as back_up_redis

            return back_up_text(back_up_redis(config, file, not without_key), file)
        return back_up_text(back_up(config.directory, file, not without_key), file)

    _say(told)


@click.command("restore")
@click.argument("file", type=_file)
@click.option("--replace", is_flag=True, help="Move what is there aside; without it a directory with data is refused.")
@click.pass_context
def restore(context: click.Context, file: Path, replace: bool) -> None:
    """Put a back-up in place. The lobby must not be running; a Redis must be empty."""
    from .admin_text import when
    from .backup import restore as put_back
    from .opening import is_in_redis, read_redis

    config = _with_files(context)

    def told() -> str:
        where = config.directory
        if is_in_redis(config):
            from .redis_backup import restore as put_back_into_redis

            found, where = put_back_into_redis(config, file, replace), read_redis(config.store)
        else:
            found = put_back(config.directory, file, replace)
        moved = f"; moved aside: {', '.join(found['moved'])}" if found["moved"] else ""
        return f"restored to {where} as it was at {when(found['at'])}{moved}"

    _say(told)


def _with_files(context: click.Context) -> Any:
    config = context.obj
    if config.store == "memory":
        _say(_refuse)
    return config


def _refuse() -> str:
    raise StoreError("this lobby keeps its data in memory, so there is nothing to back up")


def _say(job: Any) -> None:
    try:
        click.echo(job())
    except KontorError as error:
        click.echo(f"kontor lobby: {error}", err=True)
        sys.exit(2)
