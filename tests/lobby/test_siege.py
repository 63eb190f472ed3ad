"""P8: a lobby with its default limits, besieged from many networks at twice the strength of the attacks that broke it.

While strangers fill its places (B3), its tables (B4), its relay (B5) and its memory (B6), newcomers from a network of
their own and from one that they share with an attacker sign in within two seconds, get a table and a relay pass.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.task import LoopingCall

from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.lobby_messages import (
    Command,
    MakeTable,
    TableGone,
)
from kontor_games.net.wire.messages import Enter
from kontor_games.net.wire.way_messages import (
    AskRelay,
    RelayPass,
)
from tests.worlds.lobby_hall import Node, pause, the_reactor

from .attack import Attack
from .child import LobbyProcess

WITHIN = 2.0  # seconds to sign in, and for every answer
PER_CONNECTION = 0.192  # MB, and
BOOKS = 32  # MB for books about those who were here lately, however many: docs/hosting.md states both
LOOK_EVERY = 0.1


FULL = {  # attempts, how many a second, and after how many seconds somebody honest comes
    "silent": (80 * 40, 80, 20.0),
    "tables": (2000, 100, 40.0),
    "passes": (1000, 60, 15.0),
    "bulk": (2400, 100, 15.0),
    "unfinished": (2400, 100, 25.0),
    "unread": (600, 50, 8.0),
    "look": (400, 50, 14.0),
}
QUICK = {  # all at once
    "silent": (80 * 6, 80, 3.5),
    "tables": (80, 20, 3.5),
    "passes": (40, 10, 3.5),
    "unfinished": (80, 20, 3.5),
}
SMALL = "[limits]\nmax_unsigned = 256\nmax_tables = 200\n"  # so that the quick ones fill it too


@dataclass
class Watch:
    """Looks at the lobby all the time: its memory, and how many connections it had."""

    lobby: LobbyProcess
    quiet: float
    peak: float = 0.0
    connections: int = 0

    def look(self) -> None:
        rss, held = self.lobby.rss(), self.lobby.sockets()
        self.peak, self.connections = max(self.peak, rss), max(self.connections, held)


class Couple:
    """Two honest people: one of a network of their own, one of a network that an attacker uses too."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.nodes = [Node(f"Own {number}"), Node(f"Shared {number}")]
        self.sources = (f"127.200.{number}.1", f"127.20.0.{100 + number}")
        self.took: list[float] = []  # seconds to sign in
        self.asked: list[float] = []  # seconds until an answer came

    async def come_and_play(self, lobby: LobbyProcess) -> None:
        """Sign in, make a table each, meet at one of them and get a pass to each other."""
        for node, source in zip(self.nodes, self.sources, strict=True):
            begun, starved = the_reactor().seconds(), lobby.starved_seconds()
            await node.come(lobby.port, lobby.key, source)
            waited = lobby.starved_seconds() - starved  # this machine has few processors, and attackers use them too
            self.took.append(the_reactor().seconds() - begun - waited)
        tables = [(await self._ask(lobby, node, MakeTable("osaka", {}, 2))).table for node in self.nodes]
        for node, other in (self.nodes, self.nodes[::-1]):
            table = tables[self.nodes.index(node)]
            await self._ask(lobby, other, Enter(table))
            given = await self._ask(lobby, node, AskRelay(table, other.identity.key))
            assert isinstance(given, RelayPass)
            await other.hears(RelayPass, lambda event, table=table: event.table == table)

    async def _ask(self, lobby: LobbyProcess, node: Node, command: Command) -> Any:
        begun, starved = the_reactor().seconds(), lobby.starved_seconds()
        answer = await node.ask(command)
        self.asked.append(the_reactor().seconds() - begun - (lobby.starved_seconds() - starved))
        return answer

    def lost_tables(self) -> int:
        """How many of their tables the lobby took away."""
        return sum(isinstance(event, TableGone) for node in self.nodes for event in node.events)

    async def leave(self) -> None:
        for node in self.nodes:
            await node.leave()


async def besiege(attacks: dict[str, tuple[int, int, float]], folder: Path, settings: str = "") -> dict[str, Any]:
    """Some attacks at once; what everybody saw."""
    config = folder / "lobby.toml"
    config.write_text(settings)
    lobby = LobbyProcess(folder / "data", 0, "--config", str(config))
    first, couples = Couple(0), [Couple(number) for number in range(1, 5)]
    watching = LoopingCall(lambda: None)
    try:
        await first.come_and_play(lobby)  # those who wait since before the attack
        await pause(1.0)
        watch = Watch(lobby, lobby.rss())
        watching = LoopingCall(watch.look)
        watched = watching.start(LOOK_EVERY)
        attackers = [Attack(kind, lobby, count, rate) for kind, (count, rate, _) in attacks.items()]
        await pause(max(later for _, _, later in attacks.values()))
        refused: list[str] = []
        for couple in couples:
            try:
                await couple.come_and_play(lobby)
            except LobbyRefused as error:
                refused.append(f"{error.code}: {error}")
            await pause(0.2)
        told = [await attack.done for attack in attackers]
        watching.stop()
        await watched
        metrics = lobby.metrics()
        return {
            "attackers": told,
            "signed in after s": [round(took, 2) for couple in couples for took in couple.took],
            "slowest answer s": round(max(took for couple in couples for took in couple.asked), 2),
            "refused": refused,
            "tables lost": [couple.lost_tables() for couple in (first, *couples)],
            "MB quiet/peak": (round(watch.quiet, 1), round(watch.peak, 1)),
            "connections at most": watch.connections,
            "MB allowed": round(watch.quiet + BOOKS + watch.connections * PER_CONNECTION, 1),
            "crowded out": metrics.get('turned_away_total{reason="crowded-out"}', 0.0),
            "tables": metrics["tables"],
            "health": lobby.health(),
        }
    finally:
        if watching.running:
            watching.stop()
        for couple in (first, *couples):
            await couple.leave()
        assert lobby.stop() == 0


def judge(seen: dict[str, Any]) -> None:
    """What a besieged lobby owes to honest people."""
    print(json.dumps(seen))
    assert not seen["refused"]
    assert len(seen["signed in after s"]) == 8 and max(seen["signed in after s"]) < WITHIN
    assert seen["slowest answer s"] < WITHIN
    assert not any(seen["tables lost"]), "somebody who waits lost a table"
    assert seen["MB quiet/peak"][1] <= seen["MB allowed"], "memory beyond the stated limit"
    assert seen["health"] == (200, "ok")


@ensureDeferred
async def test_newcomers_get_in_and_get_a_table_and_a_pass_during_a_small_siege(tmp_path: Path) -> None:
    judge(await besiege(QUICK, tmp_path, SMALL))


@pytest.mark.long
@pytest.mark.parametrize("kind", FULL)
@ensureDeferred
async def test_newcomers_get_in_and_get_a_table_and_a_pass_at_twice_the_strength(tmp_path: Path, kind: str) -> None:
    judge(await besiege({kind: FULL[kind]}, tmp_path))
