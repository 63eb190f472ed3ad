"""`kontor learn`: a guided first match."""

from __future__ import annotations

import sys
from typing import Any

import click

from kontor_games.clients.cli.common import at_node, play_match, screen_options


@click.command()
@click.argument("game")
@screen_options
def command(game: str, **screen: Any) -> None:
    """Learn GAME in a match against bots that a guide explains step by step.

    The guide can be left at any time (alone); the match then goes on as any other.
    """
    with at_node() as (node, terminal):
        found = node.game(game)
        if not found["guided"]:
            terminal.wrapped(f"There is no guided match of {found['title']}. kontor play {game} begins one without.")
            sys.exit(1)
        terminal.inbox.listen()
        sys.exit(play_match(node, terminal, node.post("guides", {"game": found["id"]})["id"], **screen))
