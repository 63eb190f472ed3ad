"""Floods from other addresses: people hardly notice, memory comes back, nobody gets in, all is counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol

from net.lobby_messages import MakeTable, WatchHall
from net.messages import Enter, Sit, Stand
from tests.lobby.child import ROOT, LobbyProcess
from tests.lobby.party import Node, pause, the_reactor

# kind: size of a quick run, size of a full one, attempts per second, counters that must show it
FLOODS: dict[str, tuple[int, int, int, tuple[str, ...]]] = {
    "connections": (
        600,
        10_000,
        1000,
        ('turned_away_total{reason="left-silently"}', 'turned_away_total{reason="address-rate"}'),
    ),
    "handshakes": (400, 10_000, 500, ('cut_total{reason="no-sign-in"}', 'turned_away_total{reason="left-early"}')),
    "garbage": (400, 10_000, 500, ('turned_away_total{reason="garbage"}',)),
    "slow": (400, 5_000, 400, ('throttled_total{reason="lists"}', 'cut_total{reason="slow-reader"}')),
    "giants": (20, 500, 50, ('cut_total{reason="malformed"}',)),
    "guessing": (400, 10_000, 400, ('throttled_total{reason="codes"}',)),
    "spam": (400, 10_000, 400, ('throttled_total{reason="chat"}',)),
    "churn": (400, 10_000, 400, ('throttled_total{reason="queue"}',)),
}


class Attack(ProcessProtocol):
    """Attackers in a process of their own."""

    def __init__(self, kind: str, lobby: LobbyProcess, count: int, rate: int) -> None:
        self.done: Deferred[dict[str, Any]] = Deferred()
        self._said = b""
        self._errors = b""
        arguments = [sys.executable, "-m", "tests.lobby.attackers", kind, str(lobby.port), lobby.key.hex()]
        the_reactor().spawnProcess(self, sys.executable, [*arguments, str(count), str(rate)], env=None, path=str(ROOT))

    def outReceived(self, data: bytes) -> None:
        self._said += data

    def errReceived(self, data: bytes) -> None:
        self._errors += data

    def processEnded(self, reason: Any) -> None:
        if reason.check(ProcessDone):
            self.done.callback(json.loads(self._said))
        else:
            self.done.errback(AssertionError(self._errors.decode()[-2000:]))


class Person:
    """Somebody who uses the lobby all the time; remembers how long every answer took."""

    def __init__(self, node: Node, table: str) -> None:
        self.node, self.table = node, table
        self.took: list[float] = []

    async def use(self) -> None:
        """Requests that are stored and requests that are not, within the limits that everybody has."""
        for command in (
            Enter(self.table),
            Sit(self.table, 0, "Anna"),
            WatchHall(False),
            Stand(self.table, 0),
        ):
            begun = the_reactor().seconds()
            await self.node.ask(command)
            self.took.append(the_reactor().seconds() - begun)
            await pause(0.03)

    def p99(self) -> float:
        took, self.took = sorted(self.took), []
        return took[min(len(took) - 1, int(len(took) * 0.99))]


SETTINGS = "[limits]\nsign_in_time = 3\n"  # all else is as everybody gets it


async def flood(tmp_path: Path, kind: str, full: bool) -> dict[str, Any]:
    """One flood against one lobby; what everybody saw. Settings are the defaults."""
    small, big, rate, counters = FLOODS[kind]
    config = tmp_path / "lobby.toml"
    config.write_text(SETTINGS)
    lobby = LobbyProcess(tmp_path / "data", 0, "--config", str(config))
    node = Node("Anna")
    try:
        await node.come(lobby.port, lobby.key)
        table = (await node.ask(MakeTable("osaka", {}, 2, "unlisted"))).table
        person = Person(node, table)
        for _ in range(10 if full else 5):
            await person.use()
        quiet = person.p99()
        before = lobby.rss()
        attack = Attack(kind, lobby, big if full else small, rate)
        while not attack.done.called:
            await person.use()
        attackers = await attack.done
        during = person.p99()
        peak = lobby.rss()
        for _ in range(60):
            await pause(0.2)
            if lobby.metrics()["connections"] <= 1:
                break
        metrics = lobby.metrics()
        return {
            "attackers": attackers,
            "quiet p99 ms": round(quiet * 1000, 1),
            "p99 ms": round(during * 1000, 1),
            "MB before/peak/after": (round(before, 1), round(peak, 1), round(lobby.rss(), 1)),
            "counted": {name: metrics.get(name, 0.0) for name in counters},
            "connections left": metrics["connections"],
            "tables": metrics["tables"],
        }
    finally:
        await node.leave()
        assert lobby.stop() == 0


def judge(kind: str, seen: dict[str, Any], by_the_clock: bool) -> None:
    print(json.dumps(seen))
    if by_the_clock:
        assert seen["p99 ms"] < max(2 * seen["quiet p99 ms"], 100)
    before, _, after = seen["MB before/peak/after"]
    assert after - before < 15
    assert seen["connections left"] == 1 and seen["tables"] == 1
    assert sum(seen["counted"].values()) > 0, "the flood does not show in the metrics"
    if kind == "guessing":
        assert seen["attackers"].get("done", 0) == 0, "somebody got in"


@pytest.mark.parametrize("kind", ["connections", "guessing"])
@ensureDeferred
async def test_a_small_flood_hardly_shows(tmp_path: Path, kind: str) -> None:
    judge(kind, await flood(tmp_path, kind, full=False), by_the_clock=False)


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(FLOODS))
@ensureDeferred
async def test_a_full_flood_is_survived(tmp_path: Path, kind: str) -> None:
    judge(kind, await flood(tmp_path, kind, full=True), by_the_clock=True)
