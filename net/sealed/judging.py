"""Judging the messages of the open entry: light checks at once, heavy ones as jobs that anybody may run.

A message **waits** until it is ripe: everything that comes before it in its entry is applied. What can never fit is
judged at once, because the check refuses it. Then it is checked against the table as it stands. A good one is applied;
a wrong one convicts its author, with these exceptions:

- A message that this node no longer listens to (`Departures.is_heard`) is not judged, and a verdict that comes after
  this node has voted is thrown away: nothing of ours may rest on what our vote does not name.
- Nothing is judged in a shuffle with a forked message in it: it may continue the other version.
- A message of a departed peer that votes name and that proves wrong is as if it had never come: its author has left.
- A wrong message in an entry that was open at a departure is dropped without blame. The entry kept its old tip, so the
  message does not say which departure its author had closed when it signed; that author counts as silent.

A job that ends after its situation is over (a departure came between) changes nothing. A verdict about a table that has
moved on meanwhile is *stale*: the message still waits and is checked again.
"""

from __future__ import annotations

from collections.abc import Iterator

from .bodies import Cheat, Cmp
from .cards import Stale
from .checks import Verdict
from .departures import Departures
from .events import CheckJob, Event, SignedBody
from .forks import Forks
from .position import Position


class Judging:
    """Checks that are under way, and what comes of them."""

    def __init__(self, position: Position, forks: Forks, departures: Departures, inline: bool) -> None:
        self._position = position
        self._table = position.table
        self._forks = forks
        self._departures = departures
        self._inline = inline  # run heavy checks at once: verifier, tests
        self._flight: dict[bytes, CheckJob] = {}  # by hash of the message
        self._jobs: list[CheckJob] = []

    def judge_ripe(self) -> list[Event]:
        """Judge what waits and can be judged; what was found good may make more of it ripe."""
        events: list[Event] = []
        while entry := self._position.open:
            ripe = [signed for signed in entry.waiting.values() if self._is_ripe(signed)]
            if not ripe:
                break
            for signed in ripe:
                events += self._check(signed)
        return events

    def jobs(self) -> Iterator[CheckJob]:
        """Heavy checks to run now; each is handed out once, when the caller comes to it."""
        while self._jobs:
            yield self._jobs.pop(0)

    def finished(self, job: CheckJob, outcome: Verdict | Cheat) -> list[Event] | None:
        """The outcome of a job; None if the situation it was checked in is over."""
        if self._flight.get(job.signed.hash) is not job:
            return None  # it may be checked anew in another one
        del self._flight[job.signed.hash]
        if not self._departures.is_heard(job.signed):
            return []  # we have voted meanwhile, without naming it: nothing of ours may rest on it
        return list(self._judge(job.signed, outcome))

    def is_checking(self, signed: SignedBody) -> bool:
        """Whether a job for this message is under way."""
        return signed.hash in self._flight

    def drop_jobs(self) -> None:
        """A departure: whatever was being checked is checked anew when its entry goes on."""
        self._flight, self._jobs = {}, []

    def _is_ripe(self, signed: SignedBody) -> bool:
        if signed.hash in self._flight or not self._departures.is_heard(signed):
            return False
        if self._forks.are_rested_on():
            return False
        table = self._table
        return table.ripe(signed.peer, signed.body) or not table.belongs(signed.peer, signed.body)

    def _check(self, signed: SignedBody) -> Iterator[Event]:
        try:
            job = CheckJob(signed, self._table.check(signed.peer, signed.body))
        except Cheat as cheat:
            yield from self._judge(signed, cheat)
            return
        if self._inline or signed.own or not job.check.heavy:
            yield from self._judge(signed, job.run())
        else:
            self._flight[signed.hash] = job
            self._jobs.append(job)

    def _judge(self, signed: SignedBody, outcome: Verdict | Cheat) -> Iterator[Event]:
        entry = self._position.open
        if entry is None or entry.waiting.get(signed.key) is not signed:
            return
        if isinstance(outcome, Cheat):
            del entry.waiting[signed.key]
            if signed.hash in self._position.named:
                self._table.give_up(signed.peer)
            elif signed.h == self._position.tip:
                shown = [signed.raw]
                if isinstance(signed.body, Cmp) and outcome.peer != signed.peer:
                    shown.insert(0, entry.applied["esc", outcome.peer].raw)
                yield from self._forks.blame(outcome, tuple(shown))
            return
        try:
            self._table.commit(outcome)
        except Stale:
            return
        del entry.waiting[signed.key]
        entry.applied[signed.key] = signed
