"""Three lobby processes on one Redis, one of them killed every 20 seconds: nothing acknowledged is lost, all are back.

`SEVERAL_SECONDS` sets how long (ten minutes without it), `SEVERAL_PEOPLE` how many people there are.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.lobby_messages import MakeTable, Queue, Recall, Say, SignedIn, Unqueue
from kontor_games.net.wire.messages import Leave
from tests.worlds.lobby_hall import pause, the_reactor, until
from tests.worlds.redis_server import needs_redis, redis_server

from .several import Resident, SharedLobby

pytestmark = needs_redis


class Guest(Resident):
    """Somebody who makes and leaves tables, talks and queues all the time, and remembers what was acknowledged."""

    def __init__(self, folder: Path, number: int, port: int) -> None:
        super().__init__(folder, f"Person {number}", port)
        self._random = random.Random(number)
        self.tables: dict[str, list[str]] = {}  # table -> lines acknowledged
        self.in_doubt: set[str] = set()  # tables of which a change was under way when the connection ended
        self.is_queued: bool | None = False  # None: in doubt
        self.acknowledged = self.refused = self.doubts = self.checked = 0
        self.away: list[float] = []
        self.wrong: list[str] = []
        self.is_over = False

    def lobby_up(self, answer: SignedIn) -> None:
        super().lobby_up(answer)
        if len(self.ups) > 1:
            self.away.append(self.ups[-1][0] - self.downs_since_up())
            self._compare(answer)

    def downs_since_up(self) -> float:
        """When the connection was lost that has just come back."""
        before = self.ups[-2][0]
        return next(at for at, _ in self.downs if at >= before)

    def _compare(self, answer: SignedIn) -> None:
        """What was acknowledged must be there again."""
        for table in list(self.tables):
            self.checked += 1
            if table not in answer.tables:
                if table not in self.in_doubt:
                    self.wrong.append(f"{self.name}: table {table} is lost")
                del self.tables[table]
        for table in answer.tables:  # made, but never acknowledged
            self.tables.setdefault(table, [])
        self.in_doubt.clear()
        self.checked += 1
        if self.is_queued is not None and self.is_queued != answer.is_queued and not self._is_offered():
            self.wrong.append(f"{self.name}: queued {self.is_queued}, but the lobby says {answer.is_queued}")
        self.is_queued = answer.is_queued

    def _is_offered(self) -> bool:
        return False  # nobody wants as many players as would be found

    async def act(self) -> None:
        """One more request."""
        roll = self._random.random()
        if not self.tables or (roll < 0.08 and len(self.tables) < 4):
            made = await self.ask(MakeTable("osaka", {}, 2, self._random.choice(["public", "invite"])))
            self.tables.setdefault(made.table, [])
        elif roll < 0.14 and len(self.tables) > 2:
            table = self._random.choice(sorted(self.tables))
            self.in_doubt.add(table)
            await self.ask(Leave(table))
            self.tables.pop(table, None)
            self.in_doubt.discard(table)
        elif roll < 0.2:
            wanted, self.is_queued = not self.is_queued, None
            await self.ask(Queue(("hansa",), (5,)) if wanted else Unqueue())
            self.is_queued = wanted
        else:
            table = self._random.choice(sorted(self.tables))
            text = f"line {self.acknowledged} {self._random.random()}"
            await self.ask(Say(table, text))
            if table in self.tables:
                self.tables[table].append(text)
        self.acknowledged += 1

    async def run(self) -> None:
        while not self.is_over:
            if not self.is_here:
                await pause(0.05)
                continue
            try:
                await self.act()
            except LobbyRefused:
                self.refused += 1
            except RemoteError:
                self.doubts += 1
            await pause(0.2 + 0.3 * self._random.random())

    async def check_lines(self) -> None:
        """At the end, the last lines of every table."""
        for table, said in self.tables.items():
            heard = [line.text for line in (await self.ask(Recall(table))).lines]
            self.checked += len(said[-40:])
            if [text for text in heard if text in set(said[-40:])] != said[-40:]:
                self.wrong.append(f"{self.name}: lines of {table} are lost")


async def killed_again_and_again(folder: Path, people: int, seconds: float, every: float) -> dict[str, Any]:
    chooser = random.Random(5)
    with redis_server(folder / "redis") as redis:
        lobby = SharedLobby(folder, redis, 3)
        guests = [Guest(folder / "nodes", number, lobby.ports[number % 3]) for number in range(people)]
        kills = redis_kills = 0
        slowest_after_redis = 0.0
        try:
            for guest in guests:
                await guest.come()
            running = [Deferred.fromCoroutine(guest.run()) for guest in guests]
            end = the_reactor().seconds() + seconds
            while the_reactor().seconds() < end:
                await pause(every)
                which = chooser.randrange(3)
                lobby.kill(which)
                kills += 1
                await until(lambda: all(guest.is_here for guest in guests), 30)
                lobby.start(which)
            for _ in range(2):
                redis.kill()
                begun = the_reactor().seconds()
                before = [guest.acknowledged for guest in guests]
                redis.start()
                redis_kills += 1
                await until(lambda before=before: all(
                    guest.acknowledged > was for guest, was in zip(guests, before, strict=True)
                ), 30)  # fmt: skip
                slowest_after_redis = max(slowest_after_redis, the_reactor().seconds() - begun)
            for guest in guests:
                guest.is_over = True
            await gatherResults(running)
            for guest in guests:
                await guest.check_lines()
        finally:
            await gatherResults([guest.leave() for guest in guests])
            lobby.stop()
    away = sorted(time for guest in guests for time in guest.away)
    wrong = [text for guest in guests for text in guest.wrong]
    return {
        "processes killed": kills,
        "Redis killed": redis_kills,
        "acknowledged": sum(guest.acknowledged for guest in guests),
        "refused": sum(guest.refused for guest in guests),
        "in doubt": sum(guest.doubts for guest in guests),
        "facts compared": sum(guest.checked for guest in guests),
        "wrong": wrong,
        "moves": len(away),
        "slowest back": round(away[-1], 2) if away else 0.0,
        "slowest after Redis": round(slowest_after_redis, 2),
    }


def judge(seen: dict[str, Any]) -> None:
    print(seen)
    assert seen["wrong"] == [] and seen["acknowledged"] > 100 and seen["moves"] > 0
    assert seen["slowest back"] < 5 and seen["slowest after Redis"] < 10


@pytest.mark.long
@ensureDeferred
async def test_one_of_three_processes_killed_every_twenty_seconds_costs_nobody_anything(tmp_path: Path) -> None:
    seconds = float(os.environ.get("SEVERAL_SECONDS", "600"))
    people = int(os.environ.get("SEVERAL_PEOPLE", "60"))
    judge(await killed_again_and_again(tmp_path, people, seconds, 20.0))
