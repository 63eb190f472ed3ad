"""`kontor screen`: a match of this node on the full screen."""

from __future__ import annotations

import sys

import click

from kontor_games.clients.node.node_client import PatientClient
from kontor_games.clients.node.node_connection import NodeConnection


@click.command()
@click.argument("match", required=False)
@click.option("--seat", type=click.IntRange(1, 8), help="Play this one of your seats; by default all of them in turn.")
@click.option("--watch", is_flag=True, help="Only look on.")
def command(match: str | None, seat: int | None, watch: bool) -> None:
    """Play MATCH on the full screen: the beginning of its id, or nothing for the one that was played last."""
    from kontor_games.clients.tui.app import run

    node = PatientClient()
    try:
        sys.exit(run(node, find_match(node, match), None if seat is None else seat - 1, watch))
    finally:
        node.close()


def find_match(node: NodeConnection, beginning: str | None) -> str:
    """The id of the match that is meant."""
    matches = node.get("matches")["matches"]
    if beginning is None:
        matches = [each for each in matches if each["status"] != "over"]
        if not matches:
            raise click.UsageError("no match is going on; kontor play begins one")
        return str(max(matches, key=lambda each: each["updated"])["id"])
    found = [each["id"] for each in matches if each["id"].startswith(beginning.casefold())]
    if len(found) != 1:
        reason = "there is no match whose id begins with" if not found else "several matches begin with"
        raise click.UsageError(f"{reason} {beginning!a}")
    return str(found[0])
