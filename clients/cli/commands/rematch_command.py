"""`kontor rematch`: play a match that is over once more."""

from __future__ import annotations

import sys
from typing import Any

import click

from kontor_games.clients.cli.common import at_node, play_match, screen_options
from kontor_games.clients.cli.match.table_flow import TableFlow
from kontor_games.clients.values import Data


@click.command()
@click.argument("match", required=False)
@screen_options
def command(match: str | None, **screen: Any) -> None:
    """Play a MATCH that is over once more (the beginning of its id, or nothing for the last one).

    The same people, options and bots; seats rotate by one. Others are asked at a table, where everybody agrees.
    """
    with at_node() as (node, terminal):
        over = [each for each in node.get("matches")["matches"] if _was_played(each)]
        found = [each for each in over if each["id"].startswith((match or "").lower())]
        if not found:
            terminal.print(f"No finished match begins {match}." if match else "There is no finished match here.")
            sys.exit(1)
        chosen = str(max(found, key=lambda each: float(each["updated"]))["id"])
        terminal.inbox.listen()
        answer = node.post(f"matches/{chosen}/rematch")
        begun = answer["match"] or TableFlow(node, terminal, answer["table"], [], False).run()
        sys.exit(1 if begun is None else play_match(node, terminal, begun, **screen))


def _was_played(match: Data) -> bool:
    return match["status"] == "over" and any(seat["you"] for seat in match["seats"])
