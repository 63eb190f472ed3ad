"""`kontor id`: who this node is, for others to compare; and the way of its key to another computer."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kontor_games.clients.cli.common import change_settings
from kontor_games.clients.home_folder import data_dir
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node_process import key_file
from kontor_games.clients.text.terminal import Terminal

_file = click.Path(path_type=Path, dir_okay=False)
_secret = click.option(
    "--passphrase-file", "secret", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Read the passphrase from the first line of this file instead of asking for it.",
)  # fmt: skip


@click.group(invoke_without_command=True)
@click.option("--name", help="Choose the name under which others see you.")
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
@click.pass_context
def command(context: click.Context, name: str | None, as_json: bool) -> None:
    """Show your name and the fingerprint of this node's key; the key is made if there is none."""
    if context.invoked_subcommand is not None:
        return
    node = NodeClient()
    try:
        if name:
            change_settings(node, name=name)
        known = node.get("hello")["node"]
    finally:
        node.close()
    words = " ".join(known["words"])
    if as_json:
        path = str(key_file())
        click.echo(
            json.dumps(
                {
                    "name": known["name"],
                    "fingerprint": known["fingerprint"],
                    "words": words,
                    "key": known["key"],
                    "path": path,
                }
            )
        )
        return
    terminal = Terminal()
    terminal.print(f"Name         {known['name']}")
    terminal.print(f"Fingerprint  {terminal.paint(known['fingerprint'], 'bold')}")
    terminal.print(f"In words     {words}")
    terminal.print(f"Key          {known['key']}")
    terminal.print(f"Key file     {key_file()}")


@command.command("export")
@click.argument("file", type=_file)
@_secret
@click.pass_context
def _export(context: click.Context, file: Path, secret: Path | None) -> None:
    """Write this node's key to FILE, protected by a passphrase, to keep it safe or to move to another computer."""
    passphrase = _passphrase(secret, confirm=True)
    mark = context.find_root().obj.export_identity(data_dir(), file, passphrase)
    click.echo(f"{file} holds the key {mark}. Without the passphrase it is of no use to anybody, you included.")


@command.command("import")
@click.argument("file", type=_file)
@click.option("--replace", is_flag=True, help="Move the key that is here aside; matches begun with it need it.")
@_secret
@click.pass_context
def _import(context: click.Context, file: Path, replace: bool, secret: Path | None) -> None:
    """Make the key in FILE the key of this node. Stop Kontor on the other computer first."""
    mark, aside = context.find_root().obj.import_identity(data_dir(), file, _passphrase(secret, False), replace)
    click.echo(f"You are {mark} here now." + (f" The old key is {aside}." if aside else ""))
    click.echo("Use one computer at a time: two nodes with one key would sign different things in one match.")


def _passphrase(file: Path | None, confirm: bool) -> str:
    if file is not None:
        return (file.read_text(encoding="utf-8").splitlines() or [""])[0]
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True))
