"""What real nodes dial when a player lies about its addresses, at a lobby's table and at a node's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path as Folder
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.protocol import Factory, Protocol

from kontor_games.net.links import roster
from kontor_games.net.node.node_news import TableChanged
from kontor_games.net.wire.messages import Sit
from tests.lobby.child import LobbyProcess
from tests.net.links.test_paths import Here
from tests.worlds.lobby_hall import pause, the_reactor


class Traps:
    """Ports of third parties that count who calls them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._ports: list[Any] = []

    async def set(self, host: str) -> str:
        """A new port at this address."""
        factory = Factory()
        factory.noisy = False  # type: ignore[misc]
        port = await TCP4ServerEndpoint(the_reactor(), 0, interface=host).listen(factory)
        address = f"{host}:{port.getHost().port}"

        def called(addr: object) -> Protocol | None:
            self.calls[address] += 1
            return None

        factory.buildProtocol = called  # type: ignore[assignment,method-assign]
        self._ports.append(port)
        return address

    async def close(self) -> None:
        await gatherResults([Deferred.fromCoroutine(_closed(port)) for port in self._ports])


async def _closed(port: Any) -> None:
    await port.stopListening()


def is_shown_with(node: Here, table: str, seated: int) -> bool:
    views = [news.view for news in node.news if isinstance(news, TableChanged) and news.table == table]
    return bool(views) and sum(seat is not None for seat in views[-1].seats) == seated


async def agree(table: str, nodes: list[Here]) -> None:
    """Everybody sits down and says ready; the match begins."""
    for number, node in enumerate(nodes):
        await node.until(lambda node=node, number=number: is_shown_with(node, table, number))
        node.tables.tell(table, Sit(table, number, f"Player {number}"))
        for other in nodes:
            await other.until(lambda other=other, number=number: is_shown_with(other, table, number + 1))
    for node in nodes:
        node.tables.ready(table)
    for node in nodes:
        await node.until(lambda node=node: bool(node.matches.played))
    await pause(0.05)  # a match is there a moment before its peers are wanted


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that try again quickly: whoever would go on dialling is caught at it."""
    for name in ("BACK_OFF", "MAX_BACK_OFF", "BETTER_FIRST", "BETTER_EVERY"):
        monkeypatch.setattr(roster, name, 0.05)


@pytest.mark.usefixtures("hasty")
@ensureDeferred
async def test_at_a_lobby_a_liar_has_nobody_dial_foreign_addresses_and_its_own_three_times(tmp_path: Folder) -> None:
    settings = tmp_path / "lobby.toml"
    settings.write_text("[relay]\npunch = false\n", encoding="utf-8")  # a hole would be found before anybody is dialled
    lobby, traps = LobbyProcess(tmp_path / "lobby", 0, "--config", str(settings)), Traps()
    victim, liar = Here(tmp_path / "victim"), Here(tmp_path / "liar")
    try:
        own, foreign = await traps.set("127.0.0.1"), await traps.set("127.77.1.1")
        liar.where.addresses = (own, foreign, "169.254.169.254:80", "10.0.0.1:22")
        rooms = [node.lobbies.open(f"127.0.0.1:{lobby.port}", name) for node, name in ((victim, "Vic"), (liar, "Mal"))]
        for room in rooms:
            await room.reached()
        table = await rooms[0].make_table("osaka", {}, 2, "majority", False, "public")
        await rooms[1].enter(table)
        await agree(table, [victim, liar])
        await victim.until(lambda: liar.key in victim.mesh.linked)  # through the relay
        await pause(1.0)
        assert traps.calls[foreign] == 0
        assert 1 <= traps.calls[own] <= roster.CLAIM_TRIES
        assert set(victim.mesh._roster._wanted[liar.key].claimed) == {own}
    finally:
        for node in (victim, liar):
            await node.stop()
        await traps.close()
        lobby.stop()


@pytest.mark.usefixtures("hasty")
@ensureDeferred
async def test_at_a_nodes_table_a_liar_has_nobody_dial_foreign_addresses(tmp_path: Folder) -> None:
    traps = Traps()
    keeper, victim, liar = (Here(tmp_path / name) for name in ("keeper", "victim", "liar"))
    try:
        for node in (keeper, victim, liar):
            port = await node.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
            node.where.addresses = (f"127.0.0.1:{port.getHost().port}",)
        foreign = await traps.set("127.77.1.1")
        truth, liar.where.addresses = liar.where.addresses, (foreign, "169.254.169.254:80", "10.0.0.1:22")
        table = keeper.tables.host("osaka", {}, 3, "majority", False)
        for node in (victim, liar):
            assert await node.mesh.meet(keeper.where.addresses[0], None).addTimeout(10, the_reactor()) == keeper.key
            node.tables.enter(keeper.key, table, [])
        await agree(table, [keeper, victim, liar])
        for node in (keeper, victim):
            (claimed,) = node.mesh._roster._wanted[liar.key].claimed
            assert claimed == f"127.0.0.1:{foreign.rpartition(':')[2]}" != truth[0]  # where the keeper saw it
        await victim.until(lambda: liar.key in victim.mesh.linked)  # the liar called
        victim.mesh.disconnect(liar.key, "to see whom it calls")
        await pause(1.0)
        assert traps.calls == {}
    finally:
        for node in (keeper, victim, liar):
            await node.stop()
        await traps.close()
