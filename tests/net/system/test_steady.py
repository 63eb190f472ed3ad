"""A loop that raises goes on, a chain that fails tells the log, and a mesh whose owner fails keeps its clock."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import Logger

from kontor_games.net.links import roster
from kontor_games.net.system.steady import Steady, logged
from kontor_games.net.wire.messages import Spectate
from tests.net.links.test_transport import ANN, BEN, EVE, NO_MATCH, nodes, until
from tests.worlds.doubles import Recorder

_log = Logger(namespace="kontor.test")


def test_a_loop_that_raises_once_goes_on_and_says_so(nothing_left_behind: list[str]) -> None:
    clock, done = Clock(), []

    def job() -> Deferred[None] | None:
        done.append(clock.seconds())
        if len(done) == 1:
            raise OSError("no space left")
        return fail(OSError("still none")) if len(done) == 2 else succeed(None)

    loop = Steady(clock, 1.0, job, _log, "a job")
    loop.start()
    clock.pump([1.0] * 4)
    assert done == [1.0, 2.0, 3.0, 4.0]
    loop.stop()
    loop.stop()
    clock.pump([1.0] * 4)
    assert len(done) == 4
    assert len(nothing_left_behind) == 2 and "no space left" in nothing_left_behind[0]
    nothing_left_behind.clear()


def test_a_chain_that_nobody_waits_for_tells_the_log_when_it_fails(nothing_left_behind: list[str]) -> None:
    logged(fail(OSError("gone")), _log, "a chain")
    assert len(nothing_left_behind) == 1 and "gone" in nothing_left_behind[0]
    nothing_left_behind.clear()


class Fragile(Recorder):
    """An owner with a defect: it fails whenever Eve is linked or lost."""

    def peer_linked(self, peer: bytes) -> None:
        super().peer_linked(peer)
        if peer == EVE.key:
            raise ZeroDivisionError("a defect")

    def peer_lost(self, peer: bytes, reason: str) -> None:
        super().peer_lost(peer, reason)
        if peer == EVE.key:
            raise ZeroDivisionError("a defect")


@ensureDeferred
async def test_an_owner_that_fails_for_one_peer_keeps_its_links_to_the_others(
    nothing_left_behind: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "BACK_OFF", 0.05)
    async with nodes() as running:
        ann, _, _ = await running.start(ANN)
        saw = Fragile()
        ann._owner = saw
        for person in (EVE, BEN):
            mesh, _, port = await running.start(person)
            mesh.want(ANN.key, ())
            ann.want(person.key, [f"127.0.0.1:{port}"])
        await saw.until(lambda: {EVE.key, BEN.key} <= set(saw.linked))
        ann.disconnect(EVE.key, "once more")
        await saw.until(lambda: saw.linked.count(EVE.key) == 2)
        assert ann.send(BEN.key, Spectate(NO_MATCH)) and ann.send(EVE.key, Spectate(NO_MATCH))
    assert nothing_left_behind and all("a defect" in error for error in nothing_left_behind)
    nothing_left_behind.clear()


@ensureDeferred
async def test_a_roster_that_raises_once_is_asked_again(
    nothing_left_behind: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with nodes() as running:
        ann, ann_saw, _ = await running.start(ANN)
        ben, _, port = await running.start(BEN)
        tick: Any = ann._roster.tick
        calls: list[float] = []

        def broken_once(now: float) -> Any:
            calls.append(now)
            if len(calls) == 1:
                raise ZeroDivisionError("a defect")
            return tick(now)

        monkeypatch.setattr(ann._roster, "tick", broken_once)
        ben.want(ANN.key, ())
        ann.want(BEN.key, [f"127.0.0.1:{port}"])
        await ann_saw.until(lambda: ann_saw.linked == [BEN.key])
        await until(lambda: len(calls) >= 2)
    assert len(nothing_left_behind) == 1
    nothing_left_behind.clear()
