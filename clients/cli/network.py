"""`kontor host`, `join`, `resume` and `watch`: matches between machines, directly or through a lobby."""

from __future__ import annotations

import getpass
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .api import Data, NodeClient, Services
from .inbox import Inbox, NetTerminal
from .play import find_game, game_options
from .room import Room
from .screen import Screen

HOME = click.option(
    "--home", type=click.Path(file_okay=False, path_type=Path), help="Another directory for key and matches."
)
BIND = click.option("--bind", default="", metavar="ADDRESS", help="Listen on this address only.")
PORT = click.option("--port", type=click.IntRange(0, 65535), default=0, help="Listen on this port; else the last one.")
ME = click.option("--me", "name", help="Your name at the table.")
LOBBY = click.option("--lobby", default="", metavar="ADDRESS", help="A lobby, as host or host:port.")
LOBBY_KEY = click.option("--lobby-key", metavar="FINGERPRINT", help="The fingerprint that the lobby must have.")
READY = click.option("--ready", "auto", is_flag=True, help="Agree to the terms without being asked.")


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 8), default=2, show_default=True, help="Players, bots included.")
@ME
@click.option("--bots", type=click.IntRange(0, 6), default=0, help="Bots that play at your node.")
@click.option("--bot", "kind", help="Let a bot of this kind play for you.")
@click.option("--recovery", type=click.Choice(["majority", "none"]), default="majority", show_default=True)
@click.option("--spectators/--no-spectators", default=False, help="Let others watch.")
@LOBBY
@LOBBY_KEY
@click.option("--invite", "visibility", flag_value="invite", help="In a lobby: only by invite code.")
@click.option("--unlisted", "visibility", flag_value="unlisted", help="In a lobby: only for who knows the table's id.")
@click.option("--lan/--no-lan", default=True, help="Show the table to the local network.")
@HOME
@BIND
@PORT
@READY
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
    lobby: str,
    lobby_key: str | None,
    visibility: str | None,
    auto: bool,
    lan: bool,
    **where: Any,
) -> None:
    """Open a table of GAME, here or with --lobby there; others come with kontor join.

    Options of the game follow as --name value; see them with kontor play GAME --options.
    """
    services: Services = context.obj
    record = find_game(services, game)
    options = game_options(record, context.args)
    if seats not in record["seats"]:
        raise click.UsageError(f"{record['title']} is for {', '.join(map(str, record['seats']))} players, not {seats}")
    if bots + 2 > seats:
        raise click.UsageError(f"{seats} seats with {bots} bots leave none for anybody else; kontor play is for that")
    kinds = services.bot_kinds()
    wishes = [_mine(services, name, kind)]
    wishes += [(f"{wishes[0][0]}'s bot {number + 1}", kinds[0]) for number in range(bots)]

    def in_lobby(node: NodeClient, terminal: NetTerminal) -> int:
        there = enter_lobby(node, terminal, lobby, wishes[0][0], lobby_key)["lobby"]
        made = node.host_in_lobby(there, game, options, seats, recovery, spectators, visibility or "public")
        terminal.print(terminal.paint(record["title"], "bold") + f", {seats} seats. The others join with:")
        terminal.print(f"  kontor join {made['code'] or made['table']} --lobby {there}")
        return _play(node, terminal, Room(node, terminal, wishes, auto or kind is not None), made["table"])

    def here(node: NodeClient, terminal: NetTerminal) -> int:
        table = node.host(game, options, seats, recovery, spectators)
        me = node.me()
        terminal.print(terminal.paint(record["title"], "bold") + f", {seats} seats. The others join with one of:")
        for address in me["addresses"]:
            terminal.print(f"  kontor join {address} {me['fingerprint']}")
        terminal.print(f"  (fingerprint in words: {me['words']})")
        return _play(node, terminal, Room(node, terminal, wishes, auto or kind is not None), table)

    _run(services, in_lobby if lobby else here, lan=lan and not lobby and not where["bind"], **where)


@click.command()
@click.argument("address", required=False)
@click.argument("fingerprint", required=False)
@LOBBY
@LOBBY_KEY
@ME
@click.option("--bot", "kind", help="Let a bot of this kind play for you.")
@HOME
@BIND
@PORT
@READY
@click.pass_obj
def join(
    services: Services,
    address: str | None,
    fingerprint: str | None,
    lobby: str,
    lobby_key: str | None,
    name: str | None,
    kind: str | None,
    auto: bool,
    **where: Any,
) -> None:
    """Join the table of the node at ADDRESS; its FINGERPRINT makes sure that it is the right one.

    With --lobby, ADDRESS is an invite code or a table's id there; without anything, a table on the local network.
    """
    wishes = [_mine(services, name, kind)]

    def in_lobby(node: NodeClient, terminal: NetTerminal) -> int:
        there = enter_lobby(node, terminal, lobby, wishes[0][0], lobby_key)["lobby"]
        table = node.enter_in_lobby(there, address or "")
        return _play(node, terminal, Room(node, terminal, wishes, auto or kind is not None), table)

    def nearby(node: NodeClient, terminal: NetTerminal) -> int:
        terminal.print("Looking around on the local network …")
        offer = _nearby(node, terminal, auto or kind is not None)
        if offer is None or not _confirm(terminal, offer, auto or kind is not None):
            return 1
        node.enter(offer["peer"], offer["table"], *offer["addresses"])
        return _play(node, terminal, Room(node, terminal, wishes, auto or kind is not None), offer["table"])

    def direct(node: NodeClient, terminal: NetTerminal) -> int:
        assert address is not None
        terminal.print(f"Calling {address} …")
        peer = node.meet(address, fingerprint)
        if fingerprint is None and not _confirm(terminal, peer, auto or kind is not None):
            return 1
        offer = _offer(terminal, peer["peer"])
        if offer is None:
            return 1
        node.enter(peer["peer"], offer["table"], address)
        return _play(node, terminal, Room(node, terminal, wishes, auto or kind is not None), offer["table"])

    if lobby and not address:
        raise click.UsageError("give the invite code or the table's id; kontor tables lists public ones")
    _run(services, in_lobby if lobby else direct if address else nearby, lan=address is None, **where)


@click.command()
@click.argument("match", required=False)
@HOME
@BIND
@PORT
@click.pass_obj
def resume(services: Services, match: str | None, **where: Any) -> None:
    """Go on with a network MATCH (the beginning of its id); without it they are listed."""

    def main(node: NodeClient, terminal: NetTerminal) -> int:
        found = [known for known in node.matches() if not match or known["match"].startswith(match.lower())]
        if not found:
            terminal.print(
                "There is no unfinished match here." if not match else f"No unfinished match begins {match}."
            )
            return 1
        chosen = found[0] if len(found) == 1 else _choose(terminal, found)
        return 1 if chosen is None else _screen(node, terminal, chosen["match"])

    _run(services, main, **where)


@click.command()
@click.argument("address")
@click.argument("fingerprint")
@click.argument("match")
@HOME
@click.pass_obj
def watch(services: Services, address: str, fingerprint: str, match: str, home: Path | None) -> None:
    """Watch MATCH (its whole id) through the player at ADDRESS; everything shown is verified."""
    if len(match) != 64 or not set(match.lower()) <= set("0123456789abcdef"):
        raise click.UsageError("a match id has 64 letters and digits, as the players see it")

    def main(node: NodeClient, terminal: NetTerminal) -> int:
        peer = node.meet(address, fingerprint)
        node.watch(match.lower(), peer["peer"], address)
        return _screen(node, terminal, match.lower(), watching=True)

    _run(services, main, home=home, bind="127.0.0.1", port=0)


def _run(services: Services, main: Callable[[NodeClient, NetTerminal], int], **where: Any) -> None:
    inbox = Inbox()

    def client(node: NodeClient) -> int:
        inbox.listen()
        return main(node, NetTerminal(inbox))

    sys.exit(services.with_node(client, inbox.put, **where))


def enter_lobby(node: NodeClient, terminal: NetTerminal, address: str, name: str, key: str | None) -> Data:
    """Sign in, and say what a person should know about the lobby's key."""
    told = node.lobby(address, name, key)
    if told["new"] and key is None:
        terminal.wrapped(
            f"First time in this lobby. Its fingerprint is {told['fingerprint']} ({told['words']}); it is remembered, "
            "and another key will be refused."
        )
    if told["mark"]:
        terminal.wrapped(f"Somebody else used the name {name} here first; others see {name} ({told['mark']}).")
    return told


def _nearby(node: NodeClient, terminal: NetTerminal, auto: bool) -> Data | None:
    """A table on the local network; a person chooses if there are several."""
    until = time.monotonic() + 5
    while not node.lan_tables() and (left := until - time.monotonic()) > 0:
        item = terminal.inbox.get(left)
        if isinstance(item, dict) and item["news"] == "interrupt":
            return None
    found = node.lan_tables()
    if not found:
        terminal.wrapped(node.lan_trouble() or "There is no table on the local network; kontor doctor may know why.")
        return None
    if len(found) == 1 or auto:
        return found[0]
    for number, offer in enumerate(found, 1):
        terminal.print(
            f"{number:>3}  {offer['game']}, {offer['taken']} of {offer['seats']} seats, host {offer['host']}"
        )
    text = terminal.ask("Which one? ")
    if text and text.isascii() and text.isdigit() and 1 <= int(text) <= len(found):
        return found[int(text) - 1]
    return None


def _mine(services: Services, name: str | None, kind: str | None) -> tuple[str, str]:
    if kind is not None and kind not in services.bot_kinds():
        raise click.UsageError(f"bots are {', '.join(services.bot_kinds())}, not {kind!r}")
    try:
        user = getpass.getuser().capitalize()
    except (OSError, KeyError):  # nobody has a name here
        user = "Player"
    return (name or (user if kind is None else kind.capitalize()))[:24], kind or "human"


def _confirm(terminal: NetTerminal, peer: Data, auto: bool) -> bool:
    """Without a fingerprint to compare, a person has to."""
    terminal.print(f"The node there has the fingerprint {peer['fingerprint']}")
    terminal.print(f"  in words: {terminal.paint(peer['words'], 'bold')}")
    if auto:
        return True
    return terminal.ask("Does the host see the same? y goes on: ") in ("y", "yes")


def _offer(terminal: NetTerminal, peer: str) -> Data | None:
    """The table of that node; the first if it keeps several."""
    until = time.monotonic() + 15
    while (left := until - time.monotonic()) > 0:
        item = terminal.inbox.get(left)
        if isinstance(item, dict) and item["news"] == "interrupt":
            return None
        if isinstance(item, dict) and item["news"] == "offers" and item["peer"] == peer:
            if item["tables"]:
                return dict(item["tables"][0])
            terminal.print("That node has no open table now.")
            return None
    terminal.print("That node does not answer.")
    return None


def _choose(terminal: NetTerminal, found: list[Data]) -> Data | None:
    for number, known in enumerate(found, 1):
        names = ", ".join(seat["name"] + (" (you)" if seat["you"] else "") for seat in known["seats"])
        terminal.print(f"{number:>3}  {known['title']}: {names}; ply {known['ply']}; match {known['match'][:12]}")
    text = terminal.ask("Which one? ")
    if text and text.isascii() and text.isdigit() and 1 <= int(text) <= len(found):
        return found[int(text) - 1]
    return None


def _play(node: NodeClient, terminal: NetTerminal, room: Room, table: str) -> int:
    match = room.wait(table)
    if match is None:
        terminal.print("You have left the table.")
        return 0
    return _screen(node, terminal, match)


def _screen(node: NodeClient, terminal: NetTerminal, key: str, watching: bool = False) -> int:
    screen = _set_up(node, terminal, key, watching)
    if screen is None:
        return 130
    screen.run()
    if not watching:
        time.sleep(1)  # what we said last should reach the others before the links go down
    return 130 if terminal.is_left else 0


def _set_up(node: NodeClient, terminal: NetTerminal, key: str, watching: bool) -> Screen | None:
    """Wait until there is a board to show; tell what happens meanwhile."""
    if watching:
        terminal.print("Fetching and verifying the match so far …")
    else:
        terminal.print(f"Match {key}")
    kept: list[str | Data] = []  # typed or said meanwhile: for the screen
    while (match := node.match(key)) is None:
        item = terminal.inbox.get(1.0)
        if isinstance(item, dict):
            if item["news"] == "interrupt":
                return None
            if item["news"] == "refused":
                terminal.wrapped(f"Refused: {item['reason']}")
                return None
            if item["news"] == "link" and not watching:
                terminal.print("  " + _what(item))
            if item["news"] not in ("link", "ply"):
                kept.append(item)
        elif item == "q":
            return None
        elif item:
            kept.append(item)
    terminal.inbox.give_back(kept)
    return Screen(match, terminal, key, watching)


def _what(link: Data) -> str:
    parts = link["parts"] if link["kind"] == "entry" else ()
    if "key" in parts:
        return "Everybody has proven their deck key."
    if "esc" in parts:
        return "The keys are in escrow among all."
    if "mix" in parts:
        return f"{link['cards']} cards are shuffled by all in turn."
    return "Chance is decided by all together."
