"""kill -9 of a busy lobby while a match runs: the match goes on, and all are back at their tables after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.threads import deferToThread

from kontor_games.lobby.admin.operator_asking import ask_lobby
from tests.lobby.child import LobbyProcess
from tests.lobby.test_crash import ROOMY, Load, enough
from tests.worlds.lobby_hall import the_reactor
from tests.worlds.lobby_party import LobbyParty
from tests.worlds.party import Data

from .test_matches import check_alike

SECONDS = 60.0  # nodes try again within 4 s; the rest is for a machine that does much else
LINKS = 12  # of the chain that every node must see while no lobby runs


class WatchfulParty(LobbyParty):
    """Knows which of its nodes are signed in at the lobby."""

    def __init__(self, folder: Path, lobby: LobbyProcess, game: str, count: int, **options: Any) -> None:
        self.signed_in: set[str] = set()
        super().__init__(folder, lobby, game, count, **options)

    def heard(self, name: str, event: Data) -> None:
        """A node told something; with an eye on the lobby."""
        super().heard(name, event)
        if event["kind"] == "lobby":
            (self.signed_in.add if event["up"] else self.signed_in.discard)(name)

    def position(self) -> int:
        """How far the slowest node has come."""
        return min((self.chains[name]["count"] if name in self.chains else 0) for name in self.names)

    def play_without_a_lobby(self) -> int:
        """Listen until all have lost the lobby and every node has seen more of the match."""
        self.until(lambda: not self.signed_in)
        begun = self.position()
        self.until(lambda: self.position() >= begun + LINKS or bool(self.completed))
        return self.position() - begun

    def is_back(self, data: Path) -> bool:
        """Whether all nodes are signed in and the table of their match has them all."""
        if self.signed_in < set(self.names):
            return False
        answer = ask_lobby(data, {"do": "tables"}) or {"tables": []}
        return self.names in [sorted(table["people"]) for table in answer["tables"] if table["phase"] == "started"]


async def crash_under_load(folder: Path, people: int, rounds: int) -> dict[str, Any]:
    """In every round a fresh match of three nodes, many who use the lobby as fast as they can, and a crash."""
    config = folder / "lobby.toml"
    config.write_text(ROOMY)
    data = folder / "lobby"
    lobby = LobbyProcess(data, 0, "--config", str(config))
    loads = [Load(number) for number in range(people)]
    party: WatchfulParty | None = None
    seen: dict[str, Any] = {"facts": 0, "links of the chain without a lobby": [], "seconds until all were back": []}
    try:
        for load in loads:
            await load.node.come(lobby.port, lobby.key)
        for number in range(rounds):
            party = WatchfulParty(folder / f"nodes{number}", lobby, "hansa", 3)
            await deferToThread(party.begin)
            running = [Deferred.fromCoroutine(load.run()) for load in loads]
            await deferToThread(party.until, lambda party=party: party.position() > 10)
            await enough(loads, running)
            lobby.kill()
            await gatherResults(running, consumeErrors=True)
            seen["links of the chain without a lobby"].append(await deferToThread(party.play_without_a_lobby))
            begun = the_reactor().seconds()
            lobby = LobbyProcess(data, lobby.port, "--config", str(config))
            back = deferToThread(party.until, lambda party=party: party.is_back(data))
            checks = [Deferred.fromCoroutine(load.check(lobby)) for load in loads]
            seen["facts"] += sum(await gatherResults(checks, consumeErrors=True))
            await back
            seen["seconds until all were back"].append(round(the_reactor().seconds() - begun, 1))
            await deferToThread(party.finish)
            assert check_alike(party) > 100
    finally:
        for load in loads:
            await load.node.leave()
        if party is not None:
            await deferToThread(party.stop)
        if lobby.process.poll() is None:
            lobby.stop()
    return seen


@pytest.mark.long
@ensureDeferred
async def test_a_match_plays_on_while_its_busy_lobby_is_dead_and_all_come_back(tmp_path: Path) -> None:
    seen = await crash_under_load(tmp_path, people=20, rounds=3)
    print(seen)
    assert seen["facts"] > 100
    assert min(seen["links of the chain without a lobby"]) >= LINKS
    assert max(seen["seconds until all were back"]) < SECONDS
