"""Real nodes play again: one proposal, two at once, a stranger's, an older node, one that comes later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path as Folder

from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.net.node.node_news import PeerChanged, RematchOffered, TableRefused
from kontor_games.net.node.rematches import EXPIRED
from kontor_games.net.wire.messages import Rematch
from tests.net.links.test_paths import Here
from tests.net.links.test_transport import the_reactor, until

from .test_dialled import agree


@asynccontextmanager
async def after_a_match(folder: Folder, count: int) -> AsyncIterator[tuple[list[Here], bytes]]:
    """Nodes that play a match together, by their keys from low to high; the first to sit is the second of them."""
    nodes = sorted((Here(folder / f"home{number}") for number in range(count)), key=lambda node: node.key)
    try:
        for node in nodes:
            port = await node.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
            node.where.addresses = (f"127.0.0.1:{port.getHost().port}",)
        host, *others = order = [*nodes[1:], nodes[0]]
        table = host.tables.host("osaka", {}, count, "majority", False)
        for node in others:
            await node.mesh.meet(host.where.addresses[0], None).addTimeout(10, the_reactor())
            node.tables.enter(host.key, table, [])
        await agree(table, order)
        (match,) = host.matches.played
        for node in nodes:
            await until(lambda node=node: len(node.mesh.linked) == count - 1)
        yield nodes, match
    finally:
        for node in nodes:
            await node.stop()


def offered(node: Here, match: bytes) -> str | None:
    found = node.rematches.shown(match)
    return None if found is None else found[0].table


def seats(node: Here, table: str) -> list[bytes | None]:
    """Who sits where, as this node sees the table."""
    guest = node.tables.guests.get(table)
    view = None if guest is None else guest[0].view
    return [] if view is None else [None if seat is None else seat.peer for seat in view.seats]


@ensureDeferred
async def test_the_others_are_told_take_their_seats_and_play_again(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 2) as ((low, high), match):
        terms = low.matches.played[match].session.ledger.terms
        table = await low.rematches.want(match)
        assert low.tables.offered() == (), "it is not for everybody"
        await until(lambda: offered(high, match) == table)
        assert any(isinstance(news, RematchOffered) for news in high.news)
        assert await high.rematches.want(match) == table
        old = [terms.peers[seat.peer].key for seat in terms.seats]
        await until(lambda: seats(high, table) == seats(low, table) == [*old[1:], old[0]])
        for node in (low, high):
            node.tables.ready(table)
        for node in (low, high):
            await node.until(lambda node=node: len(node.matches.played) == 2)
        (again,) = set(low.matches.played) - {match}
        assert [seat.name for seat in low.matches.played[again].session.ledger.terms.seats] == ["Player 1", "Player 0"]


@ensureDeferred
async def test_of_two_proposals_at_once_the_lower_key_keeps_its_table(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 3) as ((low, middle, high), match):
        theirs = await high.rematches.want(match)
        await until(lambda: offered(middle, match) == theirs)
        await middle.rematches.want(match)  # it goes to the table of the highest key
        await until(lambda: middle.key in seats(high, theirs))
        table = low.tables.host("osaka", {}, 3, "majority", False, hidden=True)  # low has not heard of it yet
        low.rematches._opened(match, low.matches.played[match].session.ledger.terms, table, False)
        everybody = {low.key, middle.key, high.key}
        for node in (low, middle, high):
            await until(lambda node=node: set(seats(node, table)) == everybody)
        assert theirs not in high.tables.guests and theirs not in high.tables.kept


@ensureDeferred
async def test_a_stranger_who_proposes_a_rematch_loses_the_link(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 2) as ((low, high), match):
        low.tables.host("osaka", {}, 2, "majority", False)  # strangers may come to look
        eve = Here(tmp_path / "eve")
        try:
            await eve.mesh.meet(low.where.addresses[0], None).addTimeout(10, the_reactor())
            eve.mesh.send(low.key, Rematch(b"x" * 32, "cafe0123"))  # a match that nobody here knows: nothing happens
            eve.mesh.send(low.key, Rematch(match, "cafe0123"))
            await low.until(
                lambda: any(isinstance(n, PeerChanged) and n.peer == eve.key and not n.linked for n in low.news)
            )
            assert offered(low, match) is None and high.key in low.mesh.linked
        finally:
            await eve.stop()


@ensureDeferred
async def test_who_is_linked_again_later_hears_of_it_and_an_older_node_never_does(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 2) as ((low, high), match):
        low.mesh.disconnect(high.key, "test")
        table = await low.rematches.want(match)
        await until(lambda: offered(high, match) == table, 15)
        true_link = low.mesh.link_to
        low.mesh.link_to = lambda peer: replace(true_link(peer), features=("about",))  # type: ignore
        high.rematches._book.__init__(high.key)  # type: ignore[misc]
        low.rematches.linked(high.key)
        await until(lambda: high.key in low.mesh.linked)
        assert offered(high, match) is None


@ensureDeferred
async def test_a_table_to_which_nobody_comes_is_closed_after_ten_minutes(tmp_path: Folder) -> None:
    async with after_a_match(tmp_path, 2) as ((low, high), match):
        table = await low.rematches.want(match)
        await until(lambda: offered(high, match) == table)
        await high.rematches.want(match)
        await until(lambda: high.key in seats(low, table))
        low.rematches.tick(low.now + 601)
        assert table not in low.tables.kept and table not in low.tables.guests
        await high.until(lambda: any(isinstance(n, TableRefused) and n.reason == EXPIRED for n in high.news))
        assert table not in high.tables.guests
