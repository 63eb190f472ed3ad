"""`kontor tables` and `queue`: find each other on the local network and in a lobby."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from kontor_games.clients.cli.common import (
    LOBBY,
    LOBBY_KEY,
    ME,
    READY,
    at_node,
    called,
    change_settings,
    enter_lobby,
    screen_options,
    tell_lobby,
)
from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.cli.match.nearby import table_line, tables_near
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.lobby_words import lobby_says, marked
from kontor_games.clients.values import Data

from .host_command import sit_and_play


@click.command()
@LOBBY
@LOBBY_KEY
@click.option("--forget-lobby", "forget", is_flag=True, help="Do not look into the lobby of your settings any more.")
@ME
def tables(lobby: str | None, lobby_key: str | None, forget: bool, name: str | None) -> None:
    """Show open tables on the local network and in the lobby."""
    if forget and (lobby is not None or lobby_key):
        raise click.UsageError("--forget-lobby does not go with a lobby to look into")
    with at_node() as (node, terminal):
        called(node, name)
        if forget:
            change_settings(node, lobby="")
        is_told = lobby is not None or bool(lobby_key)
        if is_told:
            enter_lobby(node, terminal, lobby, lobby_key)
        tables_near(node, terminal)
        told = node.get("tables")
        mine = [row for row in told["tables"] if row["at"] and row["phase"] == "open"]
        found = [row for row in told["tables"] if row not in mine]
        terminal.print(terminal.paint("On the local network", "bold"))
        near = [row for row in found if row["where"] == "lan"]
        for row in near:
            _print(terminal, row, "")
        if not near:
            trouble = told["lan"]["trouble"] or "no tables; if there should be some, ask kontor doctor"
            terminal.wrapped(f"  {trouble}")
        _print_lobby(node, terminal, [row for row in found if row["where"] == "lobby"], is_told)
        for row in mine:
            terminal.wrapped(f"You are at a table: {table_line(row)}")
            terminal.print(f"    kontor join {row['id']}")


def _print_lobby(node: NodeClient, terminal: LineTerminal, rows: list[Data], is_told: bool) -> None:
    """The tables of the lobby, if one is chosen; one that is only remembered keeps nobody waiting."""
    there = node.get("lobby")
    address = there["address"].partition("#")[0]
    if not address:
        return
    terminal.print(terminal.paint(f"In the lobby {address}", "bold"))
    if not there["up"]:
        terminal.wrapped("  It is not reached now. kontor tables --forget-lobby stops looking for it.")
        return
    if not is_told:
        tell_lobby(node, terminal, there)
    for row in rows:
        _print(terminal, row, " --lobby")
    if not rows:
        terminal.print("  no public tables")


def _print(terminal: LineTerminal, row: Data, more: str) -> None:
    """The table, and below it what to type."""
    terminal.wrapped(f"  {table_line(row)}", indent="    ")
    if row["phase"] == "open":
        terminal.print(f"    kontor join {row['id']}{more}")
    elif row.get("spectators"):
        terminal.print(f"    kontor watch {row['id']}")


@click.command()
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 8), multiple=True, help="Numbers of players you like; default all.")
@LOBBY
@LOBBY_KEY
@ME
@READY
@screen_options
def queue(
    game: str,
    seats: tuple[int, ...],
    lobby: str | None,
    lobby_key: str | None,
    name: str | None,
    auto: bool,
    **screen: Any,
) -> None:
    """Let the lobby find others who want to play GAME."""
    with at_node() as (node, terminal):
        record = node.game(game)
        me = called(node, name)
        enter_lobby(node, terminal, lobby or "", lobby_key)
        known = {row["id"] for row in node.get("tables")["tables"] if row["at"]}
        likes = [number for number in record["seats"] if not seats or number in seats]
        if not likes:
            raise click.UsageError(f"{record['title']} is for {', '.join(map(str, record['seats']))} players")
        node.post("queue", {"games": [game], "seats": likes})
        terminal.print(f"Waiting for others who want to play {record['title']}; q gives up.")
        terminal.inbox.listen()
        try:
            table = _wait_for_table(node, terminal, known, auto)
        except KeyboardInterrupt:
            node.delete("queue")
            terminal.print("\nYou are no longer waiting.")
            sys.exit(130)
        sys.exit(1 if table is None else sit_and_play(node, terminal, table, [(me, "person")], auto, **screen))


def _wait_for_table(node: NodeClient, terminal: LineTerminal, known: set[str], auto: bool) -> str | None:
    """Answer offers until one becomes a table."""
    offer = ""
    while True:
        item = terminal.inbox.get()
        if isinstance(item, str):
            terminal.answered(item)
            if item in ("q", "quit"):
                node.delete("queue")
                return None
            if offer:
                node.post("queue/reply", {"offer": offer, "yes": item.lower() in ("y", "yes")})
                offer = ""
            continue
        if item is None or item["kind"] == "stopped" or (item["kind"] == "eof" and not auto):
            return None
        if item["kind"] == "table" and "table" in item and item["id"] not in known:
            return str(item["id"])
        if item["kind"] == "notice" and (said := lobby_says(item)) is not None:
            terminal.wrapped(said)
        if item["kind"] != "offer":
            continue
        if "over" in item:
            offer = ""
            terminal.wrapped(f"It came to nothing: {item['over']}.")
            if not item["queued"]:
                return None
        else:
            terminal.print(f"Found: {', '.join(map(_called, item['people']))}.")
            if auto:
                node.post("queue/reply", {"offer": item["id"], "yes": True})
            else:
                offer = item["id"]
                left = max(0, item["until"] - int(time.time()))
                terminal.prompt(f"Play? y or n, within {left} s: ")


def _called(person: Data) -> str:
    return marked(person["name"], person["mark"])
