"""Timers that no clock can stop, a health check that can fail, and loops that outlive what breaks in them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock

from kontor_games.lobby.server.hall import Hall
from kontor_games.lobby.server.service import Lobby
from kontor_games.lobby.server.sweeper import LONGEST_SWEEP, SWEEP_EVERY
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import HALL, Batch, News, Put, TopicLine
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.net.system.uptime import run_by_uptime, uptime
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import HallNews, MakeTable, Notice, Proposal, Queue, Say, WatchHall, encode
from tests.worlds.lobby_hall import Node, party, pause

from .bench import Games, done
from .child import LobbyProcess

HOUR = 3600.0


def idle_lobby(reactor: Any, passing: Any) -> Lobby:
    """A lobby that believes to listen; its time is the test's."""
    lobby = Lobby(reactor, Config(), Identity.generate(), MemoryStore(), Games(), passing=passing)
    lobby._port = object()
    lobby.sweeper.begin()
    return lobby


def test_health_proves_that_a_timer_did_its_work_lately() -> None:
    clock, passed = Clock(), [0.0]
    lobby = idle_lobby(clock, lambda: passed[0])
    for _ in range(60):
        clock.advance(SWEEP_EVERY)
        passed[0] += SWEEP_EVERY
        assert lobby.why_not_healthy() is None
    passed[0] += LONGEST_SWEEP + 1  # time passes, and no timer fires
    assert "no timer" in (lobby.why_not_healthy() or "")


def test_health_fails_when_a_clock_set_back_stops_the_timers() -> None:
    """B2: a reactor by wall time, set back an hour, does nothing for an hour; health must not ask the same clock."""
    clock, passed = Clock(), [0.0]
    clock.advance(10 * HOUR)
    lobby = idle_lobby(clock, lambda: passed[0])
    clock.rightNow -= HOUR
    for _ in range(int(LONGEST_SWEEP) + 2):
        clock.advance(SWEEP_EVERY)
        passed[0] += SWEEP_EVERY
    assert "no timer" in (lobby.why_not_healthy() or "")


def test_health_fails_when_the_store_never_answers() -> None:
    from twisted.internet.defer import Deferred

    clock, passed = Clock(), [0.0]
    lobby = idle_lobby(clock, lambda: passed[0])

    async def never(now: int, limit: int = 100) -> Any:
        await Deferred()

    lobby.store.due = never  # type: ignore[method-assign]
    for _ in range(int(LONGEST_SWEEP) + 2):
        clock.advance(SWEEP_EVERY)
        passed[0] += SWEEP_EVERY
    assert "no timer" in (lobby.why_not_healthy() or "")


def test_a_reactor_by_uptime_does_not_look_at_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    class Reactor:
        seconds = staticmethod(time.time)

    reactor = Reactor()
    run_by_uptime(reactor)
    before = reactor.seconds()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0 <= reactor.seconds() - before < 60
    assert abs(uptime() - reactor.seconds()) < 60


WALL = """
import os, sys, time
true, path = time.time, os.environ["WALL_MOVED_BY"]
time.time = lambda: true() + float(open(path).read())
from kontor_games.clients.entry import main
sys.exit(main())
"""


@ensureDeferred
async def test_a_lobby_whose_clock_is_set_back_an_hour_goes_on_and_stays_healthy(tmp_path: Path) -> None:
    """B2 with a real process: silent strangers are cut, people are offered matches, health is right to say ok."""
    moved = tmp_path / "moved"
    moved.write_text("0")
    settings = tmp_path / "lobby.toml"
    settings.write_text("[limits]\nsign_in_time = 2\n")
    lobby = LobbyProcess(
        tmp_path / "data",
        0,
        "--config",
        str(settings),
        prefix=("env", f"WALL_MOVED_BY={moved}", sys.executable, "-c", WALL),
        kontor=(),
    )
    nodes: list[Node] = []
    try:
        moved.write_text(str(-HOUR))
        for name in ("Anna", "Ben"):
            nodes.append(Node(name))
            await nodes[-1].come(lobby.port, lobby.key)
            await nodes[-1].ask(Queue(("osaka",), (2,)))
        assert (await nodes[0].hears(Proposal)).game == "osaka"
        silent = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import socket;print(socket.create_connection(('127.0.0.1',{lobby.port})).recv(1))",
            ],
            stdout=subprocess.PIPE,
        )
        for _ in range(100):
            await pause(0.1)
            if silent.poll() is not None:
                break
        assert silent.poll() is not None, "a silent stranger was not cut"
        silent.communicate()
        assert lobby.health() == (200, "ok")
    finally:
        for node in nodes:
            await node.leave()
        assert lobby.stop() == 0


def test_a_stopped_process_reports_that_its_timers_did_not_fire(tmp_path: Path) -> None:
    """The whole way to the status port: what a monitor reads after the lobby hung."""
    lobby = LobbyProcess(tmp_path / "data", 0, prefix=(sys.executable, "-c", STUCK), kontor=())
    try:
        deadline = time.monotonic() + 60
        while lobby.health()[0] == 200 and time.monotonic() < deadline:
            time.sleep(0.2)
        code, text = lobby.health()
        assert code == 503 and "no timer" in text
    finally:
        lobby.stop()


STUCK = """
import sys
from kontor_games.lobby.server import sweeper
sweeper.LONGEST_SWEEP = 1.5
begin = sweeper.Sweeper.begin
def stuck(self):
    begin(self)
    self._loop.stop()
sweeper.Sweeper.begin = stuck
from kontor_games.clients.entry import main
sys.exit(main())
"""


# Loops that outlive what breaks in them.


@ensureDeferred
async def test_a_record_that_breaks_its_expiry_stops_neither_the_sweeper_nor_the_others(
    nothing_left_behind: list[str],
) -> None:
    async with party() as it:
        batch = Batch(checks={("presence", "bad"): 0}, puts=[Put("presence", "bad", b"\xc1", "", 1)])
        done(it.lobby.store.commit(batch))
        anna, ben = await it.node("Anna"), await it.node("Ben")
        for node in (anna, ben):
            await node.ask(Queue(("osaka",), (2,)))
        assert (await anna.hears(Proposal)).game == "osaka"
        assert it.lobby.why_not_healthy() is None
    assert all("DecodeError" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()


@ensureDeferred
async def test_a_step_of_the_sweeper_that_fails_leaves_the_others_their_turn_and_shows_in_health(
    monkeypatch: pytest.MonkeyPatch, nothing_left_behind: list[str]
) -> None:
    async with party() as it:

        def fail(now: float) -> None:
            raise RuntimeError("a defect")

        monkeypatch.setattr(it.lobby.door, "sweep", fail)
        monkeypatch.setattr("kontor_games.lobby.server.sweeper.LONGEST_SWEEP", 0.5)
        anna, ben = await it.node("Anna"), await it.node("Ben")
        for node in (anna, ben):
            await node.ask(Queue(("osaka",), (2,)))
        await anna.hears(Proposal)
        await pause(0.6)
        assert "no timer" in (it.lobby.why_not_healthy() or "")
    assert all("a defect" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()


@ensureDeferred
async def test_a_sweeper_that_died_begins_again(
    monkeypatch: pytest.MonkeyPatch, nothing_left_behind: list[str]
) -> None:
    monkeypatch.setattr("kontor_games.lobby.server.sweeper.SWEEP_EVERY", 0.05)
    async with party() as it:
        sweeper = it.lobby.sweeper
        sweeper._loop._failed = True
        deferred, sweeper._loop._deferred = sweeper._loop._deferred, None
        sweeper._loop.running = False
        sweeper._loop.call.cancel()
        deferred.errback(RuntimeError("a defect"))
        swept = sweeper._swept_at
        await pause(0.4)
        assert sweeper._loop.running and sweeper._swept_at > swept
    assert all("a defect" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()


@pytest.mark.slow
@ensureDeferred
async def test_news_that_cannot_be_passed_on_stops_neither_its_author_nor_anybody_else(
    nothing_left_behind: list[str],
) -> None:
    async with party() as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        key = anna.identity.key
        news = [News((key,), b"not a message", b"", "marks"), News((key,), encode(Notice("warning", "still here")))]
        done(it.lobby.store.commit(Batch(lines=[TopicLine("hall", b"x", 1)], news=news)))
        assert (await anna.hears(Notice)).text == "still here"
        await ben.ask(MakeTable("osaka", {}, 2))
    assert all("malformed" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()


class Watcher:
    """A connection as far as the hall sees it."""

    is_stalled = False
    muted: frozenset[bytes] = frozenset()

    def __init__(self, breaks: bool = False) -> None:
        self.frames: list[bytes] = []
        self.was_cut = ""
        self._breaks = breaks

    def send_frame(self, frame: bytes) -> None:
        if self._breaks:
            raise RuntimeError("a defect")
        self.frames.append(frame)

    def cut(self, reason: str) -> None:
        self.was_cut = reason


def test_a_watcher_that_breaks_does_not_end_the_news_for_the_others(nothing_left_behind: list[str]) -> None:
    clock = Clock()
    broken, other = Watcher(breaks=True), Watcher()
    hall = Hall(clock, 0.5, Metrics(), lambda: [broken, other])  # type: ignore[list-item]
    for number in range(3):
        hall.add(News(HALL, b"", b"", f"gone:{number}"))
        clock.pump([0.5] * 4)
    assert len(other.frames) == 3 and broken.was_cut == "failed"
    assert all("a defect" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()


@ensureDeferred
async def test_the_hall_still_hears_after_a_line_that_broke(
    monkeypatch: pytest.MonkeyPatch, nothing_left_behind: list[str]
) -> None:
    async with party() as it:
        anna = await it.node("Anna")
        await anna.ask(WatchHall(True))
        monkeypatch.setattr("kontor_games.lobby.server.hall.Gathered.frame", lambda *_: 1 / 0)
        await anna.ask(Say("hall", "lost"))
        await pause(0.2)
        monkeypatch.undo()
        await anna.ask(Say("hall", "heard"))
        assert [line.text for line in (await anna.hears(HallNews)).lines] == ["heard"]
    assert all("ZeroDivisionError" in error for error in nothing_left_behind) and nothing_left_behind
    nothing_left_behind.clear()
