"""`kontor host` and `join`: matches between machines, on the local network, at an address or in a lobby."""

from __future__ import annotations

import re
import shlex
import sys
import time
from typing import Any

import click

from kontor_games.clients.cli.common import (
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
from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.cli.match.nearby import SIGHT_SECONDS, enter, table_line, tables_near, wait_for_news
from kontor_games.clients.cli.match.table_flow import TableFlow
from kontor_games.clients.node.node_client import NodeClient

from .play_command import game_options

CODE = re.compile(r"[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}")


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 8), default=2, show_default=True, help="Players, bots included.")
@ME
@click.option("--bots", type=click.IntRange(0, 6), default=0, help="Bots that play at your node.")
@BOT
@click.option(
    "--recovery",
    type=click.Choice(["majority", "none"]),
    default="majority",
    show_default=True,
    help="If somebody is lost: a majority can go on, and could read cards and put people out; or nobody can.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, 30 * 86_400),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long somebody may be out of reach before the others can go on without them.",
)
@click.option(
    "--spectators/--no-spectators",
    default=None,
    help="Let others watch; on the local network they may unless you say no.",
)
@click.option("--rated", is_flag=True, help="Count the match on the ladder: file, names and all hands become public.")
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
    /,
    game: str,
    seats: int,
    name: str | None,
    bots: int,
    kind: str | None,
    recovery: str,
    grace: int,
    spectators: bool | None,
    rated: bool,
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
            "recovery": recovery, "grace": grace, "spectators": lobby is None if spectators is None else spectators,
        }  # fmt: skip
        if seats not in record["seats"]:
            numbers = ", ".join(map(str, record["seats"]))
            raise click.UsageError(f"{record['title']} is for {numbers} players, not {seats}")
        if rated and bots:
            raise click.UsageError("a rated match has one seat for each machine; leave --bots out")
        if rated:
            wish["rated"] = True
        if bots + 2 > seats:
            raise click.UsageError(f"{seats} seats with {bots} bots leave none for others; kontor play is for that")
        who = (called(node, name), bot_kind(node, kind))
        wishes = [who, *((f"{who[0][:15]}'s bot {number + 1}", node.hello["bots"][0]) for number in range(bots))]
        if lobby is not None:
            there = enter_lobby(node, terminal, lobby, lobby_key)["address"]
            wish |= {"where": "lobby", "visibility": visibility or "public", "name": note}
        table = node.post("tables", wish)["id"]
        terminal.print(f"{terminal.paint(record['title'], 'bold')}, {seats} seats. You are {who[0]}.")
        if lobby is not None:
            _invite(node, terminal, table, there)
        else:
            _say_way(node, terminal, table)
        _say_recovery(node, terminal, seats - bots, recovery)
        sys.exit(sit_and_play(node, terminal, table, wishes, auto or kind is not None, **screen))


def _say_recovery(node: NodeClient, terminal: LineTerminal, machines: int, chosen: str) -> None:
    """What the host has chosen, and what stands beside it; a free seat counts as a machine of its own."""
    choices = node.get("hello")["recovery"][str(machines)]
    for choice in choices:
        if choice["id"] in ("", chosen):
            terminal.wrapped(choice["text"] if not choice["id"] else f"Recovery is {chosen}. {choice['text']}")
    for choice in choices:
        if choice["id"] not in ("", chosen):
            terminal.wrapped(f"Instead, with --recovery {choice['id']}: {choice['text']}")


def _invite(node: NodeClient, terminal: LineTerminal, table: str, lobby: str) -> None:
    terminal.print("The others join with:")
    terminal.print(f"  kontor join {_code(node, terminal, table)} --lobby {lobby}")


def _code(node: NodeClient, terminal: LineTerminal, table: str) -> str:
    """The invite code comes with the lobby's card of the table, a moment after the table."""
    until = time.monotonic() + SIGHT_SECONDS
    while (view := node.get(f"tables/{table}"))["code"] is None and time.monotonic() < until:
        wait_for_news(terminal, until)
    return str(view["code"] or table)


def _say_way(node: NodeClient, terminal: LineTerminal, table: str) -> None:
    view = node.get(f"tables/{table}")
    terminal.print("On this network the others just type kontor join. From elsewhere, one of:")
    for address in view["addresses"]:
        terminal.print(f"  kontor join {shlex.quote(address)} {view['fingerprint']}")  # brackets mean files to a shell
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
    return None if chosen is None else enter(node, tables[chosen])


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
    return enter(node, rows[chosen])


def sit_and_play(
    node: NodeClient, terminal: LineTerminal, table: str, wishes: list[tuple[str, str]], auto: bool, **screen: Any
) -> int:
    """The table, then its match; the exit code."""
    terminal.inbox.listen()
    match = TableFlow(node, terminal, table, wishes, auto).run()
    return 1 if match is None else play_match(node, terminal, match, **screen)
