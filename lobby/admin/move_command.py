"""`kontor lobby move`: from SQLite to Redis, or back."""

from __future__ import annotations

import sys
from typing import Any

import click

from kontor_games.engine.errors import KontorError


@click.command("move", short_help="Copy everything from one store to another.")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_context
def move_command(context: click.Context, source: str, target: str) -> None:
    """Copy everything from one store to another, empty one: FROM and TO are sqlite or redis://HOST:PORT/DB.

    The lobby must not run. The old store stays as it is; start the lobby with --store TO afterwards.
    """
    config = context.obj
    try:
        if source == target:
            raise KontorError("a store cannot be moved to itself")
        moved = _run(config, source, target)
    except (KontorError, OSError) as error:
        click.echo(f"kontor lobby move: {error}", err=True)
        sys.exit(2)
    click.echo(
        f"{moved.records} records and {moved.lines} lines copied and compared; start the lobby with the new store"
    )


def _run(config: Any, source: str, target: str) -> Any:
    import time

    from msgspec.structs import replace

    from kontor_games.lobby.store.base import Store
    from kontor_games.lobby.store.sqlite import DATABASE

    from .moving import move
    from .opening import open_store, with_reactor

    for store in (source, target):
        if store != "sqlite" and "://" not in store:
            raise KontorError(f"{store[:60]!r} is not a store; use sqlite or redis://HOST:PORT/DB")
    if source == "sqlite" and not (config.directory / DATABASE).exists():
        raise KontorError(f"{config.directory / DATABASE} does not exist; is --data right?")

    def told(done: int) -> None:
        if done % 5000 < 100:
            click.echo(f"{done} records copied", err=True)

    async def job(reactor: Any) -> Any:
        opened: list[Store] = []
        try:
            for store in (source, target):
                opened.append(await open_store(reactor, replace(config, store=store)))
            now = int((time.time() + opened[1].skew) * 1000)
            return await move(opened[0], opened[1], now, told)
        finally:
            for one in opened:
                await one.close()

    return with_reactor(job)
