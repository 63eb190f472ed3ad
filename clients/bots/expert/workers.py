"""Processes that work for the experts of one process, as many as there are cores.

What they are given is a duty (`parcels`), a value that all jobs share, and the jobs: tuples of further arguments.

Each is fed through its standard input and ends when that does: whoever started it may be killed at any moment, and
nothing is left behind. They are nice, so that a node stays quick while its bots think, and leave Ctrl-C to the one who
started them. A worker that dies is replaced by the process itself; the answers are the same.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from ..states import GameTypes
from .continuation import Question, worth
from .halving import Job
from .parcels import WorkerDuty, order, read, write

MOST = 8
Task = tuple[WorkerDuty, Any]  # what is to be done, and what all jobs share


def _question(types: GameTypes) -> Any:
    state, action = types
    return tuple[str, int, state, dict[int, int], int, bytes, tuple[tuple[action, ...], ...]]  # type: ignore[valid-type]


WORTH = WorkerDuty("expert.workers:WORTH", worth, Question, _question, lambda types: tuple[int, int], int)


class Workers:
    """Started when first asked; several threads may ask, one search is answered after the other."""

    def __init__(self, count: int | None = None) -> None:
        self._count = min(MOST, os.cpu_count() or 1) if count is None else count
        self._free: list[_Worker] = []
        self._lock = threading.Lock()
        self._is_started = False

    def judge(self, question: Question, jobs: Sequence[Job]) -> list[int]:
        """What each job is worth."""
        return self.each(WORTH, question, jobs)

    def each(self, duty: WorkerDuty, shared: Any, jobs: Sequence[tuple[Any, ...]], chunk: int = 4) -> list[Any]:
        """The duty's `function(shared, *job)` of every job, in their order; so many jobs are handed out at a time."""
        with self._lock:
            if not self._is_started:
                self._is_started = True
                self._free = [_Worker() for _ in range(self._count)]
            work = _Work((duty, shared), jobs, chunk)
            helpers = [threading.Thread(target=self._serve, args=(worker, work)) for worker in self._free]
            for helper in helpers:
                helper.start()
            for helper in helpers:
                helper.join()
            for start, part in work.parts():  # what no worker was left to do
                work.answers[start : start + chunk] = [duty.function(shared, *job) for job in part]
            return work.answers

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for worker in self._free:
                worker.close()
            self._free, self._is_started = [], False

    def _serve(self, worker: _Worker, work: _Work) -> None:
        """Hand out to one worker until nothing is left or it has died."""
        for start, part in work.parts():
            try:
                work.answers[start : start + len(part)] = worker.ask(work.task, part)
            except (OSError, EOFError, ValueError, msgspec.DecodeError):  # ValueError: its pipe was closed by `close`
                work.waiting.put(start)
                if worker in self._free:
                    self._free.remove(worker)
                    worker.close()
                return


class _Work:
    """Jobs that are handed out in parts, and their answers so far."""

    def __init__(self, task: Task, jobs: Sequence[tuple[Any, ...]], chunk: int) -> None:
        self.task = task
        self.answers: list[Any] = [None] * len(jobs)
        self.waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._jobs, self._chunk = jobs, chunk
        for start in range(0, len(jobs), chunk):
            self.waiting.put(start)

    def parts(self) -> Iterator[tuple[int, Sequence[tuple[Any, ...]]]]:
        """Parts to be done, each with the place of its first job, until none is left."""
        with suppress(queue.Empty):
            while True:
                start = self.waiting.get_nowait()
                yield start, self._jobs[start : start + self._chunk]


class _Worker:
    def __init__(self) -> None:
        command = (sys.executable, "-P", "-m", f"{__package__}.worker")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - us
        self._task: Task | None = None

    def ask(self, task: Task, jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Wait for its answers; what the jobs share is told once."""
        assert self._process.stdin is not None and self._process.stdout is not None
        is_new, self._task = self._task is not task, task
        duty, shared = task
        write(self._process.stdin, order(duty, shared, jobs, is_new))
        answers: list[Any] = read(self._process.stdout, list[duty.answer])  # type: ignore[name-defined]
        return answers

    def close(self) -> None:
        """Let it end, and wait until it has; in the middle of its work it is killed, for nobody wants the answer."""
        with suppress(OSError):
            self._process.stdin and self._process.stdin.close()
        try:
            self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout and self._process.stdout.close()  # last: a thread that reads it holds it until then
