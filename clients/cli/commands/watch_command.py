"""`kontor watch`: look on at a match, of others or of one's own."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import click

from kontor_games.clients.cli.common import at_node, choose, play_match, screen_options
from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.cli.match.nearby import enter, table_line, tables_near
from kontor_games.clients.cli.match.table_flow import TableFlow
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused


@click.command()
@click.argument("what", required=False)
@click.argument("fingerprint", required=False)
@click.argument("match", required=False)
@screen_options
def command(what: str | None, fingerprint: str | None, match: str | None, **screen: Any) -> None:
    """Watch a match: WHAT is its host's name, a table's id, or the beginning of the id of a match at this node.

    Or give the address of a player, the FINGERPRINT of their node and the whole id of the MATCH, as players see it on
    their screens. Everything that is shown is verified first.
    """
    with at_node() as (node, terminal):
        terminal.inbox.listen()
        own = _own_match(node, what)
        if own is not None:
            sys.exit(play_match(node, terminal, own, watching=True, **screen))
        found: str | None
        if what and fingerprint and match:
            found = _through(node, terminal, what, fingerprint, match)
        else:
            found = _at_table(node, terminal, what)
        if found is None:
            sys.exit(1)
        code = play_match(node, terminal, found, watching=True, **screen)
        with suppress(Refused):  # it is over and gone
            node.post(f"matches/{found}/unwatch")
        sys.exit(code)


def _own_match(node: NodeClient, what: str | None) -> str | None:
    """A match that this node plays."""
    found = [each["id"] for each in node.get("matches")["matches"] if what and each["id"].startswith(what.lower())]
    return str(found[0]) if len(found) == 1 and len(what or "") >= 4 else None


def _through(node: NodeClient, terminal: LineTerminal, address: str, fingerprint: str, match: str) -> str:
    if len(match) != 64 or not set(match.lower()) <= set("0123456789abcdef"):
        raise click.UsageError("a match id has 64 letters and digits, as the players see it")
    terminal.print("Fetching and verifying the match so far …")
    wish = {"match": match.lower(), "address": address, "fingerprint": fingerprint}
    return str(node.post("watch", wish)["id"])


def _at_table(node: NodeClient, terminal: LineTerminal, what: str | None) -> str | None:
    """The match of a table; if it has not begun, its beginning is waited for."""
    rows = [row for row in tables_near(node, terminal, what, started=True) if row.get("spectators", True)]
    if not rows:
        whose = f" of {what}" if what else ""
        terminal.wrapped(f"There is no match{whose} that could be watched; kontor tables lists them.")
        return None
    chosen = 0 if len(rows) == 1 else choose(terminal, [table_line(row) for row in rows])
    if chosen is None:
        return None
    terminal.print(f"Going to {table_line(rows[chosen])}.")
    terminal.print("Fetching and verifying the match so far …")
    return TableFlow(node, terminal, enter(node, rows[chosen]), [], auto=True).run()
