"""Which way to a peer is better, who starts first in a race, and the way through a relay that gives way to a better."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any, TypeVar

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.engine.errors import ConfigError
from kontor_games.net.links import roster
from kontor_games.net.links.paths import Path, parse_lobby_way, path_of, relay_address, schedule
from kontor_games.net.links.roster import Dial, Relinked, Retire, Roster
from kontor_games.net.node.node import Node
from kontor_games.net.node.node_news import News
from kontor_games.net.wire.identity import Identity
from tests.worlds.lobby_hall import Party, party, pause, the_reactor

LOW, HIGH = b"a" * 32, b"b" * 32
BOOT = b"1" * 16
RELAY = relay_address("ABCD", HIGH)


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("192.168.1.7:4000", Path.LAN),
        ("10.0.0.1:4000", Path.LAN),
        ("[fd00::1]:4000", Path.LAN),
        ("8.8.8.8:4000", Path.DIRECT),
        ("example.org:4000", Path.DIRECT),
        (RELAY, Path.RELAY),
        ("relay@8.8.8.8:7460", Path.RELAY),
        ("[relay@::1]:7460", Path.RELAY),
    ],
)
def test_every_address_is_one_kind_of_way(address: str, path: Path) -> None:
    assert path_of(address) is path


def test_the_better_ways_have_a_head_start_and_the_best_begins_at_once() -> None:
    times = {address: at for at, address in schedule([RELAY, "8.8.8.8:1", "10.0.0.1:1"], 100.0)}
    assert list(times) == ["10.0.0.1:1", "8.8.8.8:1", RELAY]
    assert times["10.0.0.1:1"] == 100.0 < times["8.8.8.8:1"] < times[RELAY] < 102.0
    assert schedule([RELAY], 5.0) == [(5.0, RELAY)] and schedule([], 5.0) == []


def test_the_address_of_a_relay_names_table_and_peer() -> None:
    assert parse_lobby_way(RELAY) == ("ABCD", HIGH)
    with pytest.raises(ConfigError):
        parse_lobby_way("relay:ABCD:xyz")


def test_all_ways_are_tried_within_two_seconds_although_none_answers() -> None:
    one = Roster(LOW, lambda: 0.5)
    one.want(HIGH, [RELAY, "8.8.8.8:1", "10.0.0.1:1"], 0.0)
    dialled = []
    while one.wake_at is not None and one.wake_at < 2.0:
        dialled += one.tick(one.wake_at)
    assert dialled == [Dial(HIGH, "10.0.0.1:1"), Dial(HIGH, "8.8.8.8:1"), Dial(HIGH, RELAY)]


def test_a_way_that_fails_at_once_costs_the_next_no_time() -> None:
    one = Roster(LOW, lambda: 0.5)
    one.want(HIGH, [RELAY, "10.0.0.1:1"], 0.0)
    assert one.tick(0.0) == [Dial(HIGH, "10.0.0.1:1")]
    one.dial_failed(HIGH, 0.1)
    assert one.wake_at == 0.1 and one.tick(0.1) == [Dial(HIGH, RELAY)]


def test_through_a_relay_a_better_way_is_looked_for_and_takes_over_on_both_sides() -> None:
    caller, server = Roster(HIGH, lambda: 0.5), Roster(LOW, lambda: 0.5)
    caller.want(LOW, ["8.8.8.8:1", relay_address("ABCD", LOW)], 0.0)
    server.want(HIGH, [], 0.0)
    caller.tick(1.0)
    caller.link_opened(LOW, 1, True, BOOT, 2.0, Path.RELAY)
    server.link_opened(HIGH, 1, False, BOOT, 2.0, Path.RELAY)
    assert caller.why_not_greet(LOW, Path.RELAY) and caller.why_not_greet(LOW, Path.DIRECT) is None
    caller.dial_failed(LOW, 3.0)
    assert caller.tick(2.0 + roster.BETTER_FIRST) == [Dial(LOW, "8.8.8.8:1")]
    for side, peer, dialled in ((caller, LOW, True), (server, HIGH, False)):
        effects = side.link_opened(peer, 2, dialled, BOOT, 40.0, Path.DIRECT, can_move=True)
        assert effects == [Retire(1, speaks_first=dialled), Relinked(peer, 2)]
    assert caller.wake_at is None


class Here(Node):
    """A node at a lobby that lets tests wait for its news."""

    def __init__(self, home: Folder) -> None:
        self.news: list[News] = []
        self._looks: list[tuple[Any, Deferred[None]]] = []
        home.mkdir()
        super().__init__(the_reactor(), home, Identity.generate(), self._heard)

    def _heard(self, news: News) -> None:
        self.news.append(news)
        self._look()

    def _look(self) -> None:
        for look, done in list(self._looks):
            if look() and not done.called:
                done.callback(None)

    def path_to(self, peer: Node) -> str:
        return next((link.path.name for link in self.mesh.links() if link.peer == peer.key), "")

    async def until(self, look: Any) -> None:
        done: Deferred[None] = Deferred()
        self._looks.append((look, done))
        self._look()
        await done.addTimeout(15, the_reactor())


NodeAt = TypeVar("NodeAt", bound=Here)


async def two_at_a_table(it: Party, folder: Folder, kind: type[NodeAt]) -> tuple[NodeAt, NodeAt, str]:
    """The one with the greater key first."""
    one, two = sorted((kind(folder / "one"), kind(folder / "two")), key=lambda node: node.key, reverse=True)
    rooms = [node.lobbies.open(f"127.0.0.1:{it.port}", name) for node, name in ((one, "One"), (two, "Two"))]
    for room in rooms:
        await room.reached()
    table = await rooms[0].make_table("osaka", {}, 2, "majority", False, "invite")
    await rooms[1].enter_as_told(rooms[0].cards[table].code)
    return one, two, table


@ensureDeferred
async def test_nodes_that_cannot_reach_each_other_are_linked_by_the_relay_and_move_to_a_better_way(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "BETTER_FIRST", 0.3)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Here)
        try:
            two.mesh.want(one.key, [])
            one.mesh.want(two.key, ["127.0.0.1:1", relay_address(table, two.key)])
            await one.until(lambda: one.path_to(two) == "RELAY")
            await two.until(lambda: two.path_to(one) == "RELAY")
            assert it.count("relay_pairs") == 1
            port = await two.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
            address = f"127.0.0.1:{port.getHost().port}"
            one.mesh.want(two.key, [address, relay_address(table, two.key)])
            await one.until(lambda: one.path_to(two) == "LAN")
            await two.until(lambda: two.path_to(one) == "LAN")
            for _ in range(100):
                await pause(0.05)
                if it.count("relay_pairs") == 0:
                    break
            assert it.count("relay_pairs") == 0
        finally:
            await one.stop()
            await two.stop()


@ensureDeferred
async def test_a_lobby_with_another_key_is_not_entered(tmp_path: Folder) -> None:
    async with party() as it:
        node = Here(tmp_path / "node")
        address = f"127.0.0.1:{it.port}"
        try:
            node.lobbies._book.remember(address, b"k" * 32)
            with pytest.raises(Exception, match="this is not the lobby we know"):
                await node.lobbies.open(address, "Anna").reached()
            assert node.lobbies.rooms[address].is_given_up
            assert it.count("signed_in_total") == 0
        finally:
            await node.stop()
