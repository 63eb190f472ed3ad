"""Tables that the node knows of, near and in the lobby: found by their host, told in one line, entered."""

from __future__ import annotations

import time

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.lobby_words import marked
from kontor_games.clients.values import Data

from .inbox import LineTerminal

SIGHT_SECONDS = 5.0  # in which a table on the local network shows up, if there is one


def tables_near(node: NodeClient, terminal: LineTerminal, what: str | None = None, started: bool = False) -> list[Data]:
    """Tables that fit, ours only if named, open ones unless `started`; a node that has just begun to look gets time."""
    until = time.monotonic() + SIGHT_SECONDS
    while True:
        told = node.get("tables")
        known = [row for row in told["tables"] if (what or not row["host_is_you"]) and fits(row, what)]
        rows = [row for row in known if started or row["phase"] == "open"]
        if rows or told["lan"]["trouble"] or told["lan"]["seconds"] > SIGHT_SECONDS or time.monotonic() > until:
            return rows
        wait_for_news(terminal, until)


def wait_for_news(terminal: LineTerminal, until: float) -> None:
    """Until the node tells something, or for a moment."""
    item = terminal.inbox.get(max(0.0, min(0.5, until - time.monotonic())))
    if isinstance(item, str):
        terminal.inbox.give_back([item])
        time.sleep(0.2)


def fits(row: Data, what: str | None) -> bool:
    """Whether a table is meant by a host's name, or the beginning of its id."""
    return not what or row["host"].casefold() == what.casefold() or (len(what) >= 4 and row["id"].startswith(what))


def table_line(row: Data) -> str:
    """«osaka, 1 of 2 seats taken, host Anna, on the local network»."""
    seats = row.get("seats")
    taken, count = (row["taken"], row["count"]) if seats is None else (sum(bool(s["name"]) for s in seats), len(seats))
    where = "in the lobby" if row["where"] == "lobby" else "on the local network"
    note = f" ({row['name']})" if row["name"] else ""
    state = f"{taken} of {count} seats taken" if row["phase"] == "open" else f"{count} seats, being played"
    update = "".join(f". {text.rstrip('.')}" for text in row.get("updates", ()))
    return f"{row['game']}, {state}, host {marked(row['host'], row.get('mark'))}, {where}{note}{update}"


def enter(node: NodeClient, row: Data) -> str:
    if not row["at"]:
        node.post(f"tables/{row['id']}/enter")
    return str(row["id"])
