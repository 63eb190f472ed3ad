"""`kontor resume`: go on with a match of this node, local or with other machines."""

from __future__ import annotations

import sys
from typing import Any

import click

from kontor_games.clients.cli.common import at_node, choose, play_match, screen_options
from kontor_games.clients.home_folder import again
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data


@click.command()
@click.argument("match", required=False)
@click.option("--list", "only_list", is_flag=True, help="Only show what could go on.")
@screen_options
def command(match: str | None, only_list: bool, **screen: Any) -> None:
    """Go on with a MATCH (the beginning of its id); without it, the only one or a choice."""
    with at_node() as (node, terminal):
        found = [each for each in node.get("matches")["matches"] if _goes_on(each)]
        if match:
            found = [each for each in found if each["id"].startswith(match.lower())]
        if not found:
            terminal.print(f"No unfinished match begins {match}." if match else "There is no unfinished match here.")
            sys.exit(1)
        if only_list:
            _list(terminal, found)
            return
        terminal.inbox.listen()
        chosen = 0 if len(found) == 1 else choose(terminal, [_line(each) for each in found])
        sys.exit(1 if chosen is None else play_match(node, terminal, found[chosen]["id"], **screen))


def _goes_on(match: Data) -> bool:
    return match["status"] != "over" and any(seat["you"] for seat in match["seats"])


def _list(terminal: Terminal, found: list[Data]) -> None:
    for each in found:
        terminal.wrapped(_line(each))
        terminal.print(f"    {again('resume ' + each['id'][:8])}")


def _line(match: Data) -> str:
    names = ", ".join(seat["name"] + (" (you)" if seat["you"] else "") for seat in match["seats"])
    turn = "; your turn" if match["your_turn"] else ""
    where = "on this machine" if match["kind"] == "local" else "with other machines"
    return f"{match['game']} {where}: {names}; ply {match['ply']}{turn}; match {match['id'][:8]}"
