"""`kontor replays`: the finished matches of this node and the files given to it; a number opens one."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from kontor_games.clients.cli.common import at_node
from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

from .replay_command import Viewer

FOLDERS = {"played": "matches", "uploaded": "replays"}


@click.command()
@click.argument("number", required=False, type=click.IntRange(1))
@click.option("--all", "show_all", is_flag=True, help="Show all of them, not only the newest twenty.")
@click.pass_obj
def command(services: Services, number: int | None, show_all: bool) -> None:
    """List the matches that can be looked at, the newest first; with a NUMBER of the list, open that one."""
    with at_node() as (node, terminal):
        found = node.get("replays")["replays"]
        if not found:
            terminal.print("There is no finished match here yet.")
            sys.exit(0 if number is None else 1)
        if number is None:
            _list(terminal, node, found if show_all else found[:20])
            if len(found) > 20 and not show_all:
                terminal.print(f"… and {len(found) - 20} older ones: kontor replays --all")
            terminal.print("Open one with: kontor replays NUMBER")
            return
        if number > len(found):
            terminal.print(f"The list ends with number {len(found)}.")
            sys.exit(1)
        path = str(node.home / FOLDERS[found[number - 1]["origin"]] / f"{found[number - 1]['name']}.kontor")
    Viewer(services.open_replay(path), Terminal()).run()


def _list(terminal: Terminal, node: NodeClient, found: list[Data]) -> None:
    for number, each in enumerate(found, 1):
        title = node.game(each["game"])["title"] if each["game"] else "a file that could not be followed"
        day = datetime.fromtimestamp(each["updated"]).strftime("%Y-%m-%d %H:%M")
        names = ", ".join(each["seats"] or ())
        terminal.print(f"{number:3}  {day}  {title}{': ' if names else ''}{names}")
