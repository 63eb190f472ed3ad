"""What an exploration found: traces that can be played again, made short; and how much was explored."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .fair import Fair
from .grammar import ORDINARY, kind_of
from .starts import Liars, start
from .world import Step, World

FEW = 2  # causes that are told apart; longer lists would make every finding one of its own
SHORTEN_SECONDS = 30.0  # for one trace, at most


@dataclass(frozen=True)
class Trace:
    """A schedule: where it begins, who lies, the steps; with `fair` the fair end that follows, by its seed."""

    start: str
    liars: Liars
    steps: tuple[Step, ...]
    fair: int | None = None

    def play(self) -> World:
        """Run it with fresh sessions; what was found is in the world."""
        world = start(self.start, self.liars)
        for step in self.steps:
            world.do(step)
            if world.is_broken:
                return world
        if self.fair is not None:
            Fair(world, self.fair).run()
        return world

    def to_json(self) -> str:
        return json.dumps(
            {"start": self.start, "byzantine": self.liars, "steps": self.steps, "fair": self.fair}, indent=1
        )

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """RuntimeError for anything that is not a trace."""
        raw = json.loads(text)
        liars = raw["byzantine"]
        liars = tuple(liars) if isinstance(liars, list) else liars
        return cls(raw["start"], liars, tuple(tuple(step) for step in raw["steps"]), raw["fair"])


@dataclass(frozen=True)
class Finding:
    """A promise that a schedule breaks."""

    promise: str
    text: str
    trace: Trace
    deliveries: int = 0  # that had been explored from this start when it was found

    @property
    def kind(self) -> str:
        """What is broken, without numbers and hashes."""
        words = re.sub(r"[0-9a-f]{6,}|\d+", "#", self.text)
        return f"{self.promise} {re.sub(r'with .#.*|: # at.*', '', words)}"

    @property
    def causes(self) -> tuple[str, ...]:
        """The words for what went wrong in its schedule."""
        return tuple(sorted({kind_of(step) for step in self.trace.steps if step[0] not in ORDINARY}))

    @property
    def signature(self) -> str:
        """Equal for findings that most likely have one cause."""
        causes = ", ".join(self.causes) if len(self.causes) <= FEW else "several faults"
        return f"{self.kind} after {causes or 'nothing'} at {self.trace.start}"

    def shortened(self) -> Finding:
        """The same with as few steps as still show it; a trace that does not show it again is kept as it is."""
        steps = list(self.trace.steps)
        until = time.monotonic() + SHORTEN_SECONDS
        size = max(1, len(steps) // 2)
        while size:
            position = 0
            while position < len(steps) and time.monotonic() < until:
                shorter = [*steps[:position], *steps[position + size :]]
                if self._shows(shorter):
                    steps = shorter
                else:
                    position += size
            size //= 2
        trace = Trace(self.trace.start, self.trace.liars, tuple(steps), self.trace.fair)
        texts = [text for promise, text in trace.play().findings if promise == self.promise]
        return Finding(self.promise, texts[0] if texts else self.text, trace, self.deliveries)

    def _shows(self, steps: Sequence[Step]) -> bool:
        trace = Trace(self.trace.start, self.trace.liars, tuple(steps), self.trace.fair)
        found = trace.play().findings
        return any(Finding(promise, text, trace).kind == self.kind for promise, text in found)

    def write(self, directory: Path) -> Path:
        """A file that `scripts/explore --replay` plays."""
        directory.mkdir(parents=True, exist_ok=True)
        words = re.sub(
            r"[^a-z0-9]+", "-", f"{self.trace.start} {self.promise} {' '.join(self.causes)} {self.kind}".lower()
        ).strip("-")
        path = directory / f"{words[:90]}.json"
        path.write_text(self.trace.to_json() + "\n", encoding="utf-8")
        return path


@dataclass
class Tally:
    """How much was explored, and what was found; tallies of several runs add up."""

    schedules: int = 0  # orders of steps, those that commute counted once each way
    states: int = 0
    deliveries: int = 0
    executed: int = 0  # inputs that a real session ran; the others were the same input in the same state again
    incomplete: int = 0  # searches that a budget cut short
    endings: Counter[str] = field(default_factory=Counter)  # how fair phases went
    findings: dict[str, Finding] = field(default_factory=dict)  # the first of each kind
    found: Counter[str] = field(default_factory=Counter)  # how often each

    def note(self, promise: str, text: str, trace: Trace) -> None:
        """Something was found."""
        finding = Finding(promise, text, trace, self.deliveries)
        self.found[finding.signature] += 1
        known = self.findings.get(finding.signature)
        if known is None or len(known.trace.steps) > len(trace.steps):
            self.findings[finding.signature] = finding

    def add(self, other: Tally) -> None:
        """Another run's share."""
        self.schedules += other.schedules
        self.states += other.states
        self.executed += other.executed
        self.incomplete += other.incomplete
        for key, finding in other.findings.items():
            known = self.findings.get(key)
            if known is None or len(known.trace.steps) > len(finding.trace.steps):
                self.findings[key] = Finding(
                    finding.promise, finding.text, finding.trace, self.deliveries + finding.deliveries
                )
        self.deliveries += other.deliveries
        self.endings += other.endings
        self.found += other.found
