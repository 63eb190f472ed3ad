"""A node that runs alone, for demonstrations and tests: bots at its seats, news as JSON lines on standard output.

It reads commands from standard input (`bye`, `vote NAME…`, `chat TEXT`, `quit`) and ends with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twisted.internet.defer import inlineCallbacks
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from kontor_games.engine.errors import KontorError
from kontor_games.net.ledger.ledger import names_of
from kontor_games.net.record.bot_match import Bot
from kontor_games.net.system.logs import begin_logging
from kontor_games.net.wire.identity import load_or_create, parse_fingerprint
from kontor_games.net.wire.lobby_messages import Queue, Reply, Visibility
from kontor_games.net.wire.messages import Sit

from .desk import Desk
from .home import LOOPBACK, Home
from .news import Data, mark_data, table_data
from .node import Node


@dataclass(frozen=True)
class Task:
    """What the node does once it runs: host, join or watch; nothing means it takes up its matches again."""

    home: Path
    name: str = "Bot"
    kind: str = "random"
    bind: str = LOOPBACK
    port: int = 0
    game: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    seats: int = 0
    recovery: str = "majority"
    spectators: bool = True
    join: str = ""  # address
    mark: str = ""  # fingerprint
    watch: str = ""  # match id in hex, through the node at `join`
    lobby: str = ""  # address of a lobby: host there, or join by `code` (an invite code or a table's id)
    lobby_key: str = ""  # its fingerprint
    code: str = ""
    invite: bool = False
    lan: bool = False  # show the table to the local network, or join the first one found there
    queue: bool = False  # look for others in the lobby's queue, for `game` and `seats`


class BotNode(LineReceiver):
    """One node, driven by its own news."""

    delimiter = b"\n"

    def __init__(self, reactor: Any, task: Task, make_bot: Callable[[str], Bot | None]) -> None:
        self._reactor = reactor
        self._task = task
        self._desk = Desk(reactor, Home(task.home), self._told, make_bot)
        self._table = ""
        self._keeper = b""
        self._revision = -1  # the table that we said ready to

    @inlineCallbacks
    def start(self) -> Any:
        """Run; the first line says where the node can be reached."""
        task = self._task
        yield self._desk.open(load_or_create(task.home), task.bind, task.port, task.lan)
        node = self._desk.node
        self._say({"news": "ready", "address": node.where.addresses[0], **mark_data(node.key)})
        if task.lobby:
            yield self._at_lobby(node)
        elif task.game:
            options = dict(task.options)
            self._table = node.tables.host(task.game, options, task.seats, task.recovery, task.spectators)  # type: ignore[arg-type]
        elif task.join:
            self._keeper = yield node.mesh.meet(task.join, task.mark or None)
            if task.watch:
                node.matches.watch(bytes.fromhex(task.watch), self._keeper)

    @inlineCallbacks
    def _at_lobby(self, node: Node) -> Any:
        task = self._task
        mark = parse_fingerprint(task.lobby_key) if task.lobby_key else None
        room = node.lobbies.open(task.lobby, task.name, mark)
        yield room.reached(is_patient=True)
        if task.queue:
            yield room.ask(Queue((task.game,), (task.seats,), node.where.addresses))
        elif task.game:
            visibility: Visibility = "invite" if task.invite else "public"
            recovery: Any = task.recovery
            self._table = yield room.make_table(
                task.game, task.options, task.seats, recovery, task.spectators, visibility
            )
        elif task.code:
            self._table = yield room.enter_as_told(task.code)
        self._reactor.callLater(0, self._look)

    def _look(self) -> None:
        """The lobby may have shown the table before it told us that we are there."""
        guest = self._desk.node.tables.guests.get(self._table)
        if guest is not None and guest[0].view is not None and guest[0].view.phase == "open":
            self._at_table(table_data(self._desk.node, guest[0].view))

    # ---- the table

    def _told(self, data: Data) -> None:
        self._say(data)
        match data["news"]:
            case "offers" if self._task.join and not self._task.watch and not self._table and data["tables"]:
                self._table = data["tables"][0]["table"]
                self._desk.node.tables.enter(bytes.fromhex(data["peer"]), self._table, [])
            case "lan" if data["tables"] and not self._task.game and not self._table:
                offer = data["tables"][0]
                self._table = offer["table"]
                self._desk.node.tables.enter(bytes.fromhex(offer["peer"]), self._table, offer["addresses"])
            case "offer":
                room = self._desk.node.lobbies.rooms[data["lobby"]]
                self._reactor.callLater(0, lambda: room.ask(Reply(data["offer"], True)).addErrback(lambda _: None))
            case "table" if data["phase"] == "open":
                self._table = data["table"] if self._task.queue else self._table
                self._reactor.callLater(0, self._at_table, data)

    def _at_table(self, data: Data) -> None:
        node, seats = self._desk.node, data["seats"]
        if self._table not in node.tables.guests:
            return
        if not any(seat and seat["you"] for seat in seats):
            free = next((number for number, seat in enumerate(seats) if seat is None), None)
            if free is not None:
                node.tables.tell(self._table, Sit(self._table, free, self._task.name, self._task.kind))
        elif all(seats) and not data["you_ready"] and self._revision != data["revision"] and not data["notice"]:
            # After a start that came to nothing a person has to try again: two programs would try for ever.
            self._revision = data["revision"]
            node.tables.ready(self._table)

    # ---- commands

    def lineReceived(self, line: bytes) -> None:
        """One command."""
        word, _, rest = line.decode("utf-8", "replace").strip().partition(" ")
        if word == "quit":
            self._stop()
            return
        try:
            for match in self._desk.node.matches.played.values():
                if match.session.ledger.is_over:
                    continue
                if word == "bye":
                    match.bye()
                elif word == "chat":
                    match.chat(rest)
                elif word == "vote":
                    ledger = match.session.ledger
                    match.vote_gone(p for p in ledger.active if names_of(ledger, p) in rest.split())
        except KontorError as error:
            self._say({"news": "error", "reason": str(error)})

    def connectionLost(self, reason: Failure | None = None) -> None:
        """Standard input is closed: whoever started us is gone."""
        self._stop()

    def _stop(self) -> None:
        if self._reactor.running and not getattr(self, "_stopping", False):
            self._stopping = True
            self._desk.close().addBoth(lambda _: self._reactor.stop())

    def _say(self, data: Data) -> None:
        sys.stdout.write(json.dumps(data, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def run(task: Task, make_bot: Callable[[str], Bot | None]) -> int:
    """Run until told to end; the exit code says whether it could start."""
    from twisted.internet import reactor

    world: Any = reactor
    node = BotNode(world, task, make_bot)
    begin_logging(task.home)
    codes = [0]

    def failed(failure: Failure) -> None:
        codes[0] = 2
        sys.stderr.write(f"kontor: {failure.getErrorMessage()}\n")
        world.stop()

    def begin() -> None:
        attach: Any = StandardIO
        attach(node)
        node.start().addErrback(failed)

    world.callWhenRunning(begin)
    world.run()
    return codes[0]
