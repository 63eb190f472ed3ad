"""The search: lines are compared in the same worlds, and the worse half is dropped again and again.

Successive halving with common random numbers. Each stage plays the lines that are left in worlds that none of them has
met, and keeps those with the better sums. What is asked of the workers in a stage depends on the budget alone, never on
how many there are or which is first, so a budget in continuations gives the same choice everywhere.

The first line is that of a skilled player. It is never dropped, and another one is taken instead only if it is better
by its standard error over the worlds that both have met, and by more if these are few: the best of many lines is often
just the luckiest, and two worlds in which it is say nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

Job = tuple[int, int]  # line, world
Judge = Callable[[Sequence[Job]], list[int]]  # what each job is worth
FIRST = 2  # worlds of the first look, by which time is measured
DOUBT = 6  # worlds in which a line might have been no better, beside those that it was met in


class LineVerdict(NamedTuple):
    """What the search found about one line: the sum of its worth, over how many worlds, and the sum of squares."""

    line: int
    total: int
    worlds: int
    squares: int

    @property
    def mean(self) -> int:
        return self.total // max(1, self.worlds)


class Halving:
    """One search over numbered lines; the first is the one that is taken where nothing speaks against it."""

    def __init__(self, judge: Judge, lines: int, *, nodes: int = 0, seconds: float = 0.0) -> None:
        self._judge = judge
        self._alive = list(range(lines))
        self._nodes = nodes
        self._until = time.monotonic() + seconds if seconds else None
        self._values: list[list[int]] = [[] for _ in range(lines)]
        self._worlds = 0

    def run(self) -> list[LineVerdict]:
        """The lines, the best first."""
        stages = max(1, (len(self._alive) - 1).bit_length())
        left = self._nodes
        if self._until is not None:
            left = self._measured()
        for stage in range(stages):
            share = left // (stages - stage)
            left -= self._look(max(1, share // len(self._alive)))
            if stage < stages - 1:
                half = self._ranked()[: -(-len(self._alive) // 2)]
                self._alive = half if 0 in half else [*half, 0]
            if self._is_late():
                break
        order = self._ranked()
        if not self._is_better(order[0]):
            order.remove(0)
            order.insert(0, 0)
        order += [line for line in self._by_worth(range(len(self._values))) if line not in order]
        return [self._verdict(line) for line in order]

    def _measured(self) -> int:
        """How many continuations fit into the time that is left."""
        assert self._until is not None
        begun = time.monotonic()
        done = self._look(FIRST)
        now = time.monotonic()
        return max(len(self._alive), int(done * (self._until - now) / max(0.001, now - begun)))

    def _is_late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _look(self, worlds: int) -> int:
        """Play every line that is left in so many new worlds; the number of continuations."""
        chunk = worlds
        if self._until is not None:
            chunk = max(1, worlds // 4)
        done = 0
        while done < worlds and not (done and self._is_late()):
            new = range(self._worlds, self._worlds + min(chunk, worlds - done))
            jobs = [(line, world) for world in new for line in self._alive]
            for (line, _), value in zip(jobs, self._judge(jobs), strict=True):
                self._values[line].append(value)
            self._worlds = new.stop
            done += len(new)
        return done * len(self._alive)

    def _is_better(self, line: int) -> bool:
        """Whether a line beats the first one by its standard error (the square of the sum is the sum of squares)."""
        gains = [ours - first for ours, first in zip(self._values[line], self._values[0], strict=False)]
        total, worlds = sum(gains), len(gains)
        return total > 0 and total * total * worlds >= sum(gain * gain for gain in gains) * (worlds + DOUBT)

    def _ranked(self) -> list[int]:
        return self._by_worth(self._alive)

    def _by_worth(self, lines: Sequence[int]) -> list[int]:
        return sorted(lines, key=lambda line: (-self._verdict(line).mean, line))

    def _verdict(self, line: int) -> LineVerdict:
        values = self._values[line]
        return LineVerdict(line, sum(values), len(values), sum(value * value for value in values))
