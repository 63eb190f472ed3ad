"""kill -9 of the lobby under load: nothing that it acknowledged is lost, and everybody finds their table again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.lobby_messages import EnterByCode, MakeTable, Queue, Recall, Say, SignedIn, TableCard
from kontor_games.net.wire.messages import Enter, Leave, Sit, TableView
from tests.worlds.lobby_hall import Node, pause, the_reactor

from .child import LobbyProcess

FREE = "{per_second = 100000, burst = 100000}"
ROOMY = "[limits]\n" + "".join(
    f"{kind} = {FREE}\n"
    for kind in (
        "arrivals",
        "handshakes",
        "messages",
        "chat",
        "tables",
        "queue",
        "names",
        "lists",
        "codes",
    )
)


class Load:
    """One person who keeps doing things, and remembers what the lobby has acknowledged."""

    def __init__(self, number: int) -> None:
        self.node = Node(f"Person {number}")
        self.random = random.Random(number)
        self.tables: dict[str, set[int]] = {}  # table -> seats acknowledged
        self.said: dict[str, list[str]] = {}
        self.is_queued = False
        self.count = 0

    async def act(self) -> None:
        """One more request; what fails with the connection is in doubt and not remembered either way."""
        self.count += 1
        roll = self.random.random()
        if not self.tables or (roll < 0.1 and len(self.tables) < 4):
            made = await self.node.ask(MakeTable("osaka", {}, 2, self.random.choice(["public", "invite"])))
            self.tables[made.table] = set()
        elif roll < 0.2 and len(self.tables) > 2:
            table = self.random.choice(sorted(self.tables))
            del self.tables[table]
            await self.node.ask(Leave(table))
        elif roll < 0.4:
            table = self.random.choice(sorted(self.tables))
            seat = self.random.randrange(2)
            if seat not in self.tables[table]:
                await self.node.ask(Sit(table, seat, f"{self.node.name} {'xy'[seat]}"))
                self.tables[table].add(seat)
        elif roll < 0.45 and not self.is_queued and self.node.name == "Person 0":
            await self.node.ask(Queue(("osaka",), (4,)))
            self.is_queued = True
        else:
            table = self.random.choice(sorted(self.tables))
            text = f"line {self.count}"
            await self.node.ask(Say(table, text))
            self.said.setdefault(table, []).append(text)

    async def run(self) -> None:
        while True:
            try:
                await self.act()
            except LobbyRefused as refused:
                raise AssertionError(f"refused: {refused}") from refused
            except RemoteError:
                return

    async def check(self, lobby: LobbyProcess) -> int:
        """Come back and compare; how many facts were found again."""
        self.node.lost.clear()
        self.node.events.clear()
        answer = await self.node.come(lobby.port, lobby.key)
        assert set(self.tables) <= set(answer.tables), "an acknowledged table is lost"
        assert answer.is_queued or not self.is_queued, "a place in the queue is lost"
        facts = len(self.tables) + self.is_queued
        for table, seats in self.tables.items():
            view = await self.node.hears(TableView, lambda view, table=table: view.table == table)
            for seat in seats:
                assert view.seats[seat] is not None and view.seats[seat].peer == self.node.identity.key
            heard = [line.text for line in (await self.node.ask(Recall(table))).lines]
            said = self.said.get(table, [])[-50:]
            assert [text for text in heard if text in said] == said, "an acknowledged line is lost"
            facts += len(seats) + len(said)
        await self._learn(answer)
        return facts

    async def _learn(self, answer: SignedIn) -> None:
        """What was under way when the lobby died may have happened or not; take it as it is now."""
        self.is_queued = answer.is_queued
        self.tables = {}
        for table in answer.tables:
            view = await self.node.hears(TableView, lambda view, table=table: view.table == table)
            self.tables[table] = {seat for seat, taken in enumerate(view.seats) if taken is not None}


async def enough(loads: list[Load], running: list[Deferred[None]]) -> None:
    """Wait until everybody has had a few answers: a crash before that would show nothing."""
    before = [load.count for load in loads]
    while any(load.count < was + 8 for load, was in zip(loads, before, strict=True)):
        assert not any(one.called for one in running), "somebody's requests ended before the crash"
        await pause(0.02)


async def crash_rounds(tmp_path: Path, people: int, rounds: int) -> dict[str, Any]:
    config = tmp_path / "lobby.toml"
    config.write_text(ROOMY)
    data = tmp_path / "data"
    chooser = random.Random(7)
    loads = [Load(number) for number in range(people)]
    lobby = LobbyProcess(data, 0, "--config", str(config))
    port = lobby.port
    facts, worst = 0, 0.0
    try:
        for load in loads:
            await load.node.come(lobby.port, lobby.key)
        for _ in range(rounds):
            running = [Deferred.fromCoroutine(load.run()) for load in loads]
            await enough(loads, running)
            await pause(chooser.random() * 0.4)
            lobby.kill()
            await gatherResults(running, consumeErrors=True)
            begun = the_reactor().seconds()
            lobby = LobbyProcess(data, port, "--config", str(config))
            for load in loads:
                facts += await load.check(lobby)
            worst = max(worst, the_reactor().seconds() - begun)
    finally:
        for load in loads:
            await load.node.leave()
        lobby.stop()
    return {"facts": facts, "requests": sum(load.count for load in loads), "slowest return": round(worst, 2)}


@ensureDeferred
async def test_nothing_acknowledged_is_lost_by_kill_9_and_everybody_is_back_at_their_tables(tmp_path: Path) -> None:
    seen = await crash_rounds(tmp_path, people=6, rounds=2)
    print(seen)
    assert seen["facts"] > 50


@pytest.mark.long
@ensureDeferred
async def test_the_same_twenty_times_with_more_people(tmp_path: Path) -> None:
    seen = await crash_rounds(tmp_path, people=30, rounds=20)
    print(seen)
    assert seen["facts"] > 5000


@ensureDeferred
async def test_an_invite_code_survives_a_crash(tmp_path: Path) -> None:
    lobby = LobbyProcess(tmp_path / "data")
    anna, ben = Node("Anna"), Node("Ben")
    try:
        await anna.come(lobby.port, lobby.key)
        table = (await anna.ask(MakeTable("osaka", {}, 2, "invite"))).table
        code = (await anna.hears(TableCard)).code
        lobby.kill()
        await anna.is_cut()
        lobby = LobbyProcess(tmp_path / "data", lobby.port)
        await ben.come(lobby.port, lobby.key)
        assert (await ben.ask(EnterByCode(code))).table == table
        await ben.ask(Enter(table))
    finally:
        await anna.leave()
        await ben.leave()
        lobby.stop()
