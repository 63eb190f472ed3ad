"""`kontor people`: who is in the lobby, friends, blocks, invitations, reports."""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

import click

from kontor_games.clients.cli.common import LOBBY, LOBBY_KEY, at_node, enter_lobby
from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.lobby_words import marked
from kontor_games.clients.values import Data

APPEARS = {
    "nobody": "Nobody in a lobby is told that you are here.",
    "friends": "Friends who named you too are told that you are here; you are in no list.",
    "everybody": "Everybody in the lobby sees that you are here.",
}
WHO = click.argument("who")


@click.group("people", invoke_without_command=True)
@LOBBY
@LOBBY_KEY
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
@click.pass_context
def people(context: click.Context, lobby: str | None, lobby_key: str | None, as_json: bool) -> None:
    """Show friends and who is in the lobby. WHO below is a name, a key or the beginning of a fingerprint."""
    if context.invoked_subcommand is not None:
        return
    with at_node() as (node, terminal):
        if lobby is not None or lobby_key or not as_json:  # otherwise nothing but data is printed
            enter_lobby(node, terminal, lobby, lobby_key)
        known = _known(node)
        if as_json:
            click.echo(json.dumps(known, indent=1, ensure_ascii=False))
        else:
            _print(terminal, known)


def _known(node: NodeClient) -> Data:
    """Friends, blocked people and whoever is here; a lobby of the settings is reached first."""
    if node.get("settings")["lobby"] and not node.get("lobby")["up"]:
        node.post("lobby")
    found: Data = node.get("people")
    return found


def _print(terminal: LineTerminal, known: Data) -> None:
    terminal.print(terminal.paint("Friends", "bold"))
    for friend in known["friends"]:
        now = "is here" if friend["online"] else "is not seen now"
        called = f", as {marked(friend['called'], friend['mark'])}" if friend["called"] != friend["name"] else ""
        terminal.wrapped(f"  {friend['name']}  {friend['fingerprint'][:19]}  {now}{called}", indent="    ")
    if not known["friends"]:
        terminal.print("  none; kontor people add WHO")
    if known["up"]:
        terminal.print(terminal.paint("In the lobby", "bold"))
        for person in known["here"]:
            standing = " (friend)" if person["standing"] == "friend" else ""
            terminal.wrapped(
                f"  {marked(person['name'], person['mark'])}  {person['fingerprint'][:19]}{standing}", indent="    "
            )
        hidden = known["total"] - len(known["here"])
        if hidden > 0:
            terminal.print(f"  Others who do not show themselves to everybody: {hidden}")
        if known["older"]:
            terminal.wrapped("  This lobby is older: it knows no friends, invitations or reports.")
    if known["blocked"]:
        terminal.print(terminal.paint("Blocked", "bold"))
        for person in known["blocked"]:
            terminal.wrapped(f"  {person['name'] or '(no name)'}  {person['fingerprint'][:19]}", indent="    ")
    terminal.wrapped(APPEARS[known["appears"]], indent="")


def _find(node: NodeClient, who: str) -> Data:
    """The one person who is meant; a name must be nobody else's here."""
    known = _known(node)
    lists = (known["here"], known["blocked"], known["friends"])
    everybody: dict[str, Data] = {person["key"]: person for people in lists for person in people}
    text = who.strip().lower()
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return everybody.get(text) or {"key": text, "name": "", "fingerprint": "", "mark": ""}
    found: list[Data] = [
        person
        for person in everybody.values()
        if person["name"].lower() == text or (len(text) >= 9 and person["fingerprint"].startswith(text))
    ]
    if not found:
        raise click.UsageError(
            f"nobody called {who!r} is known here; give the whole key, or kontor people lists who is here"
        )
    if len(found) > 1:
        several = ", ".join(f"{person['name']} {person['fingerprint'][:19]}" for person in found[:5])
        raise click.UsageError(f"{len(found)} people match {who!r}: {several}; give the beginning of the fingerprint")
    return found[0]


def _stand(who: str, standing: str, said: str) -> None:
    with at_node() as (node, terminal):
        person = _find(node, who)
        node.post("people", {"key": person["key"], "name": person["name"], "standing": standing})
        terminal.wrapped(f"{person['name'] or person['key'][:16]} {said}", indent="")


@people.command("add")
@WHO
def _add(who: str) -> None:
    """Make somebody a friend: you are told when they are here, if they named you too or appear to everybody."""
    _stand(who, "friend", "is a friend now.")


@people.command("block")
@WHO
def _block(who: str) -> None:
    """Block somebody: their lines, tables and invitations are not shown, and they cannot come to your tables."""
    _stand(who, "block", "is blocked now.")


@people.command("forget")
@WHO
def _forget(who: str) -> None:
    """Take somebody out of the list of friends or blocked people."""
    _stand(who, "none", "is neither a friend nor blocked now.")


@people.command("appear")
@click.argument("to", type=click.Choice(list(APPEARS)))
def _appear(to: str) -> None:
    """Choose who may know that you are here."""
    with at_node() as (node, terminal):
        node.put("people/appears", {"to": to})
        terminal.wrapped(APPEARS[to], indent="")


@people.command("show")
@WHO
def _show(who: str) -> None:
    """Show what the lobby knows of somebody."""
    with at_node() as (node, terminal):
        about = node.get(f"people/{_find(node, who)['key']}")
        since = datetime.datetime.fromtimestamp(about["since"]).strftime("%Y-%m-%d")
        terminal.print(marked(about["name"], about["mark"]))
        terminal.print(f"Fingerprint  {about['fingerprint']}")
        terminal.print(f"Known since  {since}")
        games = ", ".join(f"{entry['matches']} of {entry['game']}" for entry in about["games"])
        terminal.wrapped(f"Matches      {about['matches']}{f' ({games})' if games else ''}", indent="             ")


@people.command("invite")
@WHO
@click.option("--table", help="The table; default the only one at which you are.")
def _invite(who: str, table: str | None) -> None:
    """Invite somebody who is in the lobby to your table there."""
    with at_node() as (node, terminal):
        person = _find(node, who)
        node.post(f"people/{person['key']}/invite", {"table": table or _own_table(node)})
        terminal.wrapped(f"{person['name']} is invited.", indent="")


def _own_table(node: NodeClient) -> str:
    mine = [
        row["id"]
        for row in node.get("tables")["tables"]
        if row["at"] and row["where"] == "lobby" and row["phase"] == "open"
    ]
    if len(mine) != 1:
        raise click.UsageError("which table? Give --table; kontor tables lists yours")
    return str(mine[0])


@people.command("report")
@WHO
@click.option("--reason", required=True, help="What is wrong, for the operators.")
@click.option("--place", default="hall", show_default=True, help="Where they said it: hall, or a table's id.")
def _report(who: str, reason: str, place: str) -> None:
    """Tell the operators of the lobby about somebody, with what they said last."""
    with at_node() as (node, terminal):
        person = _find(node, who)
        told: Any = node.post(f"people/{person['key']}/report", {"reason": reason, "place": place})
        lines = {0: "no lines; this node has heard none", 1: "one line"}.get(told["lines"], f"{told['lines']} lines")
        terminal.wrapped(f"The operators are told about {person['name']}, with {lines}.", indent="")
        sys.exit(0)


command = people
