"""A whole exploration: every start, every fault at every point, then pairs of faults, then random schedules.

The parts are run by a few processes that share nothing; what they found is added up here, with the shortest trace of
each kind. `python -m tests.explore` and `scripts/explore` are its command. A campaign that was stopped can go on later
(`done.py`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import TypeAlias

from tests.worlds.quick_algebra import remembered

from . import chance
from .done import Done
from .findings import Finding, Tally, Trace
from .grammar import faults, kind_of, liars
from .memory import Memory
from .search import Search
from .starts import STARTS, Liars, start
from .world import Step

Result: TypeAlias = "AsyncResult[tuple[Part, Tally]]"
DEPTH = 8
SHALLOW = {"shuffle of four": 5, "turn of five": 4, "vote of five": 4}  # more peers: many more orders, each dearer
PAIR_DEPTH = 4
SHARE = 16  # searches with pairs of faults in one part: what is under way when the time is up does not count
BATCH = 40  # random schedules in one part
NEWS = 5  # seconds between two lines about how it goes
PAIRED = ("reboot", "crash", "lose", "disk")  # what a second fault adds most to


@dataclass(frozen=True)
class Part:
    """A share of the work: searches at one start, or random schedules."""

    name: str
    liars: Liars = None
    plans: tuple[tuple[Step, ...], ...] = ()  # faults of each search
    depth: int = DEPTH
    leaves: int = 12
    seconds: float = 1e9
    seed: int | None = None  # of random schedules, at all starts if `name` is empty


_memory: tuple[object, Memory] | None = None  # of this process: the searches from one start meet the same hosts


def _memory_of(part: Part) -> Memory:
    global _memory
    key = part.name, part.liars
    if _memory is None or _memory[0] != key or _memory[1].is_large:
        _memory = key, Memory()
    return _memory[1]


def run(part: Part) -> tuple[Part, Tally]:
    """Do one share."""
    tally = Tally()
    with remembered():
        if part.seed is not None:
            names = (part.name,) if part.name else STARTS
            return part, chance.explore(part.seed, BATCH, names, part.seconds)
        memory = _memory_of(part)
        for plan in part.plans:
            search = Search(part.name, part.liars, plan, part.depth, part.leaves, part.seconds, memory)
            tally.add(search.run())
            tally.incomplete += not search.is_complete
    return part, tally


def single(names: tuple[str, ...], depth: int, seconds: float, leaves: int = 12) -> Iterator[Part]:
    """No fault, and each fault of the grammar at every point."""
    for name in names:
        for liar in liars(name):
            plans: list[tuple[Step, ...]] = [(), *((fault,) for fault in faults(start(name, liar)))]
            for plan in plans:
                yield Part(name, liar, (plan,), min(depth, SHALLOW.get(name, depth)), leaves, seconds)


def pairs(names: tuple[str, ...], depth: int, seconds: float, leaves: int = 4) -> Iterator[Part]:
    """Two faults at every two points: any fault, then one that takes memory, links or the disk away."""
    for name in names:
        for liar in liars(name):
            first = faults(start(name, liar))
            second = [step for step in _befalling(name, liar) if step[0] in PAIRED]
            plans = [(a, b) for a in first for b in second if kind_of(a) != kind_of(b)]
            for begin in range(0, len(plans), SHARE):
                yield Part(name, liar, tuple(plans[begin : begin + SHARE]), depth, leaves, seconds)


def _befalling(name: str, liars: Liars) -> list[Step]:
    honest = [host.number for host in start(name, liars).honest]
    return [step for step in faults(start(name)) if step[1] in honest]


def batches(names: tuple[str, ...], seed: int) -> Iterator[Part]:
    """Random schedules without end."""
    while True:
        for name in names if names != STARTS else ("",):
            yield Part(name, seed=seed)
            seed += BATCH


class Campaign:
    """Runs parts until they or the time are over, and tells how it goes."""

    def __init__(self, jobs: int, until: float, traces: Path | None = None, is_resumed: bool = False) -> None:
        self.tally = Tally()
        self.by_start: dict[str, Tally] = {}
        self._depths: dict[str, int] = {}
        self._jobs = jobs
        self._until = until
        self._traces = traces  # where findings are kept as soon as there are any; without it nothing is said
        self._done = Done(traces / "done.jsonl") if traces else None
        self._is_resumed = is_resumed  # what is done already is not done again
        self._parts = [0, 0, 0]  # ended, taken from the file, in all if that is known
        self._begun = time.monotonic()
        self._said = 0.0

    def run(self, parts: Iterable[Part]) -> bool:
        """True if all parts were done in time."""
        self._parts[2] += len(parts) if isinstance(parts, Sized) else 0
        with multiprocessing.get_context("fork").Pool(self._jobs, _ignore_interrupts) as pool:
            waiting: list[Result] = []
            for part in parts:
                if self._is_known(part):
                    continue
                if time.monotonic() >= self._until:
                    pool.terminate()
                    return False
                waiting.append(pool.apply_async(run, (part,)))
                while len(waiting) >= self._jobs:
                    waiting = self._collect(waiting)
            while waiting:
                if time.monotonic() >= self._until:
                    pool.terminate()
                    return False
                waiting = self._collect(waiting)
        return True

    def _is_known(self, part: Part) -> bool:
        tally = self._done.tally(part) if self._done and self._is_resumed else None
        if tally is None:
            return False
        self._parts[1] += 1
        self._count(part, tally)
        return True

    def _collect(self, waiting: list[Result]) -> list[Result]:
        waiting[0].wait(0.2)
        rest = []
        for result in waiting:
            if result.ready():
                self._add(*result.get())
            elif time.monotonic() < self._until:
                rest.append(result)
        return rest

    def _add(self, part: Part, tally: Tally) -> None:
        new = [key for key in tally.findings if key not in self.tally.findings]
        self._parts[0] += 1
        self._count(part, tally)
        if self._done is not None:
            self._done.add(part, tally)
        if self._traces is None:
            return
        for key in new:
            path = tally.findings[key].write(self._traces / "whole")
            print(f"  found: {key}\n    scripts/explore --replay {path}", flush=True)
        spent = time.monotonic() - self._begun
        if spent > self._said + NEWS or sum(self._parts[:2]) == self._parts[2]:
            self._said = spent
            print(f"{spent:7.0f} s  {part.name or 'random':16} {self._how_far()}", flush=True)

    def _count(self, part: Part, tally: Tally) -> None:
        self.tally.add(tally)
        self.by_start.setdefault(part.name or "random", Tally()).add(tally)
        if part.seed is None:
            self._depths[part.name] = part.depth

    def _how_far(self) -> str:
        ended, known, every = self._parts
        before = f" ({known:,} of them before)" if known else ""
        of = f" of {every:,}" if every >= ended + known else ""
        total = self.tally
        return (
            f"{ended + known:,}{of} parts{before}, {total.schedules:,} schedules, {total.deliveries:,} deliveries, "
            f"{total.states:,} states, {len(total.findings)} findings"
        )

    def summary(self) -> str:
        """What was explored, by start."""
        lines = []
        for name, tally in sorted(self.by_start.items()):
            depth = f"depth {self._depths[name]}" if name in self._depths else ""
            lines.append(
                f"{name:16} {depth:8} {tally.schedules:>15,} schedules {tally.deliveries:>12,} deliveries "
                f"{tally.states:>10,} states {tally.executed:>10,} run by sessions  {tally.incomplete} cut short"
            )
        endings = ", ".join(f"{word}: {count}" for word, count in self.tally.endings.most_common())
        total = self.tally
        lines.append(
            f"in all {total.schedules:,} schedules, {total.deliveries:,} deliveries, {total.states:,} distinct states"
        )
        lines.append(f"fair phases: {endings}")
        if self._parts[1]:
            lines.append(f"{self._parts[1]:,} of {sum(self._parts[:2]):,} parts were done before and are in these sums")
        return "\n".join(lines)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def shown(found: dict[str, Finding], directory: Path) -> None:
    """Each finding with its shortened trace, which is written to a file; those that are one when short are one."""
    known: set[str] = set()
    for finding in found.values():
        with remembered():
            short = finding.shortened()
        if short.signature in known:
            continue
        known.add(short.signature)
        print(f"{short.signature}\n    {short.text}")
        print(f"    {len(short.trace.steps)} steps, found after {finding.deliveries:,} deliveries")
        print(f"    scripts/explore --replay {short.write(directory)}", flush=True)


def replay(path: Path) -> int:
    """Play a trace again; 1 if it still breaks a promise."""
    trace = Trace.from_json(path.read_text(encoding="utf-8"))
    world = trace.play()
    for step in trace.steps:
        print("  ", *step)
    for promise, text in world.findings:
        print(f"{promise}: {text}")
    if not world.findings:
        print("nothing is found")
    return 1 if world.findings else 0


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="explore", description="Explore schedules of real sessions for broken promises."
    )
    parser.add_argument("--hours", type=float, default=0.1, help="how long (default 0.1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--start", choices=STARTS, action="append", help="only from here; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of the random schedules (default 1)")
    parser.add_argument("--depth", type=int, default=DEPTH, help=f"of the exhaustive part (default {DEPTH})")
    parser.add_argument("--leaves", type=int, default=12, help="ends of each search that are played on (default 12)")
    parser.add_argument("--seconds", type=float, default=60, help="for each search before it is cut short (default 60)")
    parser.add_argument("--random", action="store_true", help="random schedules only")
    parser.add_argument("--orders", action="store_true", help="all orders with one fault only")
    parser.add_argument("--resume", action="store_true", help="leave out what is done already, but add it to the sums")
    parser.add_argument(
        "--traces", type=Path, default=Path("build/explore"), help="folder for traces and the list of what is done"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="play a trace again")
    chosen = parser.parse_args(arguments)
    if chosen.replay:
        return replay(chosen.replay)
    names = tuple(chosen.start or STARTS)
    campaign = Campaign(chosen.jobs, time.monotonic() + chosen.hours * 3600, chosen.traces, chosen.resume)
    try:
        in_time = chosen.random or campaign.run([*single(names, chosen.depth, chosen.seconds, chosen.leaves)])
        if in_time and not chosen.random and not chosen.orders:
            campaign.run([*pairs(names, PAIR_DEPTH, 20)])
        if not chosen.orders:
            campaign.run(batches(names, chosen.seed))
        elif not in_time:
            print("the time was up before all orders were explored: with --resume it goes on from here")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print(campaign.summary())
    shown(campaign.tally.findings, chosen.traces)
    return 1 if campaign.tally.findings else 0
