"""Three lobby processes on one Redis, one of them killed every 20 seconds: nothing acknowledged is lost, all are back.

Meanwhile pairs of real nodes meet there and play, one match after another: no match may notice, which is to say that no
node blames another, that plies follow each other, and that every file verifies.

`SEVERAL_SECONDS` sets how long (ten minutes without it), `SEVERAL_PEOPLE` how many people there are.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.threads import deferToThread

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.wire.lobby_messages import MakeTable, Queue, Recall, Say, SignedIn, Unqueue
from kontor_games.net.wire.messages import Leave
from tests.worlds.lobby_hall import pause, the_reactor, until
from tests.worlds.lobby_party import LobbyParty
from tests.worlds.party import Party
from tests.worlds.redis_server import RedisServer, needs_redis, redis_server

from .several import Resident, SharedLobby, shared_lobby

pytestmark = needs_redis
SECONDS = float(os.environ.get("SEVERAL_SECONDS", "600"))
EVERY = 20.0  # seconds between two kills


class Evening:
    """Two real nodes that meet at a process of the lobby and play, again and again, in a thread of its own."""

    def __init__(self, folder: Path, gather: Callable[[Path], Party]) -> None:
        self._folder, self._gather = folder, gather
        self.is_over = False
        self.matches = self.plies = 0
        self.pauses: list[float] = []  # between two plies of a running match
        self.ways: set[str] = set()  # on which the two reached each other, where the party knows
        self.verdicts: set[str] = set()

    def run(self) -> None:
        while not self.is_over:
            self._play(self._folder / f"match-{self.matches}")
            self.matches += 1

    def _play(self, folder: Path) -> None:
        party = self._gather(folder)
        try:
            party.begin()
            told_at, told = time.monotonic(), 0
            while not party.completed >= set(party.names):
                party.next()
                now = time.monotonic()
                if len(party.plies) > told:
                    if told and not party.ended:
                        self.pauses.append(now - told_at)
                    told_at, told = now, len(party.plies)
                for paths in getattr(party, "paths", {}).values():
                    self.ways |= set(paths.values())
            party.finish()
            self.plies += len(party.plies)
            self.verdicts |= {report.line.rpartition("verified: ")[2] for report in party.reports().values()}
        finally:
            party.stop()


class Guest(Resident):
    """Somebody who makes and leaves tables, talks and queues all the time, and remembers what was acknowledged."""

    def __init__(self, folder: Path, number: int, address: str) -> None:
        super().__init__(folder, f"Person {number}", address)
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

    async def _recalled(self, table: str) -> Any:
        """The lines of a table; asked again after a loss of the connection, which a busy machine may bring."""
        for _ in range(5):
            await until(lambda: self.is_here, 30)
            try:
                return await self.ask(Recall(table))
            except LobbyRefused:
                raise
            except RemoteError:
                await pause(0.5)
        raise AssertionError(f"{self.name} cannot stay in the lobby")

    async def check_lines(self) -> None:
        """At the end, the last lines of every table."""
        for table, said in self.tables.items():
            heard = [line.text for line in (await self._recalled(table)).lines]
            self.checked += len(said[-40:])
            if [text for text in heard if text in set(said[-40:])] != said[-40:]:
                self.wrong.append(f"{self.name}: lines of {table} are lost")


Chooser = Callable[[SharedLobby], Awaitable[tuple[int, int]]]  # a process, and how many relayed pairs it holds


async def killed_again_and_again(
    folder: Path, lobby: SharedLobby, redis: RedisServer, evenings: Sequence[Evening], victim: Chooser, seconds: float
) -> dict[str, Any]:
    """Sixty people and pairs that play, while the process that `victim` chooses is killed every 20 seconds."""
    people = int(os.environ.get("SEVERAL_PEOPLE", "60"))
    count = len(lobby.ports)
    guests = [Guest(folder / "nodes", number, lobby.address(number % count)) for number in range(people)]
    pairs_killed: list[int] = []  # how many relayed pairs each process held that was killed
    after_redis = []
    try:
        for guest in guests:
            await guest.come()
        running = [Deferred.fromCoroutine(guest.run()) for guest in guests]
        playing = [deferToThread(evening.run) for evening in evenings]
        end = the_reactor().seconds() + seconds
        while the_reactor().seconds() < end:
            await pause(EVERY)
            which, pairs = await victim(lobby)
            pairs_killed.append(pairs)
            lobby.kill(which)
            await until(lambda: all(guest.is_here for guest in guests), 30)
            lobby.start(which)
        for _ in range(2):
            redis.kill()
            begun = the_reactor().seconds()
            before = [guest.acknowledged for guest in guests]
            redis.start()
            await until(lambda before=before: all(
                guest.acknowledged > was for guest, was in zip(guests, before, strict=True)
            ), 30)  # fmt: skip
            after_redis.append(the_reactor().seconds() - begun)
        for one in (*guests, *evenings):
            one.is_over = True
        await gatherResults(running)
        await gatherResults(playing)
        for guest in guests:
            await guest.check_lines()
    finally:
        for evening in evenings:
            evening.is_over = True
        await gatherResults([guest.leave() for guest in guests])
    return {
        "processes killed": len(pairs_killed),
        "relayed pairs at them": pairs_killed,
        "Redis killed": len(after_redis),
        **told_by_guests(guests),
        "slowest after Redis": round(max(after_redis), 2),
        **told_by_evenings(evenings),
    }


def relayed_pairs(lobby: SharedLobby, which: int) -> int:
    """How many pairs play through the relay of a process."""
    return int(lobby.one(which).metrics()["relay_pairs"])


def told_by_guests(guests: Sequence[Guest]) -> dict[str, Any]:
    away = sorted(time for guest in guests for time in guest.away)
    return {
        "acknowledged": sum(guest.acknowledged for guest in guests),
        "refused": sum(guest.refused for guest in guests),
        "in doubt": sum(guest.doubts for guest in guests),
        "facts compared": sum(guest.checked for guest in guests),
        "wrong": [text for guest in guests for text in guest.wrong],
        "moves": len(away),
        "slowest back": round(away[-1], 2) if away else 0.0,
    }


def told_by_evenings(evenings: Sequence[Evening]) -> dict[str, Any]:
    pauses = sorted(pause for evening in evenings for pause in evening.pauses)
    return {
        "matches": sum(evening.matches for evening in evenings),
        "plies": sum(evening.plies for evening in evenings),
        "longest pauses in a match": [round(pause, 2) for pause in pauses[-10:]],
        "ways": sorted({way for evening in evenings for way in evening.ways}),
        "verdicts": sorted({verdict for evening in evenings for verdict in evening.verdicts}),
    }


def judge(seen: dict[str, Any]) -> None:
    print(seen)
    assert seen["wrong"] == [] and seen["acknowledged"] > 100 and seen["moves"] > 0
    assert seen["slowest back"] < 5 and seen["slowest after Redis"] < 10
    assert seen["matches"] > 0 and seen["verdicts"] == ["finished, signed by all 2"]
    assert seen["longest pauses in a match"][-1] < 5


@pytest.mark.long
@ensureDeferred
async def test_one_of_three_processes_killed_every_twenty_seconds_costs_nobody_anything(tmp_path: Path) -> None:
    chooser = random.Random(5)
    with redis_server(tmp_path / "redis") as redis, shared_lobby(tmp_path, redis, 3) as lobby:

        def gather(which: int) -> Callable[[Path], Party]:
            place = SimpleNamespace(port=lobby.ports[which])  # whoever is there now, perhaps nobody
            return lambda folder: LobbyParty(folder, place, "joban", 2)  # type: ignore[arg-type]

        evenings = [Evening(tmp_path / f"evening-{which}", gather(which)) for which in range(3)]

        async def anyone(lobby: SharedLobby) -> tuple[int, int]:
            which = chooser.randrange(len(lobby.ports))
            return which, relayed_pairs(lobby, which)

        judge(await killed_again_and_again(tmp_path, lobby, redis, evenings, anyone, SECONDS))
