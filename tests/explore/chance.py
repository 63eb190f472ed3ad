"""Random schedules of any length from every start, with several faults in each, and the fair phase at their end."""

from __future__ import annotations

import random
import time

from .fair import Fair
from .findings import Tally, Trace
from .grammar import faults, kind_of, liars, misfortunes, wishes
from .starts import STARTS, start
from .world import Step, World

WEIGHTS = {"deliver": 8, "work": 8, "replay": 4, "notice": 2, "play": 2}
KINDS = 4  # of faults in one schedule, at most
DIALS = 0.06  # how often a step is a link that comes up, or a node that is started again
TICKS = 0.08


class Schedule:
    """One random schedule; everything follows from its seed."""

    def __init__(self, seed: int, names: tuple[str, ...] = STARTS) -> None:
        self._rng = random.Random(seed)
        self._seed = seed
        self.name = self._rng.choice(names)
        self.liars = self._rng.choice(liars(self.name))
        self._length = self._rng.choice((8, 20, 60, 150))
        self._rate = self._rng.choice((0.03, 0.1, 0.25))
        self.steps: list[Step] = []
        self.ending = ""

    def run(self) -> World:
        """Run it; the world has what was found."""
        world = start(self.name, self.liars)
        grammar = self._grammar(world)
        for _ in range(self._length):
            step = self._choose(world, grammar)
            if world.do(step):
                self.steps.append(step)
            if world.is_broken:
                return world
        self.ending = Fair(world, self._seed).run()
        return world

    def _grammar(self, world: World) -> list[Step]:
        """A few kinds of faults: with all of them in one schedule, one would hide the other."""
        everything = [*faults(world), *(misfortunes(world) + wishes(world) if self.liars is not None else [])]
        kinds = sorted({kind_of(step) for step in everything})
        chosen = set(self._rng.sample(kinds, self._rng.randint(1, KINDS)))
        return [step for step in everything if kind_of(step) in chosen]

    def _choose(self, world: World, grammar: list[Step]) -> Step:
        rng = self._rng
        luck = rng.random()
        if luck < self._rate:
            return rng.choice(grammar)
        if luck < self._rate + DIALS:
            a, b = rng.sample(range(len(world.hosts)), 2)
            return rng.choice([("restart", a), ("link", min(a, b), max(a, b))])
        possible = list(world.steps())
        if not possible or luck < self._rate + DIALS + TICKS:
            return "tick", rng.randrange(len(world.hosts)), 0.5
        step = rng.choices(possible, [WEIGHTS[step[0]] for step in possible])[0]
        return (*step, rng.randrange(1000)) if step[0] == "play" else step


def explore(seed: int, count: int, names: tuple[str, ...] = STARTS, seconds: float = 1e9) -> Tally:
    """So many schedules with seeds from this one on."""
    tally = Tally()
    until = time.monotonic() + seconds
    for number in range(seed, seed + count):
        if time.monotonic() > until:
            break
        schedule = Schedule(number, names)
        world = schedule.run()
        tally.schedules += 1
        tally.deliveries += world.deliveries
        tally.executed += world.deliveries
        tally.endings[schedule.ending or "found"] += 1
        fair = number if schedule.ending else None
        for promise, text in world.findings:
            tally.note(promise, text, Trace(schedule.name, schedule.liars, tuple(schedule.steps), fair))
    return tally
