"""`kontor doctor`: what works between this machine and others, and what to do about the rest."""

from __future__ import annotations

import json
import sys

import click

from kontor_games.clients.cli.common import LOBBY, LOBBY_KEY, ME, at_node, called, enter_lobby
from kontor_games.clients.text.grid_lines import print_grid
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

TITLES = {
    "local-network": "Local network",
    "lobby": "Lobby",
    "clock": "Clock",
    "way-in": "Way in",
    "router": "Router",
}

ALL_IS_WELL = "All is well: there is nothing that you have to do."
NOT_ALL_IS_WELL = (
    "Something is not well. Look for NOT WELL, or for players who are not reached: what to do stands there."
)


@click.command()
@LOBBY
@LOBBY_KEY
@ME
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
def command(lobby: str | None, lobby_key: str | None, name: str | None, as_json: bool) -> None:
    """Say what works between this machine and others; exit code 1 if something does not."""
    with at_node() as (node, terminal):
        called(node, name)
        if lobby is not None or lobby_key:
            try:
                enter_lobby(node, terminal, lobby, lobby_key)
            except click.UsageError:
                raise
            except Exception:  # noqa: S110 - that is what the report is about
                pass
        report = node.get("doctor")
        if as_json:
            click.echo(json.dumps(report))
        else:
            print_report(terminal, report, str(node.get("settings")["lobby"]).partition("#")[0])
        sys.exit(0 if is_well(report) else 1)


def print_report(terminal: Terminal, report: Data, lobby: str) -> None:
    """Everything in lines that can be read aloud: the verdict, the ways, every pair of every match, then figures."""
    terminal.wrapped(ALL_IS_WELL if is_well(report) else NOT_ALL_IS_WELL)
    for check in report["checks"]:
        mark = "" if check["ok"] else " NOT WELL:"
        terminal.wrapped(f"{TITLES.get(check['id'], check['id'])}:{mark} {check['text']}")
    if not lobby:
        terminal.print("Lobby: none chosen (--lobby ADDRESS checks one)")
    for match in report["matches"]:
        terminal.print(f"Match {match['id'][:12]}, {match['game']} (rules {match['rules']}):")
        print_grid(terminal, match["grid"], match["pairs"])
    if not report["matches"]:
        terminal.print("No match with other machines is going on, so there is nobody to be reached.")
    terminal.print("For somebody who helps you:")
    libraries = ", ".join(f"{what} {number}" for what, number in report["libraries"].items())
    terminal.wrapped(f"  Versions: kontor {report['software']}, {libraries}", indent="    ")
    rules = ", ".join(f"{game} {number}" for game, number in report["rules"].items())
    terminal.wrapped(f"  Rules: {rules}", indent="    ")
    terminal.wrapped(f"  Identity: {report['fingerprint']}", indent="    ")
    terminal.wrapped("  This machine listens at " + ", ".join(report["addresses"]), indent="    ")


def is_well(report: Data) -> bool:
    """Whether there is nothing that a person should do something about."""
    rows = [row for match in report["matches"] for row in match["grid"]]
    return all(check["ok"] for check in report["checks"]) and all(row["state"] != "missing" for row in rows)
