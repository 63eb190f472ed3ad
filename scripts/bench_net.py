"""Network figures as ratios in one run: actions against their floor, moves/s against boardgame.io, set-up, proof."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "scripts"))

import bench_games
import bench_peer
import bench_sealed
from twisted.internet import reactor, threads
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.endpoints import TCP4ServerEndpoint

import engine
from engine.core.digest import digest
from net.archive import MatchJournal
from net.identity import verify
from net.messages import MatchTalk
from net.talk import Signed

ACTIONS = 300  # per round: so many timed one by one, then as many as fast as they come
SIZES = (("small", 0), ("6 kB", 645))
CORE = 0


class Child:
    """A benchmark node in a process of its own."""

    def __init__(
        self, number: int, peers: int, options: dict[str, Any], salt: str, plays: bool, core: int | None
    ) -> None:
        config = {
            "number": number,
            "peers": peers,
            "options": options,
            "salt": salt,
            "plays": plays,
            "core": core,
            "calm": ACTIONS,
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "bench_peer.py"), json.dumps(config)],
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
    """This process and a child play the counter on one core; every action of ours is timed until it is acknowledged."""

    def __init__(self, pad: int, salt: str, folder: Path) -> None:
        options = {"goal": 2 * ACTIONS, "pad": pad}
        self.child = Child(1, 2, options, salt, True, CORE)
        self.peer = bench_peer.Peer(0, 2, options, salt, folder)
        self.latencies: list[float] = []
        self.started_at: float | None = None
        self.tip = b""
        self.done: Deferred[None] = Deferred()
        self.peer.on_change = self.changed
        self.acting = False
        self.first_bytes = 0
        self.began = 0.0

    def changed(self) -> None:
        match = self.peer.match
        if match is None or self.done.called:
            return
        session = match.session
        ledger = session.ledger
        if self.started_at is not None and ledger.tip == self.tip and not session._absent():
            if ledger.state.count <= ACTIONS:
                self.latencies.append(time.perf_counter() - self.started_at)
            self.started_at = None
        if ledger.is_complete:
            self.done.callback(None)
            return
        if not self.acting and ledger.turn == 0:
            self.acting = True
            calm = ledger.state.count < ACTIONS
            reactor.callLater(bench_peer.REST if calm else 0, self.act)

    def act(self) -> None:
        self.acting = False
        match = self.peer.match
        if match is None or self.started_at is not None or self.done.called:
            return
        turn = match.session.ledger.turn
        if turn != 0 or match.session._absent():
            return
        if not self.began and match.session.ledger.state.count > ACTIONS:
            self.began, self.first_bytes = time.perf_counter(), self.peer.sent_bytes
        start = time.perf_counter()
        if self.peer.play_if_due():
            self.tip = match.session.ledger.tip
            self.started_at = start

    @inlineCallbacks
    def floor(self, folder: Path) -> Any:
        """What one action cannot do without, in the rhythm of the actions and over their connection.

        Sign, digest, append to a journal with fsync, send; there check the signature, digest, send back.
        """
        assert self.peer.match is not None
        ledger = self.peer.match.session.ledger
        frame = next(i.parts[0] for i in reversed(ledger.items) if i.kind == "frame" and i.parts[0].peer == 0)
        mine, key = bench_peer.identity(0), bench_peer.identity(1).key
        journal = MatchJournal.create(folder / "floor.journal", ledger.terms_raw, self.peer.match.signatures)
        times: list[float] = []
        for _ in range(ACTIONS // 2):
            yield sleep(bench_peer.REST)
            back: Deferred[None] = Deferred()
            self.peer.on_echo = lambda back=back: back.callback(None)
            start = time.perf_counter()
            signature = mine.sign("frame", frame.raw)
            digest(ledger.state)
            journal.append(Signed("frame", 0, frame.raw, signature), True)
            self.peer.mesh.send(key, MatchTalk(bench_peer.ECHO, signature + frame.raw))
            self.peer.mesh.push()
            yield back
            times.append(time.perf_counter() - start)
        self.peer.on_echo = None
        journal.close()
        return median(times[len(times) // 4 :])


@inlineCallbacks
def duel(pad: int, salt: str) -> Any:
    with tempfile.TemporaryDirectory() as name:
        one = Duel(pad, salt, Path(name))
        yield one.peer.mesh.listen(TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1"))
        one.peer.mesh.want(bench_peer.identity(1).key, [f"127.0.0.1:{one.child.port}"])
        while not one.peer.mesh.linked:
            yield sleep(0.01)
        one.child.say("go")
        one.peer.begin()
        yield one.done
        wall = time.perf_counter() - one.began
        sent = (one.peer.sent_bytes - one.first_bytes) * 2 / ACTIONS
        match = one.peer.match
        assert match is not None
        floor = yield one.floor(Path(name))
        parts = floor_parts(match, Path(name))
        yield one.peer.mesh.stop()
        match.stop()
        one.child.stop()
        warm = sorted(one.latencies[len(one.latencies) // 5 :])
        return {
            "floor": floor,
            "latency": median(warm),
            "p99": warm[int(len(warm) * 0.99) - 1],
            "moves": ACTIONS / wall,
            "bytes": sent,
            "rtt": max(0.0, floor - sum(parts.values())),
            **parts,
        }


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


# ---- boardgame.io


def boardgame(size: int) -> float | None:
    """Moves/s of boardgame.io's socket server with two clients and a state of so many bytes, None without it."""
    folder = ROOT / ".bench-node"
    if not (folder / "node_modules" / "boardgame.io").exists():
        folder.mkdir(exist_ok=True)
        try:
            quiet = ["--silent", "--no-fund", "--no-audit"]
            install = ["npm", "install", *quiet, "--prefix", str(folder), "boardgame.io@0.50.2"]
            subprocess.run(install, check=True, capture_output=True, timeout=240)
        except (OSError, subprocess.SubprocessError):
            return None
    script = ROOT / "scripts" / "bench_boardgame.cjs"
    command = ["taskset", "-c", str(CORE), "node", str(script), str(folder), str(size)]
    try:
        out = subprocess.run(command, check=True, capture_output=True, timeout=120, text=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return float(json.loads(out.stdout.strip().splitlines()[-1])["moves_per_second"])


# ---- set-up


def setup_time(cards: int, peers: int, salt: str) -> float:
    """Seconds from «go» until every node can play: keys, escrow, roll, one shuffle by everybody."""
    children = [Child(n, peers, {"goal": peers, "cards": cards}, salt, False, None) for n in range(peers)]
    try:
        for number, child in enumerate(children):
            others = {m: f"127.0.0.1:{c.port}" for m, c in enumerate(children) if m > number}
            child.say("link " + json.dumps(others))
        for child in children:
            while True:
                child.say("linked")
                if child.wait("linked")["count"] == peers - 1:
                    break
                time.sleep(0.02)
        start = time.time()
        for child in children:
            child.say("go")
        return max(child.wait("turn")["at"] for child in children) - start
    finally:
        for child in children:
            child.stop()


# ---- proof


def one_match(game: str, peers: int) -> tuple[Path, int]:
    """The file of a whole sealed match, played in memory."""
    from net.archive import records_of, write_transcript
    from tests.net.world import World, identity, make_terms

    raw = make_terms(game, peers)
    world = World(raw, peers, f"bench {game}")
    world.begin()
    world.play_on()
    session = world.nodes[0].session
    path = Path(tempfile.mkdtemp()) / f"{game}.kontor"
    signatures = [identity(p).sign("terms", raw) for p in range(peers)]
    write_transcript(path, records_of(session.ledger, signatures, session.finals()))
    return path, session.ledger.ply


def verify_file(path: Path) -> int:
    from net.verify import verify as verify_path

    return verify_path(path).code


def proof_rows() -> list[dict[str, Any]]:
    rows = []
    for game in ("osaka", "joban"):
        path, plies = one_match(game, 4)
        start = time.perf_counter()
        assert verify_file(path) == 0
        took = time.perf_counter() - start
        figure = f"{took:.2f} s, {plies / took:,.0f} plies/s"
        rows.append({"what": f"verify a sealed {game} match of 4", "figure": figure})
    files = [path] * 6
    start = time.perf_counter()
    for each in files:
        verify_file(each)
    alone = time.perf_counter() - start
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(verify_file, files[:2]))  # processes are up and warm
        start = time.perf_counter()
        list(pool.map(verify_file, files))
        both = time.perf_counter() - start
    rows.append({"what": "verify with two processes against one", "figure": f"{alone / both:.2f} x (goal 1.7)"})
    return rows


# ---- all of it


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """All figures; `seconds` is not used, a round is a fixed number of actions."""
    bench_games.install()
    affinity = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CORE})
    found: dict[str, list[dict[str, float]]] = {name: [] for name, _ in SIZES}
    others: dict[str, list[float]] = {name: [] for name, _ in SIZES}
    state_bytes: dict[str, int] = {}
    problem: list[BaseException] = []

    @inlineCallbacks
    def everything() -> Any:
        try:
            for number in range(rounds):
                for name, pad in SIZES if number % 2 == 0 else reversed(SIZES):
                    outcome = yield duel(pad, f"round {number} {name}")
                    found[name].append(outcome)
                    state = bench_games.setup({"goal": 1, "pad": pad, "cards": 0}, 2, b"")
                    state_bytes[name] = len(engine.canonical(state))
                    moves = yield threads.deferToThread(boardgame, state_bytes[name] if pad else 0)
                    if moves is not None:
                        others[name].append(outcome["moves"] / moves)
        except BaseException as error:
            problem.append(error)
        reactor.stop()

    reactor.callWhenRunning(everything)
    reactor.run()
    os.sched_setaffinity(0, affinity)
    if problem:
        raise problem[0]
    rows: list[dict[str, Any]] = []
    for name, results in found.items():
        rows += _duel_rows(name, results, others[name], state_bytes[name])
    rows += _setup_rows()
    rows += proof_rows()
    return {"rows": rows, "rounds": found, "notes": ["boardgame.io neither signs nor encrypts"]}


def _duel_rows(name: str, results: list[dict[str, float]], others: list[float], size: int) -> list[dict[str, Any]]:
    def spread(values: list[float]) -> str:
        return f"{median(values):.2f} x ({min(values):.2f} to {max(values):.2f})"

    def middle(key: str) -> float:
        return median([each[key] for each in results])

    parts = ", ".join(f"{key} {middle(key) * 1e6:.0f}" for key in ("rtt", "sign", "verify", "digests", "journal"))
    label = f"{name} state ({size} B)"
    action = spread([each["latency"] / each["floor"] for each in results])
    slowest = spread([each["p99"] / each["floor"] for each in results])
    rows = [
        {"what": f"{label}: action against floor", "figure": f"{action}, goal 1.5"},
        {"what": f"{label}: p99 against floor", "figure": f"{slowest}, goal 3"},
        {"what": f"{label}: floor in µs", "figure": f"{middle('floor') * 1e6:.0f} = {parts}"},
        {"what": f"{label}: bytes per action and peer", "figure": f"{middle('bytes'):.0f}, goal 1,000"},
        {"what": f"{label}: moves/s", "figure": f"{middle('moves'):,.0f}"},
    ]
    goal = 1.5 if name == "small" else 3
    figure = spread(others) + f", goal {goal}" if others else "skipped: Node or the package is missing"
    return [*rows, {"what": f"{label}: moves/s against boardgame.io", "figure": figure}]


def _setup_rows() -> list[dict[str, Any]]:
    rows = []
    cores = len(os.sched_getaffinity(0))
    for cards in (36, 108):
        prove, check, _ = bench_sealed.shuffle(cards)
        for peers in (2, 3, 4, 5):
            took = min(setup_time(cards, peers, f"set-up {cards} {peers} {k}") for k in range(2)) * 1000
            chain = peers * (prove + check)
            cpu = peers * (prove + (peers - 1) * check) / cores
            floor = max(chain, cpu)
            alone = f"chain {chain:.0f}, all proofs on {cores} cores {cpu:.0f}"
            figure = f"{took / floor:.2f} x ({took:.0f} ms; {alone}), goal 1.3"
            rows.append({"what": f"set-up, {cards} cards, {peers} peers", "figure": figure})
    return rows


if __name__ == "__main__":
    report = run(int(sys.argv[1]) if len(sys.argv) > 1 else 3, 0)
    for row in report["rows"]:
        print(f"{row['what']:50} {row['figure']}")
