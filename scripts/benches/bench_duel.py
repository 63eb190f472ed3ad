"""Two benchmark nodes against each other: every action timed until it is acknowledged, its floor, and a control."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import bench_peer
import bench_plain
from twisted.internet import reactor
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.engine.core.digest import digest
from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.messages import MatchTalk

ROOT = Path(__file__).resolve().parents[2]
ACTIONS = 600  # per round: so many timed one by one, half of them ours; the third slowest of these is the p99
MOVES = 1200  # then so many as fast as they come; boardgame.io makes as many, after some to get warm too
BLOCK = 20  # actions, half of them ours
CORE = 0
PINS: dict[str, tuple[set[int] | None, set[int] | None]] = {  # the cores of both nodes
    "same": ({CORE}, {CORE}),
    "split": ({CORE}, {CORE + 1}),
    "none": (None, None),
}


class PeerProcess:
    """A benchmark node in a process of its own."""

    def __init__(
        self,
        number: int,
        peers: int,
        options: dict[str, Any],
        salt: str,
        plays: bool,
        cores: set[int] | None = None,
        plain: bool = False,
        files: str | None = None,
    ) -> None:
        config = {
            "number": number,
            "peers": peers,
            "options": options,
            "salt": salt,
            "plays": plays,
            "cores": sorted(cores or ()),
            "calm": ACTIONS,
            "plain": plain,
            "files": files,
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "benches" / "bench_peer.py"), json.dumps(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = self.wait("ready")["port"]

    def wait(self, event: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found: dict[str, Any] = json.loads(line)
            if found["event"] == event:
                return found
        raise RuntimeError(f"a benchmark node ended before {event}")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        if self.process.poll() is None:
            try:
                self.say("stop")
                self.process.wait(timeout=5)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()


# ---- one action and its floor


def sleep(seconds: float) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    return done


class Duel:
    """This process and a child play the counter; every action of ours is timed until it is acknowledged.

    The machine's speed changes from second to second. So actions are timed in blocks, and between the blocks, in the
    same rhythm, what they are compared with: their floor, and the control.
    """

    def __init__(self, pad: int, salt: str, folder: Path, pin: str, plain: bool, files: str | None) -> None:
        options = {"goal": ACTIONS + MOVES, "pad": pad}
        mine, theirs = PINS[pin]
        os.sched_setaffinity(0, mine or range(os.cpu_count() or 1))
        self.child = PeerProcess(1, 2, options, salt, True, theirs, plain, files)
        self.peer = bench_peer.BenchPeer(0, 2, options, salt, folder, plain)
        self.me, self.other = bench_peer.identity(0), bench_peer.identity(1).key
        self.latencies: list[float] = []
        self.floors: list[float] = []
        self.controls: list[float] = []
        self.started_at: float | None = None
        self.tip = b""
        self.done: Deferred[None] = Deferred()
        self.peer.on_change = self.changed
        self.peer.on_heard = self.heard
        self.acting = False
        self.first_bytes = 0
        self.began = 0.0
        self.wall = 0.0  # seconds for the moves that were made as fast as they come
        self.folder = folder
        self.floor_journal: MatchJournal | None = None
        self.own_frame: Signed | None = None  # one of ours, for the floor
        self.compares = not plain and files is None

    def changed(self) -> None:
        match = self.peer.match
        if match is None or self.done.called:
            return
        session = match.session
        ledger = session.ledger
        if self.started_at is not None and ledger.tip == self.tip and not session.absent():
            self.latencies.append(time.perf_counter() - self.started_at)
            self.started_at = None
        if ledger.is_complete:
            self.done.callback(None)
            return
        count = self.peer.count
        if not self.acting and ledger.turn == 0 and count < ACTIONS:
            self.acting = True
            if self.compares and count and count % BLOCK == 0:
                self.compare().addCallbacks(lambda _: self.act(), self.done.errback)
            else:
                reactor.callLater(bench_peer.REST, self.act)

    def heard(self) -> None:
        """As fast as they come: no turn of the reactor between a message and the answer."""
        count = self.peer.count
        if count == ACTIONS + MOVES and not self.wall:
            self.wall = time.perf_counter() - self.began  # what follows is the end of a match, not a move
        if count < ACTIONS or self.acting or self.started_at is not None:
            return
        if not self.began:
            self.began, self.first_bytes = time.perf_counter(), self.peer.sent_bytes
        self.peer.play_if_due()

    def act(self) -> None:
        self.acting = False
        match = self.peer.match
        if match is None or self.started_at is not None or self.done.called:
            return
        if match.session.ledger.turn != 0 or match.session.absent():
            return
        start = time.perf_counter()
        if self.peer.play_if_due():
            self.tip = match.session.ledger.tip
            self.started_at = start

    @inlineCallbacks
    def compare(self) -> Any:
        """As many floors and controls as a block has actions of ours."""
        assert self.peer.match is not None
        minimal, ledger = self.peer.control(self.other), self.peer.match.session.ledger
        frames = (item.parts[0] for item in reversed(ledger.items) if item.kind == "frame")
        self.own_frame = next(frame for frame in frames if frame.peer == 0)
        if self.floor_journal is None:
            path = self.folder / "floor.journal"
            self.floor_journal = MatchJournal.create(path, ledger.terms_raw, self.peer.match.signatures)

        def control(back: Callable[[], None]) -> None:
            minimal.on_agreed = back
            minimal.act()

        self.floors += yield self.exchanges(self.floor)
        self.controls += yield self.exchanges(control)
        yield sleep(bench_peer.REST)

    def floor(self, back: Callable[[], None]) -> None:
        """What one action cannot do without, over the connection of the actions.

        Sign, digest, append to a journal with fsync, send; there check the signature, digest, send back.
        """
        assert self.peer.match is not None
        ledger = self.peer.match.session.ledger
        frame, journal = self.own_frame, self.floor_journal
        assert frame is not None and journal is not None
        self.peer.on_echo = back
        signature = self.me.sign("frame", frame.raw)
        digest(ledger.state)
        journal.append(Signed("frame", 0, frame.raw, signature), True)
        self.peer.mesh.send(self.other, MatchTalk(bench_peer.ECHO, signature + frame.raw))
        self.peer.mesh.push()

    @inlineCallbacks
    def control_moves(self) -> Any:
        """Moves/s of the minimal lockstep, as fast as they come."""
        minimal = self.peer.control(self.other)
        done: Deferred[None] = Deferred()
        minimal.on_agreed = lambda: done.callback(None)
        start = time.perf_counter()
        minimal.act(more=MOVES)  # an even number: the last one is ours, and the other agrees
        yield done
        return (MOVES + 1) / (time.perf_counter() - start)

    @inlineCallbacks
    def exchanges(self, step: Callable[[Callable[[], None]], None]) -> Any:
        """How long a step takes until it calls back, in the rhythm of the actions."""
        times: list[float] = []
        for _ in range(BLOCK // 2):
            yield sleep(bench_peer.REST)
            back: Deferred[None] = Deferred()
            start = time.perf_counter()
            step(lambda back=back: back.callback(None))  # type: ignore[misc]
            yield back
            times.append(time.perf_counter() - start)
        return times

    def close(self) -> None:
        if self.floor_journal is not None:
            self.floor_journal.close()
        if self.peer.minimal is not None:
            self.peer.minimal.journal.close()


@inlineCallbacks
def duel(pad: int, salt: str, pin: str = "same", plain: bool = False, files: str | None = None) -> Any:
    """One round: latency and p99 of an action, moves/s, bytes; also the floor, its parts and the control.

    Nodes that are plain, or have their journals in another place (`files`), are only counted in moves/s.
    """
    with tempfile.TemporaryDirectory(dir=files) as name:
        one = Duel(pad, salt, Path(name), pin, plain, files)
        yield one.peer.mesh.listen(TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1"))
        one.peer.mesh.want(bench_peer.identity(1).key, [f"127.0.0.1:{one.child.port}"])
        while not one.peer.mesh.linked:
            yield sleep(0.01)
        undo = bench_plain.make_plain() if plain else lambda: None
        one.child.say("go")
        one.peer.begin()
        yield one.done
        yield sleep(0)  # the message that ended it may not have been the last one that came
        sent = (one.peer.sent_bytes - one.first_bytes) * 2 / MOVES
        match = one.peer.match
        assert match is not None
        warm = sorted(one.latencies[BLOCK // 2 :])  # before the first block nothing is compared
        found = {
            "latency": median(warm),
            "p99": warm[int(len(warm) * 0.99) - 1],
            "moves": MOVES / one.wall,
            "bytes": sent,
        }
        if one.compares:
            floors = sorted(one.floors)
            found |= {"floor": median(floors), "control": median(one.controls)}
            found["floor p99"] = floors[int(len(floors) * 0.99) - 1]
            found["control moves"] = yield one.control_moves()
            parts = floor_parts(match, Path(name))
            found |= {"rtt": max(0.0, found["floor"] - sum(parts.values())), **parts}
        yield one.peer.mesh.stop()
        match.stop()
        one.close()
        one.child.stop()
        undo()
        return found


def floor_parts(match: Any, folder: Path) -> dict[str, float]:
    """The parts of the floor but the way there and back, each alone and warm."""
    ledger = match.session.ledger
    frame = next(item.parts[0] for item in reversed(ledger.items) if item.kind == "frame")
    mine = bench_peer.identity(0)
    key = ledger.terms.peers[frame.peer].key
    journal = MatchJournal.create(folder / "parts.journal", ledger.terms_raw, match.signatures)
    signed = Signed("frame", frame.peer, frame.raw, frame.sig)
    found = {
        "sign": timed(lambda: mine.sign("frame", frame.raw)),
        "verify": timed(lambda: verify(key, "frame", frame.raw, frame.sig)),
        "digests": 2 * timed(lambda: digest(ledger.state)),
        "journal": timed(lambda: journal.append(signed, True)),
    }
    journal.close()
    return found


def timed(call: Any, count: int = 120) -> float:
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)
