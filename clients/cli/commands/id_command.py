"""`kontor id`: who this node is, for others to compare."""

from __future__ import annotations

import json

import click

from kontor_games.clients.cli.common import change_settings
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node_process import key_file
from kontor_games.clients.text.terminal import Terminal


@click.command()
@click.option("--name", help="Choose the name under which others see you.")
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
def command(name: str | None, as_json: bool) -> None:
    """Show your name and the fingerprint of this node's key; the key is made if there is none."""
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
            json.dumps({"name": known["name"], "fingerprint": known["fingerprint"], "words": words, "path": path})
        )
        return
    terminal = Terminal()
    terminal.print(f"Name         {known['name']}")
    terminal.print(f"Fingerprint  {terminal.paint(known['fingerprint'], 'bold')}")
    terminal.print(f"In words     {words}")
    terminal.print(f"Key file     {key_file()}")
