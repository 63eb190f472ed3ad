"""Every pair of router kinds, so many tries each: which way two nodes find, and after how long.

`python -m tests.netns.holes --into FILE` goes through all kinds of routers, what they do with strangers' calls, and the
two latencies; it needs root and iptables. Each try is a line of JSON in FILE; tries that are there already are not made
again, so it can be ended at any time, and goes on where it was. `--seconds 300` ends it after the try in which they
are over; `--summary` only prints what FILE has. The lobby and the routers' outsides share one switch.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import combinations_with_replacement, product
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.lobby.child import LobbyProcess

from .wires import ROOT, Router, Strangers, Wires, wires

ONCE = 20.0  # seconds for one try
START_TIME = 120.0  # seconds for a process to come up on a busy machine
LOBBY = "203.0.113.10"
DIRECT = ("punched", "lan", "direct")


def is_possible(one: Router, other: Router) -> bool:
    """Whether a hole can be made, by trials: not if a port that is not known in advance must be called exactly."""
    kinds = {one, other}
    return not (kinds <= {Router.SYMMETRIC} or kinds == {Router.SYMMETRIC, Router.PORT_RESTRICTED})


@dataclass(frozen=True)
class Cell:
    """One combination."""

    one: Router
    other: Router
    strangers: Strangers
    delay: int  # milliseconds that every packet outside takes

    @property
    def name(self) -> str:
        return f"{self.one.value} – {self.other.value}, strangers {self.strangers.value}, {self.delay} ms"


@dataclass
class Try:
    """What one try gave; seconds are counted from when both know of each other."""

    cell: str
    way: str = "none"
    linked: float = -1.0
    best: float = -1.0
    load: float = -1.0  # processes that wanted to run when it began, on average of a minute
    holes: list[dict[str, object]] = field(default_factory=list)  # what both say of their attempts at one
    told: list[tuple[int, str, float]] = field(default_factory=list)  # which of the two told which way, and when


Line = tuple["RunningPeer", dict[str, object]]


class RunningPeer:
    """One peer process; a thread puts its lines into the queue of its pair."""

    def __init__(
        self,
        net: Wires,
        name: str,
        folder: Path,
        lines: Queue[Line],
        core: int | None = None,
        lobby: str = f"{LOBBY}:7460",
    ) -> None:
        command = [*net.inside(name), sys.executable, "-m", "tests.netns.hole_peer", str(folder), lobby, name]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        if core is not None:
            os.sched_setaffinity(self.process.pid, {core})
        self.way = ""
        self.address = ""
        self.since = 0.0
        self._lines = lines
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as out:
            for line in out:
                self._lines.put((self, json.loads(line)))
        self._lines.put((self, {"failed": "it ended"}))

    def until(self, word: str) -> dict[str, object]:
        """Its next line that says this, passing over others."""
        while True:
            peer, said = heard(self._lines, ONCE)
            if peer is self and word in said:
                return said

    def say(self, line: str) -> None:
        """An order."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def stop(self) -> None:
        """Hang up; it ends by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)
        self._reader.join()


def two_cores() -> tuple[int | None, int | None]:
    """A processor for each of the two, as two machines have; on one alone nothing of theirs ever happens at once."""
    cores = sorted(os.sched_getaffinity(0))
    return (cores[0], cores[-1]) if len(cores) > 1 else (None, None)


def heard(lines: Queue[Line], seconds: float) -> Line:
    """The next line of either peer; queue.Empty if there is none in time."""
    peer, said = lines.get(timeout=seconds)
    if "failed" in said:
        raise RuntimeError(str(said["failed"]))
    return peer, said


def one_try(cell: Cell, peers: list[RunningPeer], lines: Queue[Line]) -> Try:
    """Two fresh nodes; it is over when both have a direct way, or a hole was missed, or after ONCE."""
    found = Try(cell.name, load=round(os.getloadavg()[0], 1))
    for peer in peers:
        peer.way, peer.since = "", 0.0
    peers[0].say("host")
    peers[1].say(f"join {peers[0].until('code')['code']}")
    began = 0.0
    wants = 0
    end = time.monotonic() + ONCE
    while time.monotonic() < end and not (peers[0].way == peers[1].way and peers[0].way in DIRECT):
        try:
            peer, said = heard(lines, 0.5)
        except Empty:
            continue
        if "wants" in said:
            wants += 1
            began = time.monotonic() if wants == len(peers) else began
        if "hole" in said:
            found.holes.append(said)
        if "way" in said:
            peer.way, peer.address, peer.since = str(said["way"]), str(said["address"]), time.monotonic()
            found.told.append((peers.index(peer), peer.way, round(peer.since - began, 2) if began else -1.0))
            if found.linked < 0 and all(each.way not in ("", "none") for each in peers):
                found.linked = round(time.monotonic() - began, 2)
        if [hole["hole"] for hole in found.holes].count("missed") == 2 and found.linked >= 0:
            break
    ways = {peer.way for peer in peers}
    found.way = ways.pop() if len(ways) == 1 else "differs"
    found.best = round(max(peer.since for peer in peers) - began, 2)
    for peer in peers:
        peer.say("stop")
        peer.until("stopped")
    return found


def build(net: Wires, cell: Cell) -> None:
    """The lobby and two machines behind their routers."""
    outside = {"lobby": f"{LOBBY}/24"}
    net.add("lobby")
    machines = list(zip(("anna", "bruno"), (cell.one, cell.other), strict=True))
    for number, (name, kind) in enumerate(machines, 1):
        net.add(name)
        if kind is not Router.OPEN:
            net.add(f"r{number}")
        outside[name if kind is Router.OPEN else f"r{number}"] = f"203.0.113.{number}/24"
    if cell.delay:
        net.slow_switch(cell.delay / 1000, 0.0, outside)
    else:
        net.switch("switch")
        for name, address in outside.items():
            net.plug(name, "switch", address)
    for number, (name, kind) in enumerate(machines, 1):
        if kind is not Router.OPEN:
            net.hide(name, f"r{number}", f"192.168.{number}.", kind, cell.strangers)


def refit(net: Wires, cell: Cell, is_first: bool) -> None:
    """The routers get the rules of this cell, and forget who was called before."""
    for number, kind in enumerate((cell.one, cell.other), 1):
        if kind is not Router.OPEN and is_first:
            net.rule(f"r{number}", f"192.168.{number}.2", kind, cell.strangers)
        elif kind is Router.ADDRESS_RESTRICTED:
            net.forget_calls(f"r{number}")


def tries_of(cells: Sequence[Cell], tries: Callable[[Cell], int]) -> Iterator[tuple[Cell, Try]]:
    """So many tries of cells that differ only in what becomes of strangers; none at all costs nothing."""
    if not any(tries(cell) > 0 for cell in cells):
        return
    with tempfile.TemporaryDirectory() as folder, wires() as net:
        build(net, cells[0])
        lobby = LobbyProcess(Path(folder) / "lobby", 0, "--listen", "0.0.0.0:7460", prefix=net.inside("lobby"))
        peers: list[RunningPeer] = []
        lines: Queue[Line] = Queue()
        try:
            for name, core in zip(("anna", "bruno"), two_cores(), strict=True):
                peers.append(RunningPeer(net, name, Path(folder) / name, lines, core))
            for _ in peers:
                heard(lines, START_TIME)  # both are ready
            for cell in cells:
                for number in range(tries(cell)):
                    refit(net, cell, number == 0)
                    yield cell, one_try(cell, peers, lines)
        finally:
            for peer in peers:
                peer.stop()
            lobby.stop()


def summary(cell: Cell, tries: list[Try]) -> str:
    """One line for a cell."""
    linked, best = (sorted(times) for times in zip(*((each.linked, each.best) for each in tries), strict=True))
    middle = len(tries) // 2
    ways = ", ".join(f"{way} {count}" for way, count in Counter(each.way for each in tries).most_common())
    apart = sorted(
        1000 * float(str(hole["seconds"])) / int(str(hole["calls"]))
        for each in tries
        for hole in each.holes
        if int(str(hole["calls"])) > 5
    )
    calls = f", calls every {apart[0]:.1f} to {apart[-1]:.1f} ms" if apart else ""
    wanted = "direct" if is_possible(cell.one, cell.other) else "relay"
    return (
        f"{cell.name}: wanted {wanted}, found {ways}; linked after {linked[middle]:.1f} s, {linked[-1]:.1f} s at most; "
        f"best way after {best[middle]:.1f} s, {best[-1]:.1f} s at most{calls}"
    )


def read(file: Path) -> dict[str, list[Try]]:
    """The tries of a file, by cell."""
    found: dict[str, list[Try]] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        each = Try(**json.loads(line))
        found.setdefault(each.cell, []).append(each)
    return found


def total(cells: list[Cell], found: dict[str, list[Try]]) -> str:
    """What all of it comes to."""
    possible = [each for cell in cells if is_possible(cell.one, cell.other) for each in found.get(cell.name, ())]
    others = [each for cell in cells if not is_possible(cell.one, cell.other) for each in found.get(cell.name, ())]
    direct = sum(each.way in DIRECT for each in possible)
    relayed = sum(each.way == "relay" for each in others)
    late = sum(not 0 <= each.linked <= 10 for each in (*possible, *others))
    return (
        f"{direct} of {len(possible)} direct where that is possible, {relayed} of {len(others)} through the relay "
        f"where not; {late} tries were not linked within ten seconds; {len(found)} of {len(cells)} cells"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=Path("holes.jsonl"), help="the file of tries")
    parser.add_argument("--tries", type=int, default=5, help="for each cell")
    parser.add_argument("--hard-tries", type=int, default=20, help="where both are port restricted")
    parser.add_argument("--delays", default="0,50", help="milliseconds that every packet outside takes, with commas")
    parser.add_argument("--strangers", default="dropped,rejected,answered", help="what becomes of strangers' calls")
    parser.add_argument("--kinds", default="", help="only pairs of these kinds of routers, with commas")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further try after this time")
    parser.add_argument("--jobs", type=int, default=1, help="cells at once")
    parser.add_argument("--summary", action="store_true", help="print what the file has, and end")
    chosen = parser.parse_args()
    kinds = [kind for kind in Router if not chosen.kinds or kind.value in chosen.kinds.split(",")]
    cells = [
        Cell(one, other, Strangers(strangers), int(delay))
        for (one, other), strangers, delay in product(
            combinations_with_replacement(kinds, 2), chosen.strangers.split(","), chosen.delays.split(",")
        )
    ]
    until = time.monotonic() + chosen.seconds
    found = read(chosen.into)

    def missing(cell: Cell) -> int:
        hard = cell.one is cell.other is Router.PORT_RESTRICTED
        wanted: int = chosen.hard_tries if hard else chosen.tries
        return wanted - len(found.get(cell.name, ()))

    def work(group: list[Cell]) -> None:
        if time.monotonic() < until and not chosen.summary:
            for cell, each in tries_of(group, missing):
                found.setdefault(cell.name, []).append(each)
                with chosen.into.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(each)) + "\n")
                if time.monotonic() >= until:
                    break
        for cell in group:
            if found.get(cell.name):
                print(summary(cell, found[cell.name]), flush=True)

    groups: dict[tuple[Router, Router, int], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.one, cell.other, cell.delay), []).append(cell)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(work, groups.values()))
    print(total(cells, found))


if __name__ == "__main__":
    main()
