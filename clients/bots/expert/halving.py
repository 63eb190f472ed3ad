"""The search: lines are compared in the same worlds, and the worse half is dropped again and again.

Successive halving with common random numbers. Each stage plays the lines that are left in worlds that none of them has
met, and keeps those with the better sums. What is asked of the workers in a stage depends on the budget alone, never on
how many there are or which is first, so a budget in continuations gives the same choice everywhere.

**What speaks for a line.** Its gains against the first line, the one of a skilled player, world by world; and what the
plan of that player thinks of it, which counts as much as some worlds: few continuations say less about two lines than
the plan does, many say more. The first line is never dropped. Another one is taken instead if its gains are more than
chance may bring: some part of their standard error, which few worlds alone do not tell (two that agree say nothing), so
that the usual spread of a gain is counted as if it had been seen twice more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

Job = tuple[int, int]  # line, world
Judge = Callable[[Sequence[Job]], list[int]]  # what each job is worth
FIRST = 2  # worlds of the first look, by which time is measured
USUAL, SEEN = 500, 2  # the usual spread of a gain in one world, in ten-thousandths, and how often it is counted as seen


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

    def __init__(
        self,
        judge: Judge,
        lines: int,
        *,
        nodes: int = 0,
        seconds: float = 0.0,
        opinions: Sequence[int] = (),
        doubt: int = 50,
    ) -> None:
        """`opinions`: gains that the plan expects, as a sum over worlds; `doubt`: per cent of the standard error."""
        self._judge = judge
        self._alive = list(range(lines))
        self._nodes = nodes
        self._until = time.monotonic() + seconds if seconds else None
        self._opinions = opinions or [0] * lines
        self._doubt = doubt
        self._values: list[list[int]] = [[] for _ in range(lines)]
        self._worlds = 0

    def run(self) -> list[LineVerdict]:
        """The lines, the best first."""
        left = self._nodes
        if self._until is not None:
            left = self._measured()
        stages = max(1, min((len(self._alive) - 1).bit_length(), left // len(self._alive)))
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
        """Whether what speaks for a line is more than chance may bring; all squared, in whole numbers."""
        gains = [ours - first for ours, first in zip(self._values[line], self._values[0], strict=False)]
        seen, worlds = sum(gains), len(gains)
        total = seen + self._opinions[line]
        if total <= 0:
            return False
        spread = sum(gain * gain for gain in gains) - seen * seen // worlds + SEEN * USUAL * USUAL
        return total * total * (worlds + SEEN - 1) * 10_000 >= self._doubt * self._doubt * worlds * spread

    def _ranked(self) -> list[int]:
        return self._by_worth(self._alive)

    def _by_worth(self, lines: Sequence[int]) -> list[int]:
        return sorted(lines, key=lambda line: (-self._speaks_for(line), line))

    def _speaks_for(self, line: int) -> int:
        """The mean of what was seen and what the plan thinks, in thousandths of a ten-thousandth."""
        values = self._values[line]
        return 1000 * (sum(values) + self._opinions[line]) // max(1, len(values))

    def _verdict(self, line: int) -> LineVerdict:
        values = self._values[line]
        return LineVerdict(line, sum(values), len(values), sum(value * value for value in values))
