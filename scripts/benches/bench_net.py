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

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "scripts" / "benches"))

import bench_games
import bench_sealed
from bench_duel import CORE, PeerProcess, duel
from twisted.internet import reactor, threads
from twisted.internet.defer import inlineCallbacks

from kontor_games import engine

SIZES = (("small", 0), ("6 kB", 645))
SETUPS = 9
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # files there are on no disk


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
    script = ROOT / "scripts" / "benches" / "bench_boardgame.cjs"
    command = ["taskset", "-c", str(CORE), "node", str(script), str(folder), str(size)]
    try:
        out = subprocess.run(command, check=True, capture_output=True, timeout=120, text=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return float(json.loads(out.stdout.strip().splitlines()[-1])["moves_per_second"])


# ---- set-up


def setup_time(cards: int, peers: int, salt: str) -> float:
    """Seconds from «go» until every node can play: keys, escrow, roll, one shuffle by everybody."""
    children = [PeerProcess(n, peers, {"goal": peers, "cards": cards}, salt, False) for n in range(peers)]
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
    from kontor_games.net.record.chain_records import records_of, write_transcript
    from tests.worlds.world import World, identity, make_terms

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
    from kontor_games.net.record.verify import verify as verify_path

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
    found: list[dict[str, Any]] = []
    problem: list[BaseException] = []

    @inlineCallbacks
    def everything() -> Any:
        try:
            for number in range(rounds):
                found.append((yield one_round(number)))
        except BaseException as error:
            problem.append(error)
        reactor.stop()

    reactor.callWhenRunning(everything)
    reactor.run()
    os.sched_setaffinity(0, affinity)
    if problem:
        raise problem[0]
    rows = [row for name, pad in SIZES for row in _duel_rows(name, state_size(pad), [each[name] for each in found])]
    rows += _pin_rows([each["small"] for each in found])
    rows += _setup_rows()
    rows += proof_rows()
    notes = ["boardgame.io neither signs nor encrypts nor stores; where no pin is named, all run on one core"]
    if MEMORY is None:
        notes.append("this system has no file system in memory: the rows that ask for it were measured on the disk")
    return {"rows": rows, "rounds": found, "notes": notes}


@inlineCallbacks
def one_round(number: int) -> Any:
    """Every contender once, in rotated order: {size: {contender: its figures}}."""
    outcome: dict[str, dict[str, Any]] = {}
    for name, pad in SIZES if number % 2 == 0 else reversed(SIZES):
        pins = ("split", "none") if name == "small" and (os.cpu_count() or 1) > 1 else ()
        contenders = ["same", "memory", "plain", "boardgame", *pins]
        shift = number % len(contenders)
        figures = outcome[name] = {}
        for contender in contenders[shift:] + contenders[:shift]:
            salt = f"round {number} {name} {contender}"
            if contender == "boardgame":
                figures[contender] = yield threads.deferToThread(boardgame, state_size(pad) if pad else 0)
            elif contender == "memory":
                figures[contender] = yield duel(pad, salt, files=MEMORY)
            elif contender == "plain":
                figures[contender] = yield duel(pad, salt, plain=True)
            else:
                figures[contender] = yield duel(pad, salt, contender)
    return outcome


def state_size(pad: int) -> int:
    """Bytes of the counter's state."""
    return len(engine.canonical(bench_games.setup({"goal": 1, "pad": pad, "cards": 0}, 2, b"")))


def spread(values: list[float]) -> str:
    return f"{median(values):.2f} x ({min(values):.2f} to {max(values):.2f})"


def against_floor(results: list[dict[str, float]], key: str) -> str:
    return spread([each[key] / each["floor"] for each in results])


def _duel_rows(name: str, size: int, rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    results = [each["same"] for each in rounds]

    def middle(key: str) -> float:
        return median([each[key] for each in results])

    parts = ", ".join(f"{key} {middle(key) * 1e6:.0f}" for key in ("rtt", "sign", "verify", "digests", "journal"))
    label = f"{name} state ({size} B)"
    rows = [
        {"what": f"{label}: action against floor", "figure": f"{against_floor(results, 'latency')}, goal 1.5"},
        {"what": f"{label}: minimal lockstep against floor", "figure": against_floor(results, "control")},
        {"what": f"{label}: p99 against floor", "figure": f"{against_floor(results, 'p99')}, goal 3"},
        {"what": f"{label}: the floor's own p99", "figure": against_floor(results, "floor p99")},
        {"what": f"{label}: floor in µs", "figure": f"{middle('floor') * 1e6:.0f} = {parts}"},
        {"what": f"{label}: bytes per action and peer", "figure": f"{middle('bytes'):.0f}, goal 1,000"},
        {"what": f"{label}: moves/s", "figure": f"{middle('moves'):,.0f}"},
    ]
    goal = 1.5 if name == "small" else 3
    for contender, key, meant in (
        ("memory", "moves", f"goal {goal}; journals in memory, as boardgame.io's"),
        ("same", "moves", "every move on the disk"),
        ("same", "control moves", "the minimal lockstep, every move on the disk"),
        ("plain", "moves", "without TLS, signatures and fsync"),
    ):
        ratios = [each[contender][key] / each["boardgame"] for each in rounds if each["boardgame"] is not None]
        figure = f"{spread(ratios)}, {meant}" if ratios else "skipped: Node or the package is missing"
        rows.append({"what": f"{label}: moves/s against boardgame.io", "figure": figure})
    return rows


def _pin_rows(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with the two nodes on two cores, and wherever the system puts them; for orientation."""
    rows = []
    for pin, meant in (("split", "a core each"), ("none", "not pinned")):
        results = [each[pin] for each in rounds if pin in each]
        if results:
            figure = f"{against_floor(results, 'latency')}, p99 {against_floor(results, 'p99')}"
            rows.append({"what": f"small state, {meant}: action against floor", "figure": figure})
    return rows


def proof_times(cards: int, peers: int) -> tuple[float, float, float]:
    """Milliseconds of processor time: keys and escrow of one peer, to prove a shuffle, to check one."""
    prove, check, _ = bench_sealed.shuffle(cards, bench_sealed.usual)
    return bench_sealed.set_up(peers), prove, check


def proofs_alone(cards: int, peers: int, pool: ProcessPoolExecutor, cores: int) -> float:
    """Milliseconds that all proofs of a set-up take at least: one shuffle after the other, or all cores' full work.

    The first is measured with one core at work, the second with all of them: they may share more than the name.
    """
    keys, prove, check = proof_times(cards, peers)
    chain = keys + peers * (prove + check)  # keys are made by every peer at the same time
    everywhere = pool.map(proof_times, [cards] * cores, [peers] * cores)
    keys, prove, check = (sum(column) / cores for column in zip(*everywhere, strict=True))
    return max(chain, peers * (keys + prove + (peers - 1) * check) / cores)


def _setup_rows() -> list[dict[str, Any]]:
    """Each set-up beside proofs measured before and after it: the machine's speed changes from second to second."""
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores) as pool:
        return [_setup_row(cards, peers, pool, cores) for cards in (36, 108) for peers in (2, 3, 4, 5)]


def _setup_row(cards: int, peers: int, pool: ProcessPoolExecutor, cores: int) -> dict[str, Any]:
    times, floors = [], []
    for number in range(SETUPS):
        before = proofs_alone(cards, peers, pool, cores)
        times.append(setup_time(cards, peers, f"set-up {cards} {peers} {number}") * 1000)
        floors.append((before + proofs_alone(cards, peers, pool, cores)) / 2)
    ratios = [took / floor for took, floor in zip(times, floors, strict=True)]
    figure = f"{spread(ratios)}, goal 1.3 ({median(times):.0f} ms; proofs alone {median(floors):.0f})"
    return {"what": f"set-up, {cards} cards, {peers} peers", "figure": figure}


if __name__ == "__main__":
    report = run(int(sys.argv[1]) if len(sys.argv) > 1 else 3, 0)
    for row in report["rows"]:
        print(f"{row['what']:50} {row['figure']}")
