"""`kontor tables`, `queue` and `doctor`: find each other on the local network and in a lobby, and find out why not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from .api import Data, NodeClient, Services
from .inbox import NetTerminal
from .network import BIND, HOME, LOBBY, LOBBY_KEY, ME, PORT, READY, _mine, _play, _run, enter_lobby
from .play import find_game
from .room import Room

FIRST_SIGHT = 2.0  # seconds in which tables on the local network show up
LINK_TIME = 10.0  # seconds in which a path to every peer is found, or none is


@click.command()
@LOBBY
@LOBBY_KEY
@ME
@HOME
@BIND
@click.pass_obj
def tables(
    services: Services, lobby: str, lobby_key: str | None, name: str | None, home: Path | None, bind: str
) -> None:
    """Show open tables on the local network and in a lobby."""
    me = _mine(services, name, None)[0]
    where = lobby or services.default_lobby(home)

    def main(node: NodeClient, terminal: NetTerminal) -> int:
        until = time.monotonic() + FIRST_SIGHT
        rows: list[Data] = []
        told = None
        if where:
            told = enter_lobby(node, terminal, where, me, lobby_key)
            rows = node.lobby_tables(told["lobby"])
        while (left := until - time.monotonic()) > 0:
            terminal.inbox.get(left)
        found = node.lan_tables()
        terminal.print(terminal.paint("On the local network", "bold"))
        for offer in found:
            terminal.print(f"  {_counted(offer)}  kontor join {offer['addresses'][0]} {offer['fingerprint']}")
        if not found:
            terminal.print("  " + (node.lan_trouble() or "no tables; if there should be some, ask kontor doctor"))
        if told is not None:
            terminal.print(terminal.paint(f"In the lobby {told['lobby']}", "bold"))
            for row in rows:
                note = f"  {row['note']}" if row["note"] else ""
                state = "" if row["phase"] == "open" else f" ({row['phase']})"
                terminal.print(f"  {_counted(row)}{state}  kontor join {row['table']} --lobby {told['lobby']}{note}")
            if not rows:
                terminal.print("  no public tables")
        return 0

    _run(services, main, home=home, bind=bind, port=0, lan=True)


def _counted(row: Data) -> str:
    return f"{row['game']:<10} {row['taken']} of {row['seats']} seats taken, host {row['host']}"


@click.command()
@click.argument("game")
@click.option("--seats", type=click.IntRange(2, 8), multiple=True, help="Numbers of players you like; default all.")
@LOBBY
@LOBBY_KEY
@ME
@HOME
@BIND
@PORT
@READY
@click.pass_obj
def queue(
    services: Services,
    game: str,
    seats: tuple[int, ...],
    lobby: str,
    lobby_key: str | None,
    name: str | None,
    auto: bool,
    home: Path | None,
    **where: Any,
) -> None:
    """Let a lobby find others who want to play GAME."""
    record = find_game(services, game)
    wish = _mine(services, name, None)
    address = lobby or services.default_lobby(home)
    if not address:
        raise click.UsageError("which lobby? Give --lobby ADDRESS, or set one in the web client")

    def main(node: NodeClient, terminal: NetTerminal) -> int:
        there = enter_lobby(node, terminal, address, wish[0], lobby_key)["lobby"]
        node.queue(there, [game], [number for number in record["seats"] if not seats or number in seats])
        terminal.print(f"Waiting for others who want to play {record['title']}; q gives up.")
        table = _wait_for_table(node, terminal, there, auto)
        if table is None:
            return 1
        return _play(node, terminal, Room(node, terminal, [wish], auto), table)

    _run(services, main, home=home, lan=False, **where)


def _wait_for_table(node: NodeClient, terminal: NetTerminal, lobby: str, auto: bool) -> str | None:
    """Answer offers until one becomes a table."""
    open_offer = ""
    while True:
        item = terminal.inbox.get()
        if item in ("q", "quit") or (isinstance(item, dict) and item["news"] == "interrupt"):
            node.unqueue(lobby)
            return None
        if isinstance(item, str):
            if open_offer:
                node.reply(lobby, open_offer, item in ("y", "yes"))
                open_offer = ""
        elif item is not None and item["news"] == "offer":
            terminal.print(f"Found: {', '.join(map(_called, item['people']))}.")
            if auto:
                node.reply(lobby, item["offer"], True)
            else:
                open_offer = item["offer"]
                terminal.print("Play? y or n, soon:")
        elif item is not None and item["news"] == "offer-over":
            open_offer = ""
            terminal.print(f"It came to nothing: {item['reason']}.")
            if not item["queued"]:
                return None
        elif item is not None and item["news"] == "table":
            terminal.inbox.give_back([item])
            return str(item["table"])


def _called(person: Data) -> str:
    return str(person["name"]) + (f" ({person['mark']})" if person["mark"] else "")


@click.command()
@LOBBY
@LOBBY_KEY
@ME
@HOME
@BIND
@PORT
@click.pass_obj
def doctor(
    services: Services, lobby: str, lobby_key: str | None, name: str | None, home: Path | None, **where: Any
) -> None:
    """Say what works between this machine and others, and what to do about the rest."""
    me = _mine(services, name, None)[0]
    address = lobby or services.default_lobby(home)

    def main(node: NodeClient, terminal: NetTerminal) -> int:
        health = services.health(where["bind"])
        terminal.print("Versions: " + ", ".join(f"{what} {number}" for what, number in health["versions"].items()))
        known = node.me()
        terminal.print(f"Identity: {known['fingerprint']}")
        terminal.print("Others reach this machine at " + ", ".join(known["addresses"]))
        good = _multicast(terminal, health["multicast"], node.lan_trouble())
        if address:
            good = _lobby(node, terminal, address, me, lobby_key, known["addresses"]) and good
        else:
            terminal.print("Lobby: none given (--lobby ADDRESS checks one)")
        return 0 if _pairs(node, terminal) and good else 1

    _run(services, main, home=home, lan=True, **where)


def _multicast(terminal: NetTerminal, seconds: float | None, trouble: str | None) -> bool:
    if seconds is None or trouble:
        terminal.wrapped(
            f"Local network: announcements do not get through{f' ({trouble})' if trouble else ''}. Tables here are not "
            "found by themselves: join by address (the host's screen shows it) or in a lobby. Often a firewall blocks "
            "UDP port 5353, or the network is a guest network that keeps machines apart."
        )
        return False
    terminal.wrapped(
        f"Local network: this machine hears its own announcement after {seconds:.1f} s. If others still do not see "
        "your tables, the network between you does not pass them on: join by address."
    )
    return True


def _lobby(node: NodeClient, terminal: NetTerminal, address: str, name: str, key: str | None, own: list[str]) -> bool:
    try:
        told = enter_lobby(node, terminal, address, name, key)
    except Exception as error:
        terminal.wrapped(f"Lobby: {error}. Check the address and whether other programs reach the internet.")
        return False
    skew = abs(told["skew"])
    terminal.print(f"Lobby: reached, its fingerprint is {told['fingerprint']}")
    if skew > 5:
        terminal.print(f"Clock: this machine's and the lobby's differ by {skew:.0f} s; set yours by the network")
    else:
        terminal.print(f"Clock: agrees with the lobby's within {max(1, round(skew))} s")
    if told["seen"] in own:
        terminal.print(f"Way in: the lobby sees you at {told['seen']}, one of your own addresses")
    else:
        port = own[0].rpartition(":")[2]
        terminal.wrapped(
            f"Way in: the lobby sees you at {told['seen']}, so a router stands between. Others who are not behind one "
            f"can still be called by you; else the lobby's relay helps. A direct way needs port {port} forwarded."
        )
    return True


def _pairs(node: NodeClient, terminal: NetTerminal) -> bool:
    until = time.monotonic() + LINK_TIME
    while any(row["path"] is None for row in node.grid()) and time.monotonic() < until:
        terminal.inbox.get(0.5)
    rows = node.grid()
    for row in rows:
        if row["path"] is None:
            terminal.print(f"{row['who']}: not reached; is their Kontor running? (match {row['match'][:12]})")
        else:
            ms = "" if row["ms"] is None else f", {row['ms']} ms there and back"
            terminal.print(f"{row['who']}: {row['path']}{ms} (match {row['match'][:12]})")
    if not rows:
        terminal.print("No match is going on, so there is nobody to be reached.")
    return all(row["path"] for row in rows)
