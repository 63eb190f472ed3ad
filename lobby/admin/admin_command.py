"""`kontor lobby admin`: manage the lobby that runs here. Twisted is not imported."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from kontor_games.engine.errors import KontorError

from .admin_text import text_of
from .operator_asking import ask_every_process, ask_lobby, ask_store, operator

ONLY_RUNNING = ("reload",)
JSON = "kontor.lobby.json"  # whether the answer is for a program


@click.group("admin", short_help="Manage the lobby that runs here.")
def admin_group() -> None:
    """Manage the lobby that runs here: people, warnings, mutes, bans, tables."""


def _ask(context: click.Context, **ask: Any) -> None:
    config = context.obj
    ask["by"] = operator()
    try:
        answer = (ask_every_process if ask["do"] in ONLY_RUNNING else ask_lobby)(config.directory, ask)
        if answer is None and ask["do"] in ONLY_RUNNING:
            raise KontorError("no lobby is running here; is --data right?")
        if answer is None:
            answer = ask_store(config, ask)
        if faults := _faults(answer):
            raise KontorError("; ".join(faults))
    except KontorError as error:
        click.echo(f"kontor lobby admin: {error}", err=True)
        sys.exit(2)
    if context.meta.get(JSON):
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        click.echo(text_of(ask["do"], answer))


def _faults(answer: dict[str, Any]) -> list[str]:
    """What went wrong, of each process by its name where several were asked."""
    if "error" in answer:
        return [str(answer["error"])]
    each = answer.get("processes", {}) if isinstance(answer.get("processes"), dict) else {}
    return [f"{name}: {said['error']}" for name, said in each.items() if "error" in said]


def _demand_one(who: str, address: str | None) -> None:
    if bool(who) == bool(address):
        click.echo("kontor lobby admin: name a person, or an address with --address; one of the two", err=True)
        sys.exit(2)


def _set_json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[JSON] = True


_json = click.option(
    "--json", is_flag=True, expose_value=False, callback=_set_json, help="The answer as JSON, for programs."
)


_reason = click.option("--reason", required=True, help="The person concerned reads this.")
_length = click.option("--for", "length", default="1d", show_default=True, help="30m, 2h, 7d, 4w or forever.")
_address = click.option("--address", help="An address or network instead of a person.")


@admin_group.command("status")
@_json
@click.pass_context
def _status(context: click.Context) -> None:
    """How many people, tables and sanctions there are."""
    _ask(context, do="status")


@admin_group.command("people")
@_json
@click.pass_context
def _people(context: click.Context) -> None:
    """Who is here, with keys and addresses."""
    _ask(context, do="people")


@admin_group.command("tables")
@_json
@click.pass_context
def _tables(context: click.Context) -> None:
    """All tables."""
    _ask(context, do="tables")


@admin_group.command("sanctions")
@_json
@click.pass_context
def _sanctions(context: click.Context) -> None:
    """All bans and mutes in force."""
    _ask(context, do="sanctions")


@admin_group.command("log")
@_json
@click.pass_context
def _log(context: click.Context) -> None:
    """What operators did recently: when, who, to whom and why."""
    _ask(context, do="log")


@admin_group.command("reports")
@_json
@click.pass_context
def _reports(context: click.Context) -> None:
    """What people told you about others, with the lines in question."""
    _ask(context, do="reports")


@admin_group.command("dismiss")
@click.argument("report")
@_json
@click.pass_context
def _dismiss(context: click.Context, report: str) -> None:
    """Put a report away."""
    _ask(context, do="dismiss", report=report)


@admin_group.command("warn")
@click.argument("who")
@_reason
@_json
@click.pass_context
def _warn(context: click.Context, who: str, reason: str) -> None:
    """Warn somebody, now or when they next sign in."""
    _ask(context, do="warn", who=who, reason=reason)


@admin_group.command("mute")
@click.argument("who")
@_reason
@_length
@_json
@click.pass_context
def _mute(context: click.Context, who: str, reason: str, length: str) -> None:
    """Stop somebody from chatting."""
    _ask(context, do="mute", who=who, reason=reason, **{"for": length})


@admin_group.command("ban")
@click.argument("who", default="")
@_address
@_reason
@_length
@_json
@click.pass_context
def _ban(context: click.Context, who: str, address: str | None, reason: str, length: str) -> None:
    """Ban a person (by key), an address or a network."""
    _demand_one(who, address)
    _ask(context, do="ban", who=who, address=address, reason=reason, **{"for": length})


@admin_group.command("lift")
@click.argument("who", default="")
@_address
@_json
@click.pass_context
def _lift(context: click.Context, who: str, address: str | None) -> None:
    """Lift bans and mutes."""
    _demand_one(who, address)
    _ask(context, do="lift", who=who, address=address)


@admin_group.command("close")
@click.argument("table")
@_reason
@_json
@click.pass_context
def _close(context: click.Context, table: str, reason: str) -> None:
    """Close a table. A match that has started goes on without it."""
    _ask(context, do="close", table=table, reason=reason)


@admin_group.command("announce")
@click.argument("text")
@_json
@click.pass_context
def _announce(context: click.Context, text: str) -> None:
    """Send a message to everybody who is here."""
    _ask(context, do="announce", reason=text)


@admin_group.command("reload", short_help="Let the running lobby read its settings again.")
@_json
@click.pass_context
def _reload(context: click.Context) -> None:
    """Let the running lobby read its settings again; says what needs a restart."""
    _ask(context, do="reload")
