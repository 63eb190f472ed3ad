"""`kontor lobby`: start a lobby, or talk to the one that runs here. Twisted is imported only to serve."""

from __future__ import annotations

import getpass
import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from kontor_games.engine.errors import KontorError


@click.group("lobby", invoke_without_command=True)
@click.option("--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="Settings in TOML.")
@click.option("--listen", metavar="HOST:PORT", help="Where nodes connect; default [::]:7460, by IPv4 and IPv6.")
@click.option("--metrics", metavar="HOST:PORT", help="Metrics and health; default 127.0.0.1:7461, '' for none.")
@click.option("--data", metavar="DIR", help="Key, database and admin socket; default in your data directory.")
@click.option("--title", help="The lobby's name.")
@click.option("--store", type=click.Choice(["sqlite", "memory"]), help="With memory, a stop forgets everything.")
@click.option("--certificate", metavar="PEM", help="Your own certificate instead of the lobby's key.")
@click.option("--private-key", metavar="PEM", help="The key of that certificate.")
@click.option("--check-config", is_flag=True, help="Check the settings and exit.")
@click.pass_context
def lobby(context: click.Context, /, file: Path | None, check_config: bool, **flags: Any) -> None:
    """Host a lobby where people find each other. It works without any settings."""
    from kontor_games.lobby.settings.config import load_config

    try:
        config = load_config(file, flags)
        context.obj = config
        if context.invoked_subcommand is not None:
            return
        from .run import Runner, check

        if check_config:
            click.echo(check(config))
            return
    except KontorError as error:
        click.echo(f"kontor lobby: {error}", err=True)
        sys.exit(2)
    sys.exit(Runner(config).run())


@lobby.group("admin")
def admin_group() -> None:
    """Manage the lobby that runs here: people, warnings, mutes, bans, tables."""


def _ask(context: click.Context, **ask: Any) -> None:
    config = context.obj
    ask["by"] = operator()
    try:
        answer = ask_lobby(config.directory, ask) if (config.directory / "admin.sock").exists() else None
        if answer is None:
            answer = ask_store(config, ask)
        if "error" in answer:
            raise KontorError(answer["error"])
    except KontorError as error:
        click.echo(f"kontor lobby admin: {error}", err=True)
        sys.exit(2)
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def operator() -> str:
    """Who sits at the keyboard: behind sudo the one who called it, for the lobby's own user says nothing."""
    with suppress(KeyError, OSError):
        return os.environ.get("SUDO_USER") or getpass.getuser()
    return "unknown"


def ask_lobby(directory: Path, ask: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of the running lobby; None if none runs."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.settimeout(30)
        try:
            wire.connect(str(directory / "admin.sock"))
        except OSError:
            return None
        wire.sendall(json.dumps(ask).encode() + b"\n")
        answer: dict[str, Any] = json.loads(wire.makefile("rb").readline() or b'{"error": "no answer"}')
        return answer


def ask_store(config: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """The same on the database of a lobby that does not run; people learn of it when they come."""
    import time

    from kontor_games.lobby.commands.operators import perform
    from kontor_games.lobby.model.work import Work, run
    from kontor_games.lobby.store.sqlite import SqliteStore
    from kontor_games.net.table.catalogue import installed

    path = config.directory / "lobby.db"
    if not path.exists():
        raise KontorError(f"no lobby is running here and {path} does not exist; is --data right?")
    store = SqliteStore(path)
    try:
        job = run(
            lambda: Work(store, config, installed, int(time.time() * 1000)),
            lambda work: perform(work, ask),
        )
        try:
            job.send(None)
        except StopIteration as done:
            answer: dict[str, Any] = done.value
            return answer
        raise AssertionError("a store without a thread does not wait")
    finally:
        _finish(store.close())


def _finish(job: Any) -> None:
    try:
        job.send(None)
    except StopIteration:
        return


_reason = click.option("--reason", required=True, help="The person concerned reads this.")
_length = click.option("--for", "length", default="1d", show_default=True, help="30m, 2h, 7d, 4w or forever.")
_address = click.option("--address", help="An address or network instead of a person.")


@admin_group.command("status")
@click.pass_context
def _status(context: click.Context) -> None:
    """How many people, tables and sanctions there are."""
    _ask(context, do="status")


@admin_group.command("people")
@click.pass_context
def _people(context: click.Context) -> None:
    """Who is here, with keys and addresses."""
    _ask(context, do="people")


@admin_group.command("tables")
@click.pass_context
def _tables(context: click.Context) -> None:
    """All tables."""
    _ask(context, do="tables")


@admin_group.command("sanctions")
@click.pass_context
def _sanctions(context: click.Context) -> None:
    """All bans and mutes in force."""
    _ask(context, do="sanctions")


@admin_group.command("log")
@click.pass_context
def _log(context: click.Context) -> None:
    """What operators did recently: when, who, to whom and why."""
    _ask(context, do="log")


@admin_group.command("warn")
@click.argument("who")
@_reason
@click.pass_context
def _warn(context: click.Context, who: str, reason: str) -> None:
    """Warn somebody, now or when they next sign in."""
    _ask(context, do="warn", who=who, reason=reason)


@admin_group.command("mute")
@click.argument("who")
@_reason
@_length
@click.pass_context
def _mute(context: click.Context, who: str, reason: str, length: str) -> None:
    """Stop somebody from chatting."""
    _ask(context, do="mute", who=who, reason=reason, **{"for": length})


@admin_group.command("ban")
@click.argument("who", default="")
@_address
@_reason
@_length
@click.pass_context
def _ban(context: click.Context, who: str, address: str | None, reason: str, length: str) -> None:
    """Ban a person (by key), an address or a network."""
    _ask(context, do="ban", who=who, address=address, reason=reason, **{"for": length})


@admin_group.command("lift")
@click.argument("who", default="")
@_address
@click.pass_context
def _lift(context: click.Context, who: str, address: str | None) -> None:
    """Lift bans and mutes."""
    _ask(context, do="lift", who=who, address=address)


@admin_group.command("close")
@click.argument("table")
@_reason
@click.pass_context
def _close(context: click.Context, table: str, reason: str) -> None:
    """Close a table. A match that has started goes on without it."""
    _ask(context, do="close", table=table, reason=reason)


@admin_group.command("announce")
@click.argument("text")
@click.pass_context
def _announce(context: click.Context, text: str) -> None:
    """Send a message to everybody who is here."""
    _ask(context, do="announce", reason=text)


command = lobby
