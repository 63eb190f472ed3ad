"""`kontor host`, `join` and `watch`: matches between machines, on the local network, at an address or in a lobby."""

from __future__ import annotations

import re
import sys
import time
from contextlib import suppress
from typing import Any

import click

from ..link import Refused
from .api import Data
from .common import (
    BOT,
    LOBBY,
    LOBBY_KEY,
    ME,
    READY,
    at_node,
    bot_kind,
    called,
    choose,
    enter_lobby,
    play_match,
    screen_options,
)
from .inbox import LineTerminal
from .node_client import NodeClient
from .play import game_options
from .table_flow import TableFlow

SIGHT_SECONDS = 5.0  # in which a table on the local network shows up, if there is one
CODE = re.compile(r"[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}")


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 8), default=2, show_default=True, help="Players, bots included.")
@ME
@click.option("--bots", type=click.IntRange(0, 6), default=0, help="Bots that play at your node.")
@BOT
@click.option("--recovery", type=click.Choice(["majority", "none"]), default="majority", show_default=True)
@click.option("--spectators/--no-spectators", default=False, help="Let others watch.")
@LOBBY
@LOBBY_KEY
@click.option("--invite", "visibility", flag_value="invite", help="In a lobby: only by invite code.")
@click.option("--unlisted", "visibility", flag_value="unlisted", help="In a lobby: only for who knows the table's id.")
@click.option("--note", default="", help="In a lobby: a word about the table.")
@READY
@screen_options
@click.pass_context
def host(
    context: click.Context,
    game: str,
    seats: int,
    name: str | None,
    bots: int,
    kind: str | None,
    recovery: str,
    spectators: bool,
    lobby: str | None,
    lobby_key: str | None,
    visibility: str | None,
    note: str,
    auto: bool,
    **screen: Any,
) -> None:
    """Open a table of GAME on the local network, or with --lobby there; others come with kontor join.

    Options of the game follow as --name value; see them with kontor play GAME --options.
    """
    with at_node() as (node, terminal):
        record = node.game(game)
        wish = {
            "game": game, "seats": seats, "options": game_options(record, context.args),
            "recovery": recovery, "spectators": spectators,
        }  # fmt: skip
        if seats not in record["seats"]:
            numbers = ", ".join(map(str, record["seats"]))
            raise click.UsageError(f"{record['title']} is for {numbers} players, not {seats}")
        if bots + 2 > seats:
            raise click.UsageError(f"{seats} seats with {bots} bots leave none for others; kontor play is for that")
        who = (called(node, name), bot_kind(node, kind))
        wishes = [who, *((f"{who[0][:15]}'s bot {number + 1}", "greedy") for number in range(bots))]
        if lobby is not None:
            there = enter_lobby(node, terminal, lobby, lobby_key)["address"]
            wish |= {"where": "lobby", "visibility": visibility or "public", "name": note}
        table = node.post("tables", wish)["id"]
        terminal.print(f"{terminal.paint(record['title'], 'bold')}, {seats} seats. You are {who[0]}.")
        if lobby is not None:
            _invite(node, terminal, table, there)
        else:
            _say_way(node, terminal, table)
        sys.exit(sit_and_play(node, terminal, table, wishes, auto or kind is not None, **screen))


def _invite(node: NodeClient, terminal: LineTerminal, table: str, lobby: str) -> None:
    terminal.print("The others join with:")
    terminal.print(f"  kontor join {_code(node, terminal, table)} --lobby {lobby}")


def _code(node: NodeClient, terminal: LineTerminal, table: str) -> str:
    """The invite code comes with the lobby's card of the table, a moment after the table."""
    until = time.monotonic() + SIGHT_SECONDS
    while (view := node.get(f"tables/{table}"))["code"] is None and time.monotonic() < until:
        _wait_for_news(terminal, until)
    return str(view["code"] or table)


def _say_way(node: NodeClient, terminal: LineTerminal, table: str) -> None:
    view = node.get(f"tables/{table}")
    terminal.print("On this network the others just type kontor join. From elsewhere, one of:")
    for address in view["addresses"]:
        terminal.print(f"  kontor join {address} {view['fingerprint']}")
    terminal.print(f"  (fingerprint in words: {' '.join(view['host_words'])})")


@click.command()
@click.argument("what", required=False)
@click.argument("fingerprint", required=False)
@LOBBY
@LOBBY_KEY
@ME
@BOT
@READY
@screen_options
def join(
    what: str | None,
    fingerprint: str | None,
    lobby: str | None,
    lobby_key: str | None,
    name: str | None,
    kind: str | None,
    auto: bool,
    **screen: Any,
) -> None:
    """Join a table: WHAT is a host's name, a table's id, an invite code, or an address.

    With an address, the host's FINGERPRINT makes sure that it is the right one. Without anything: the table on the
    local network, or a choice if there are several.
    """
    with at_node() as (node, terminal):
        wishes = [(called(node, name), bot_kind(node, kind))]
        if not node.get("settings")["name"]:
            terminal.wrapped(f"You are called {wishes[0][0]}, after your key; --me NAME chooses another name.")
        easy = auto or kind is not None
        if lobby is not None or lobby_key:
            enter_lobby(node, terminal, lobby, lobby_key)
        if what and ("." in what or ":" in what):
            table = _call(node, terminal, what, fingerprint or "", easy)
        else:
            table = _find(node, terminal, what, easy)
        sys.exit(1 if table is None else sit_and_play(node, terminal, table, wishes, easy, **screen))


def _call(node: NodeClient, terminal: LineTerminal, address: str, fingerprint: str, auto: bool) -> str | None:
    """The table of the node at this address."""
    terminal.print(f"Calling {address} …")
    found = node.post("join", {"address": address, "fingerprint": fingerprint})
    tables = found["tables"]
    if not tables:
        terminal.print("That node has no open table now.")
        return None
    if not fingerprint:
        terminal.print(f"The node there has the fingerprint {found['fingerprint']}")
        terminal.print(f"  in words: {terminal.paint(found['words'], 'bold')}")
        terminal.inbox.listen()
        if not auto and terminal.ask("Does the host see the same? y goes on: ") not in ("y", "yes"):
            if found["id"]:
                node.post(f"tables/{found['id']}/leave")
            return None
    if found["id"]:
        return str(found["id"])
    chosen = 0 if auto else choose(terminal, [table_line(row) for row in tables])
    return None if chosen is None else _enter(node, tables[chosen])


def _find(node: NodeClient, terminal: LineTerminal, what: str | None, auto: bool) -> str | None:
    """A table that is known by its host's name, its id or its code; else the only one near, or the person's choice."""
    rows = [row for row in tables_near(node, terminal, what) if what or row["where"] == "lan"]
    if not rows:
        if what and CODE.fullmatch(what) and node.get("settings")["lobby"]:
            return str(node.post("join", {"code": what})["id"])
        missing = f"There is no open table of {what}" if what else "There is no open table on the local network"
        terminal.wrapped(f"{missing}; kontor tables lists them, kontor doctor may know why.")
        return None
    terminal.inbox.listen()
    chosen = 0 if len(rows) == 1 or auto else choose(terminal, [table_line(row) for row in rows])
    if chosen is None:
        return None
    terminal.print(f"Joining {table_line(rows[chosen])}.")
    return _enter(node, rows[chosen])


def tables_near(node: NodeClient, terminal: LineTerminal, what: str | None = None, started: bool = False) -> list[Data]:
    """Tables of others that fit, open ones unless `started`; a node that has just begun to look around gets time."""
    until = time.monotonic() + SIGHT_SECONDS
    while True:
        told = node.get("tables")
        others = [row for row in told["tables"] if not row["host_is_you"] and fits(row, what)]
        rows = [row for row in others if started or row["phase"] == "open"]
        if rows or told["lan"]["trouble"] or told["lan"]["seconds"] > SIGHT_SECONDS or time.monotonic() > until:
            return rows
        _wait_for_news(terminal, until)


def _wait_for_news(terminal: LineTerminal, until: float) -> None:
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
    return f"{row['game']}, {state}, host {row['host']}, {where}{note}"


def _enter(node: NodeClient, row: Data) -> str:
    if not row["at"]:
        node.post(f"tables/{row['id']}/enter")
    return str(row["id"])


def sit_and_play(
    node: NodeClient, terminal: LineTerminal, table: str, wishes: list[tuple[str, str]], auto: bool, **screen: Any
) -> int:
    """The table, then its match; the exit code."""
    terminal.inbox.listen()
    match = TableFlow(node, terminal, table, wishes, auto).run()
    return 1 if match is None else play_match(node, terminal, match, **screen)


@click.command()
@click.argument("what", required=False)
@click.argument("fingerprint", required=False)
@click.argument("match", required=False)
@screen_options
def watch(what: str | None, fingerprint: str | None, match: str | None, **screen: Any) -> None:
    """Watch a match: WHAT is its host's name, a table's id, or the beginning of the id of a match at this node.

    Or give the address of a player, the FINGERPRINT of their node and the whole id of the MATCH, as players see it on
    their screens. Everything that is shown is verified first.
    """
    with at_node() as (node, terminal):
        terminal.inbox.listen()
        own = _own_match(node, what)
        if own is not None:
            sys.exit(play_match(node, terminal, own, watching=True, **screen))
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
    return TableFlow(node, terminal, _enter(node, rows[chosen]), [], auto=True).run()
