"""All orders of deliveries to a depth, with faults at every point; equal states are explored once.

The search goes breadth first, so what it finds has few steps. Deliveries to different nodes commute: both orders lead
to the same state, which is explored once, while the number of orders that lead there is counted. A fault does not
count as depth; one that changes nothing where it would happen is left out there, because from there on the search
without it says everything. States at the full depth (and those where nothing is left to happen) end with the fair
phase, which is a real run of every message; a quota of them, spread over all, keeps that within bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .fair import Fair
from .findings import Tally, Trace
from .memory import Memory
from .starts import Liars, start
from .world import Step, World

Path: TypeAlias = tuple[Any, ...] | None  # (path before, step)


@dataclass
class Node:
    """A state of the search: how it was reached, by how many orders, and how many of the faults are behind it."""

    world: World
    path: Path
    orders: int
    used: int

    def steps(self) -> tuple[Step, ...]:
        found: list[Step] = []
        path = self.path
        while path is not None:
            path, step = path
            found.append(step)
        return tuple(reversed(found))


class Search:
    """One start, one adversary or none, and the faults that are injected in this order, each at every point."""

    def __init__(
        self,
        name: str,
        liars: Liars,
        faults: Sequence[Step],
        depth: int,
        leaves: int = 20,
        seconds: float = 1e9,
        memory: Memory | None = None,
        is_enough: Callable[[Tally], bool] = lambda tally: False,
    ) -> None:
        self.name = name
        self.liars = liars
        self.faults = tuple(faults)
        self.depth = depth
        self.tally = Tally()
        self._quota = leaves
        self._until = time.monotonic() + seconds
        self._memory = memory or Memory()
        self._is_enough = is_enough
        self._seen: set[tuple[Any, ...]] = set()
        self.is_complete = True  # no budget has cut it short

    def run(self) -> Tally:
        """Explore; what was found is in the tally."""
        executed = self._memory.run
        world = start(self.name, self.liars).within(self._memory)
        level = {(0, *world.key()): Node(world, None, 1, 0)}
        leaves: list[Node] = []
        for _ in range(self.depth):
            level = self._with_faults(level)
            after: dict[tuple[Any, ...], Node] = {}
            for node in level.values():
                if self._is_over():
                    break
                if not any(list(self._expand(node, after))):
                    leaves.append(node)
            level = after
        leaves += self._with_faults(level).values()
        done = [node for node in leaves if node.used == len(self.faults)]
        self.tally.schedules += sum(node.orders for node in done)
        self._end(done)
        self.tally.executed += self._memory.run - executed
        return self.tally

    def _is_over(self) -> bool:
        """Whether the time is up, or enough was found."""
        is_over = time.monotonic() > self._until or (bool(self.tally.findings) and self._is_enough(self.tally))
        self.is_complete &= not is_over
        return is_over

    def _with_faults(self, level: dict[tuple[Any, ...], Node]) -> dict[tuple[Any, ...], Node]:
        """The level with, beside each state, those that the next faults make of it."""
        whole = dict(level)
        edge = level
        for _ in self.faults:
            after: dict[tuple[Any, ...], Node] = {}
            for node in edge.values():
                if node.used < len(self.faults):
                    self._take(node, self.faults[node.used], node.used + 1, after)
            whole.update((key, node) for key, node in after.items() if key not in whole)
            edge = after
        return whole

    def _expand(self, node: Node, after: dict[tuple[Any, ...], Node]) -> Iterator[bool]:
        for step in list(node.world.steps()):
            yield self._take(node, step, node.used, after)

    def _take(self, node: Node, step: Step, used: int, after: dict[tuple[Any, ...], Node]) -> bool:
        """One step from this state; False if it cannot happen."""
        world = node.world.branch()
        if not world.do(step):
            return False
        self.tally.deliveries += world.deliveries
        path = (node.path, step)
        if len(world.findings) > len(node.world.findings):
            trace = Trace(self.name, self.liars, Node(world, path, 1, used).steps())
            for promise, text in world.findings[len(node.world.findings) :]:
                self.tally.note(promise, text, trace)
        if world.is_broken:
            return True
        key = (used, *world.key())
        if used > node.used and key[1:] == node.world.key():
            return True  # a fault without an effect
        known = after.get(key)
        if known is not None:
            known.orders += node.orders
        elif key not in self._seen:
            self._seen.add(key)
            self.tally.states += 1
            after[key] = Node(world, path, node.orders, used)
        return True

    def _end(self, leaves: list[Node]) -> None:
        """The fair phase, for leaves spread over all of them."""
        every = max(1, len(leaves) // max(1, self._quota))
        for number, node in enumerate(leaves[::every]):
            if self._is_over():
                return
            world = node.world.alone()
            self.tally.endings[Fair(world, number).run()] += 1
            self.tally.deliveries += world.deliveries
            self.tally.executed += world.deliveries
            for promise, text in world.findings[len(node.world.findings) :]:
                self.tally.note(promise, text, Trace(self.name, self.liars, node.steps(), number))
