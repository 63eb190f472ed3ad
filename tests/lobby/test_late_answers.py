"""A store that answers late, as one behind a connection may: what ends meanwhile is ended, what is done is told so."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.model.records import PRESENCE, TABLE
from kontor_games.lobby.store.base import Allowance, Batch, OutcomeUnknown, Unreachable
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.net.wire.lobby_messages import EnterByCode, MakeTable, TableCard
from kontor_games.net.wire.messages import Enter, TableView
from tests.worlds.lobby_hall import Node, party, pause, until

LOGGED = "store: {text}"  # what operators read of a store that is away


class LateStore(MemoryStore):
    """Commits that change a record of the kind `late` wait until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.late = ""
        self.waiting: list[Deferred[None]] = []

    async def commit(self, batch: Batch) -> None:
        if self.late and any(put.kind == self.late for put in batch.puts):
            waits: Deferred[None] = Deferred()
            self.waiting.append(waits)
            await waits
        await super().commit(batch)

    def let_go(self) -> None:
        self.late = ""
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            one.callback(None)


@ensureDeferred
async def test_what_somebody_asked_for_last_does_not_bring_them_back_after_they_have_left() -> None:
    store = LateStore()
    async with party(store) as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        store.late = TABLE.name
        asked = Deferred.fromCoroutine(ben.ask(Enter(table)))
        asked.addErrback(lambda failure: failure.trap(RemoteError))
        await until(lambda: store.waiting)
        ben.link.transport.abortConnection()
        await until(lambda: ben.identity.key not in it.lobby.reception.here)
        await pause(0.02)
        store.let_go()

        def has_left(view: TableView) -> bool:
            return any(member.key == ben.identity.key and not member.is_here for member in view.members)

        await anna.hears(TableView, has_left)
        presence = await it.lobby.work().get(PRESENCE, ben.identity.key.hex())
        assert presence is not None and presence.away is not None


@ensureDeferred
async def test_a_sign_in_that_was_stored_but_not_answered_leaves_nobody_behind(
    nothing_left_behind: list[str],
) -> None:
    class Doubtful(MemoryStore):
        """Stores the first presence, and says that it does not know."""

        is_doubtful = True

        async def commit(self, batch: Batch) -> None:
            await super().commit(batch)
            if self.is_doubtful and any(put.kind == PRESENCE.name for put in batch.puts):
                self.is_doubtful = False
                raise OutcomeUnknown("nobody can say")

    async with party(Doubtful()) as it:
        node = Node("Anna")
        it.nodes.append(node)
        with pytest.raises(RemoteError):
            await node.come(it.port, it.lobby.key)
        presence = await it.lobby.work().get(PRESENCE, node.identity.key.hex())
        assert presence is not None and presence.away is not None
    assert set(nothing_left_behind) == {LOGGED}
    nothing_left_behind.clear()


@ensureDeferred
async def test_somebody_who_cannot_be_brought_back_to_their_tables_signs_in_anew(
    nothing_left_behind: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kontor_games.lobby.server.jobs.INSIST_EVERY", 0.02)

    class Away(MemoryStore):
        """Is away when a table is to be changed."""

        is_away = False

        async def commit(self, batch: Batch) -> None:
            if self.is_away and any(put.kind == TABLE.name for put in batch.puts):
                raise Unreachable("nothing was changed")
            await super().commit(batch)

    store = Away()
    async with party(store) as it:
        anna = await it.node("Anna")
        await anna.ask(MakeTable("osaka", {}, 2))
        await anna.leave()
        await until(lambda: not it.lobby.reception.here)
        store.is_away = True
        again = Node("Anna", anna.identity)
        it.nodes.append(again)
        with suppress(RemoteError):  # the connection may end before the answer is read
            await again.come(it.port, it.lobby.key)
        await again.is_cut()
        store.is_away = False
        third = Node("Anna", anna.identity)
        it.nodes.append(third)
        await third.come(it.port, it.lobby.key)
        await third.hears(TableCard)
        await pause(0.1)  # what was to be noted of the one who had to go is tried again
    assert set(nothing_left_behind) == {LOGGED}
    nothing_left_behind.clear()


@ensureDeferred
async def test_whoever_came_to_a_table_is_told_so_also_if_the_store_is_away_right_after(
    nothing_left_behind: list[str],
) -> None:
    class Forgetful(MemoryStore):
        """Counts shares in common, and is away when one is to be given back."""

        is_shared = True

        async def give_back(self, asks: Sequence[Allowance]) -> None:
            raise Unreachable("nothing was changed")

    async with party(Forgetful()) as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        table = (await anna.ask(MakeTable("osaka", {}, 2, "invite"))).table
        code = (await anna.hears(TableCard)).code
        assert (await ben.ask(EnterByCode(code))).table == table
    assert set(nothing_left_behind) == {LOGGED}
    nothing_left_behind.clear()
