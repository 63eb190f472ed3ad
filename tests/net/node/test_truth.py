"""What ended, was left or closed is in no list any more, and nobody is dialled without a reason."""

from __future__ import annotations

from pathlib import Path as Folder

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.net.node import node as node_module
from kontor_games.net.node.node_news import TableOffers
from kontor_games.net.wire.lobby_messages import ListTables
from tests.lobby.child import LobbyProcess
from tests.net.links.test_paths import Here
from tests.net.links.test_transport import the_reactor, until
from tests.worlds.lobby_hall import Node as Watcher

from .test_dialled import agree
from .test_rematch import after_a_match


async def in_hall(watcher: Watcher) -> list[str]:
    """The phases of the tables that the hall lists."""
    return [row.phase for row in (await watcher.ask(ListTables())).rows]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "LET_GO_AFTER", 0.5)


async def listening(folder: Folder) -> Here:
    node = Here(folder)
    port = await node.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
    node.where.addresses = (f"127.0.0.1:{port.getHost().port}",)
    node.start()
    return node


@ensureDeferred
async def test_a_match_that_is_over_leaves_the_hall_at_once_but_keeps_its_table_for_the_relay(tmp_path: Folder) -> None:
    lobby = LobbyProcess(tmp_path / "lobby")
    nodes = [await listening(tmp_path / name) for name in ("anna", "ben")]
    watcher = Watcher("Carl")
    try:
        rooms = [node.lobbies.open(f"127.0.0.1:{lobby.port}", "Anna") for node in nodes]
        for room in rooms:
            await room.reached()
        await watcher.come(lobby.port, lobby.key)
        table = await rooms[0].make_table("osaka", {}, 2, "majority", True, "public")
        await rooms[1].enter(table)
        assert await in_hall(watcher) == ["open"]
        await agree(table, nodes)
        assert await in_hall(watcher) == ["started"]
        (match,) = nodes[0].matches.played
        assert all(node.owes(other.key) for node, other in (nodes, nodes[::-1]))
        await until(lambda: nodes[1].key in nodes[0].mesh.linked, 15)
        nodes[1].matches.played[match].bye()
        await until(lambda: nodes[0].tables.is_over(table), 20)
        await rooms[0].ask(ListTables())  # what was said before is done
        assert await in_hall(watcher) == []
        assert table in rooms[0].tables and (await rooms[0].ask_relay(table, nodes[1].key)).peer == nodes[1].key
    finally:
        await watcher.leave()
        for node in nodes:
            await node.stop()
        lobby.stop()


@pytest.mark.usefixtures("impatient")
@ensureDeferred
async def test_peers_of_a_match_that_is_complete_are_not_dialled_any_more(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 3) as (nodes, match):
        low, middle, high = nodes
        for node in nodes:
            node._clock.start()  # they play already: nothing is to be taken up from the disk
        low.mesh.disconnect(high.key, "test")
        await until(lambda: high.key not in low.mesh.linked, 20)
        await until(lambda: high.key in low.mesh.linked, 20)  # it goes on, so they are linked again
        for node in (middle, high):
            node.matches.played[match].bye()
        await until(lambda: not low.matches.is_going_on(match), 20)
        await until(lambda: not low.owes(high.key) and not low.owes(middle.key), 20)
        assert high.key in low.mesh.linked, "a link that is up stays: they may play again"
        await high.stop()
        await until(lambda: high.key not in low.mesh.wanted, 20)
        assert middle.key in low.mesh.wanted
        low.matches._complete.discard(match)
        assert low.owes(high.key), "while its end is not signed by all, it is called"


@pytest.mark.usefixtures("impatient")
@ensureDeferred
async def test_whoever_looked_at_tables_hears_that_they_close_and_is_let_go(tmp_path: Folder) -> None:
    host, guest = await listening(tmp_path / "host"), await listening(tmp_path / "guest")
    try:
        table = host.tables.host("osaka", {}, 2, "majority", True)
        await guest.mesh.meet(host.where.addresses[0], None).addTimeout(10, the_reactor())
        guest.tables.look(host.key)

        def shown() -> list[str] | None:
            offers = [news for news in guest.news if isinstance(news, TableOffers)]
            return [view.table for view in offers[-1].views] if offers else None

        await until(lambda: shown() == [table], 10)
        host.tables.close(table, "enough")
        await until(lambda: shown() == [], 10)
        assert not guest.owes(host.key)
        await host.stop()
        await until(lambda: host.key not in guest.mesh.wanted, 20)
    finally:
        await host.stop()
        await guest.stop()
