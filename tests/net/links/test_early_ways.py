"""Calls that come before we want the caller are kept for a while, and taken up when we do."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from kontor_games.net.links.early_ways import EARLY_TIME, HOLES_ASKED, MAX_EARLY, RELAYS_ASKED, EarlyWays
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.links.paths import Path
from kontor_games.net.wire.identity import Identity


class _NotedEndpoint:
    def __init__(self) -> None:
        self.calls: list[Deferred[Any]] = []

    def connect(self, factory: Any) -> Deferred[Any]:
        self.calls.append(Deferred())
        return self.calls[-1]


def early_mesh(clock: Clock) -> Mesh:
    owner: Any = None
    return Mesh(clock, Identity.generate(), owner)


def test_a_call_through_the_lobby_that_comes_before_we_want_the_caller_is_taken_up_then() -> None:
    clock, caller, hole = Clock(), Identity.generate().key, _NotedEndpoint()
    mesh = early_mesh(clock)
    mesh.accept_over(hole, caller, Path.PUNCHED)
    assert not hole.calls  # nothing is opened for somebody whom we do not want
    clock.advance(EARLY_TIME - 0.1)
    mesh.want(Identity.generate().key, [])
    assert not hole.calls
    mesh.want(caller, [])
    assert len(hole.calls) == 1
    mesh.want(caller, ["10.0.0.1:4000"])
    assert len(hole.calls) == 1
    mesh.accept_over(hole, caller, Path.PUNCHED)
    assert len(hole.calls) == 2  # wanted by now: at once
    mesh.stop()


def test_a_call_that_came_too_early_is_forgotten() -> None:
    clock, caller, hole = Clock(), Identity.generate().key, _NotedEndpoint()
    mesh = early_mesh(clock)
    mesh.accept_over(hole, caller, Path.PUNCHED)
    clock.advance(EARLY_TIME + 0.1)
    mesh.want(caller, [])
    assert not hole.calls
    mesh.stop()


def test_the_newest_call_of_each_kind_is_kept_and_only_so_many() -> None:
    ways: EarlyWays[str] = EarlyWays()
    ways.keep(b"first", Path.RELAY, "gone", 0.0)
    for number in range(MAX_EARLY - 2):
        ways.keep(bytes([number]), Path.RELAY, "flood", 0.0)
    ways.keep(b"ann", Path.RELAY, "relay", 0.0)
    ways.keep(b"ann", Path.RELAY, "newer relay", 1.0)
    ways.keep(b"ann", Path.PUNCHED, "hole", 1.0)
    assert ways.take(b"first", 1.0) == []
    assert ways.take(b"ann", 1.0) == [(Path.PUNCHED, "hole"), (Path.RELAY, "newer relay")]
    assert ways.take(b"ann", 1.0) == []


def test_a_lobby_that_makes_calls_up_has_few_of_them_answered_one_at_a_time() -> None:
    """Each would have us call a place that the lobby names; others of our peers are answered all the same."""
    clock, caller, friend = Clock(), Identity.generate().key, Identity.generate().key
    mesh = early_mesh(clock)
    mesh.want(caller, [])
    mesh.want(friend, [])
    for path, ration in ((Path.PUNCHED, HOLES_ASKED), (Path.RELAY, RELAYS_ASKED)):
        asked = _NotedEndpoint()
        for _ in range(600):
            mesh.accept_over(asked, caller, path)
            clock.advance(0.1)
        assert ration.burst <= len(asked.calls) <= ration.burst + 60 * ration.per_second + 1
        assert sum(not call.called for call in asked.calls) == 1, "the newest takes the place of the one before"
        other = _NotedEndpoint()
        mesh.accept_over(other, friend, path)
        assert len(other.calls) == 1
    mesh.stop()
