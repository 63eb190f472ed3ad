"""What commands at the node share: options, the person's name, the lobby, and the way into a match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from kontor_games.clients.cli.match.inbox import Inbox, LineTerminal
from kontor_games.clients.cli.match.line_mode import LineMode
from kontor_games.clients.node.node_client import NodeClient, PatientClient
from kontor_games.clients.text.lobby_words import lobby_says, marked
from kontor_games.clients.values import Data

F = TypeVar("F", bound=Callable[..., Any])
CHOSEN = "-"  # --lobby without an address: the one of the settings

ME = click.option("--me", "name", metavar="NAME", help="Your name, from now on.")
LOBBY = click.option(
    "--lobby", is_flag=False, flag_value=CHOSEN, metavar="[ADDRESS]",
    help="A lobby, as host or host:port; it is remembered, and --lobby alone means the last one.",
)  # fmt: skip
LOBBY_KEY = click.option("--lobby-key", metavar="FINGERPRINT", help="The fingerprint that the lobby must have.")
READY = click.option("--ready", "auto", is_flag=True, help="Agree to the terms without being asked.")
BOT = click.option("--bot", "kind", help="Let a bot of this kind play for you.")
FULL = click.option("--full-screen", "-f", "full", is_flag=True, help="Show the match on the whole terminal.")
BRIEF = click.option("--brief", is_flag=True, help="Say little: boards and long menus only when asked for.")


def screen_options(command: F) -> F:
    """How a match is shown."""
    return FULL(BRIEF(command))


@contextmanager
def at_node() -> Iterator[tuple[NodeClient, LineTerminal]]:
    """The node and a terminal on which lines and events come in together."""
    node = NodeClient()
    inbox = Inbox()
    try:
        node.listen(inbox.put)
        yield node, LineTerminal(inbox)
    finally:
        node.close()


def play_match(
    node: NodeClient,
    terminal: LineTerminal,
    match: str,
    watching: bool = False,
    brief: bool = False,
    full: bool = False,
    **more: Any,
) -> int:
    """Show the match until it is over or the person leaves; the exit code."""
    if full:
        from kontor_games.clients.tui.draw.fit import why_not

        reason = why_not()
        if reason is None:
            terminal.inbox.hush()
            from kontor_games.clients.tui.app import run

            return run(PatientClient(node.home), match, None, watching)
        terminal.wrapped(f"{reason} Here is the plain mode.", indent="")
    return LineMode(node, terminal, match, watching, brief=brief, **more).run()


def called(node: NodeClient, name: str | None) -> str:
    """The person's name at tables; a new one is remembered."""
    if name and name != node.hello["node"]["name"]:
        change_settings(node, name=name)
        node.hello = node.get("hello")
    return str(node.hello["node"]["name"])


def change_settings(node: NodeClient, **new: str) -> None:
    """Remember these; everything else stays."""
    node.put("settings", {**node.get("settings"), **new})


def enter_lobby(node: NodeClient, terminal: LineTerminal, lobby: str | None, key: str | None) -> Data:
    """Reach the lobby that is meant, and say what a person should know about its key; {} if none is meant."""
    chosen = str(node.get("settings")["lobby"])
    if lobby not in (None, CHOSEN, "") or key:
        address = chosen.partition("#")[0] if lobby in (None, CHOSEN, "") else str(lobby)
        chosen = address + (f"#{key}" if key else "")
        change_settings(node, lobby=chosen)
    if not chosen:
        if lobby is None:
            return {}
        raise click.UsageError("which lobby? Give --lobby ADDRESS once; it is remembered")
    told: Data = node.post("lobby")
    tell_lobby(node, terminal, told, is_expected=key is not None)
    return {**told, "address": chosen.partition("#")[0]}


def tell_lobby(node: NodeClient, terminal: LineTerminal, told: Data, is_expected: bool = False) -> None:
    """What a person should know of a lobby that was reached: its key if it is new, a mark of one's own, its notices."""
    name = str(node.hello["node"]["name"])
    if told["new"] and not is_expected:
        terminal.wrapped(
            f"First time in this lobby. Its fingerprint is {told['fingerprint']} ({' '.join(told['words'])}); it is "
            "remembered, and another key will be refused."
        )
    if told["you"]["mark"]:
        shown = marked(name, told["you"]["mark"])
        terminal.wrapped(f"Somebody else used the name {name}, or one like it, here first; others see {shown}.")
    for notice in told["notices"]:
        terminal.wrapped(lobby_says(notice) or notice["text"])


def bot_kind(node: NodeClient, kind: str | None) -> str:
    """What plays for the person: `person`, or a kind of bot that the node knows."""
    if kind is not None and kind not in node.hello["bots"]:
        raise click.UsageError(f"bots are {', '.join(node.hello['bots'])}, not {kind!r}")
    return kind or "person"


def choose(terminal: LineTerminal, lines: list[str]) -> int | None:
    """Let the person pick one of several; None if they do not."""
    for number, line in enumerate(lines, 1):
        terminal.wrapped(f"{number:>3}  {line}", indent="     ")
    text = terminal.ask("Which one? ")
    if text and text.isascii() and text.isdigit() and 1 <= int(text) <= len(lines):
        return int(text) - 1
    return None
