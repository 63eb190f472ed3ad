"""`kontor bot-node`: a node that runs alone with a bot; the demonstration and the tests start it as a child process."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click


@click.command(hidden=True)
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), required=True)
@click.option("--name", default="Bot")
@click.option("--bot", "kind", default="random")
@click.option("--bind", default="127.0.0.1")
@click.option("--port", type=int, default=0)
@click.option("--host", "game", default="", help="Keep a table of this game.")
@click.option("--options", default="{}", help="Options of the game as JSON.")
@click.option("--seats", type=int, default=2)
@click.option("--recovery", default="majority")
@click.option("--join", default="", help="Join the table of the node at this address.")
@click.option("--mark", default="", help="The fingerprint of that node.")
@click.option("--watch", default="", help="Watch this match through that node.")
@click.option("--lobby", default="", help="Do it in the lobby at this address.")
@click.option("--lobby-key", default="", help="The fingerprint of the lobby.")
@click.option("--invite", is_flag=True, help="Make the table with an invite code.")
@click.option("--code", default="", help="Enter the table with this invite code or id.")
@click.option("--lan", is_flag=True, help="Show the table on the local network, or join one found there.")
@click.option("--queue", is_flag=True, help="Wait in the lobby's queue for the game of --host.")
@click.pass_obj
def command(services: Any, /, options: str, **fields: Any) -> None:
    """Run a node with a bot; without --host and --join it takes up its matches again."""
    sys.exit(services.run_bot_node(options=json.loads(options), **fields))
