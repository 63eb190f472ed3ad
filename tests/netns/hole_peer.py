"""Nodes behind a router, one after the other, that link to one other through a lobby; tells which way they found.

`python -m tests.netns.hole_peer FOLDER LOBBY NAME` obeys lines of standard input: `host` makes a fresh node that opens
a table and tells its code, `join CODE` one that goes there, `stop` ends the node. It answers in lines of JSON, and ends
when its input does. Nodes know of each other what players of one match know: the addresses that the lobby vouches for,
the way through its relay for the greater key, and the hole for the smaller.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.stdio import StandardIO
from twisted.logger import globalLogPublisher
from twisted.protocols.basic import LineOnlyReceiver

from kontor_games.net.links.paths import punch_address, relay_address
from kontor_games.net.node.home import Home
from kontor_games.net.node.node import Node
from kontor_games.net.node.node_news import News
from kontor_games.net.node.software import about
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import Sit

BEGAN = time.monotonic()


def tell(**facts: Any) -> None:
    print(json.dumps({"at": round(time.monotonic() - BEGAN, 3), **facts}), flush=True)


def tell_of_holes(event: dict[str, Any]) -> None:
    """What the log says of an attempt at a hole."""
    if event.get("log_namespace") == "kontor.punch":
        facts = {name: event[name] for name in ("calls", "seconds", "rejected")}
        tell(hole=event["outcome"], **facts)


class TriedPeer:
    """One node at a time, and the way to the other that it told last."""

    def __init__(self, reactor: Any, folder: Path, lobby: str, name: str) -> None:
        self.reactor = reactor
        self.folder = folder
        self.lobby = lobby
        self.name = name
        self.node: Node | None = None
        self.home: Home | None = None
        self.way = "none"
        self.number = 0

    def _heard(self, news: News) -> None:
        links = () if self.node is None else self.node.mesh.links()
        way = links[0].path.name.lower() if links else "none"
        if way != self.way:
            self.way = way
            tell(way=way, address=links[0].address if links else "")

    async def meet(self, code: str) -> None:
        """A fresh node that wants the other one."""
        self.number += 1
        self.way = "none"
        self.home = Home(self.folder / str(self.number))
        node = self.node = await self.home.open_node(self.reactor, Identity.generate(), self._heard)
        node.start()
        called = f"{self.name.title()} {self.number}"  # those of earlier tries may still be known there
        room = node.lobbies.open(self.lobby, called)
        await room.reached()
        if code:
            table = await room.enter_as_told(code)
        else:
            table = await room.make_table("osaka", {}, 2, "majority", False, "invite")
            tell(code=room.cards[table].code)
        node.tables.tell(table, Sit(table, 1 if code else 0, called))  # addresses are told to players only
        while len(room.cards[table].people) < 2 or not all(self._addresses(table).values()):
            pause: Deferred[None] = Deferred()
            self.reactor.callLater(0.02, pause.callback, None)
            await pause
        other = next(person.key for person in room.cards[table].people if person.key != node.key)
        address = relay_address(table, other) if node.key > other else punch_address(table, other)
        addresses = self._addresses(table)[other]
        tell(wants=True, addresses=addresses)
        node.mesh.want(other, [], [*addresses, address])

    def _addresses(self, table: str) -> dict[bytes, tuple[str, ...]]:
        assert self.node is not None
        found = self.node.tables._addresses_at(table) if table in self.node.tables.guests else {}
        return {b"": ()} if len(found) < 2 else found

    async def stop(self) -> None:
        """End the node."""
        if self.node is not None and self.home is not None:
            await self.node.stop()
            self.home.close()
        tell(stopped=True)


class TryOrders(LineOnlyReceiver):
    delimiter = b"\n"

    def __init__(self, reactor: Any, peer: TriedPeer) -> None:
        self._reactor = reactor
        self._peer = peer

    def lineReceived(self, line: bytes) -> None:
        word, _, code = line.decode().partition(" ")
        job = Deferred.fromCoroutine(self._peer.stop() if word == "stop" else self._peer.meet(code))
        job.addErrback(lambda failure: tell(failed=failure.getErrorMessage()))

    def connectionLost(self, reason: Any = None) -> None:
        self._reactor.stop()


def main() -> None:
    from twisted.internet import reactor

    folder, lobby, name = sys.argv[1:]
    globalLogPublisher.addObserver(tell_of_holes)
    StandardIO(TryOrders(reactor, TriedPeer(reactor, Path(folder), lobby, name)))
    about()  # reads all games once, as a node that plays has done long ago
    tell(ready=True)
    reactor.run()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
