"""Judges on this machine: processes that are given one file each, and replaced when they die.

A thread serves each process: it takes the next file, sends it, waits for the answer. The rules, in order:

1. A process that ends, or answers nonsense, costs only the file it had. That file is tried again in a new process.
2. After `TRIES` such ends the file is not judged; whatever it does to a process, it does to nobody else.
3. A process that has one file for longer than the time limit, or that used more of a processor than its order allows,
   is ended. That file is not tried again: it would only take as long once more.
4. A process that ends before it says that it is ready was not ended by a file. If that happens `TRIES` times in a row,
   this machine cannot start judges, and the run stops with what is known about it.
5. The same holds for a process that judges by other rules, data or program than we do: Kontor was updated while the
   run went on, and half of an archive would be judged, and remembered, by something else.

Processes are fed through their standard input and end when that does: whoever started them may be killed at any moment,
and nothing is left behind. They stand in a session of their own, so that Ctrl-C reaches the driver alone, which ends
them. What an attacker would try: a file that makes a judge crash, hang, or eat all memory until the system kills it
(rules 1 to 3).
"""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Protocol

import msgspec
from msgspec import Struct

from kontor_games.engine.errors import StoreError
from kontor_games.net.system import child

from .judge_identity import differences, judge_identity
from .order_pipe import FileOrder, JudgeReady, read, read_bytes, write

TRIES = 3
TIME_LIMIT = 900.0  # seconds for one file: the costliest one within the bounds takes some minutes
AHEAD = 32  # files for each process that may be waiting or answered beyond the oldest one that is not
_OVER_CPU = int(getattr(signal, "SIGXCPU", 0)) or 10**6  # the signal that ends a process over its bound
ENDED = "every process that was to judge this file ended; nothing is known about it"
TOO_LONG = "judging this file took longer than the time limit; nothing is known about it"


class OrderDone(Struct, frozen=True, array_like=True):
    """What became of an order: its answer, or why there is none."""

    number: int
    answer: bytes | None
    reason: str = ""


class Judges(Protocol):
    """Whoever judges: processes of this machine, or a cluster."""

    @property
    def room(self) -> int:
        """How many orders may be under way at once."""

    def submit(self, number: int, order: FileOrder) -> None: ...
    def next(self, patience: float) -> OrderDone | None:
        """The next order that is done, in whatever order; None if there is none in time."""

    def close(self) -> None:
        """Let go of everything, whatever is under way."""


@dataclass
class _Job:
    number: int
    order: FileOrder
    ends: int = 0  # how many processes have ended over it


class JudgePool:
    """Processes of this machine."""

    def __init__(
        self, count: int, command: tuple[str, ...] = (), limit: float = TIME_LIMIT, tries: int = TRIES
    ) -> None:
        self._tries = tries
        self._command = command or (*child.python(), "-m", f"{__package__}.judge_process")
        self._limit = limit
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[OrderDone | StoreError] = queue.SimpleQueue()
        self._is_closed = threading.Event()
        self._judges = [_Judge(self._command, is_ours=not command) for _ in range(count)]
        self._threads = [
            threading.Thread(target=self._serve, args=(judge,), name="judge", daemon=True) for judge in self._judges
        ]
        for thread in self._threads:
            thread.start()

    @property
    def room(self) -> int:
        return AHEAD * len(self._judges)

    @property
    def processes(self) -> list[int]:
        """The process ids of those that run."""
        return [pid for judge in self._judges if (pid := judge.pid) is not None]

    def submit(self, number: int, order: FileOrder) -> None:
        self._waiting.put(_Job(number, order))

    def next(self, patience: float) -> OrderDone | None:
        self._end_the_stuck()
        try:
            done = self._done.get(timeout=patience)
        except queue.Empty:
            return None
        if isinstance(done, StoreError):
            raise done
        return done

    def close(self) -> None:
        self._is_closed.set()
        for judge in self._judges:
            judge.end()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()
        for judge in self._judges:
            judge.reap()

    def _end_the_stuck(self) -> None:
        for judge in self._judges:
            judge.end_if_stuck(self._limit)

    def _serve(self, judge: _Judge) -> None:
        failures = 0  # starts that failed in a row
        while not self._is_closed.is_set():
            job = self._waiting.get()
            if job is None:
                return
            while not self._is_closed.is_set():
                if not judge.start():
                    failures += 1
                    if failures >= TRIES and not self._is_closed.is_set():
                        text = f"the processes that judge files cannot be started: {judge.last_words}"
                        self._done.put(StoreError(text))
                        return
                    continue
                failures = 0
                answer = judge.ask(job.order)
                if answer is not None:
                    self._done.put(OrderDone(job.number, answer))
                    break
                job.ends += 1
                if judge.was_stuck or job.ends >= self._tries:
                    self._done.put(OrderDone(job.number, None, TOO_LONG if judge.was_stuck else ENDED))
                    break


class _Judge:
    """One process at a time, started when it is needed. One thread asks; another may end it."""

    def __init__(self, command: tuple[str, ...], is_ours: bool) -> None:
        self._command = command
        self._is_ours = is_ours  # the program of this package, which must judge by what we would judge by
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_over = False
        self._busy_since: float | None = None
        self.was_stuck = False
        self.last_words = ""

    @property
    def pid(self) -> int | None:
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def start(self) -> bool:
        """Whether there is a process that waits for an order."""
        if self.pid is not None:
            return True
        with self._lock:
            if self._is_over:
                return False
            self._let_go()
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=child.environment(),
                    start_new_session=True,
                )
            except OSError as error:
                self.last_words = str(error)
                return False
        try:
            ready = read(self._pipe(self._process.stdout), JudgeReady)
        except (OSError, EOFError, ValueError, msgspec.MsgspecError):
            with self._lock:
                self._let_go()
            return False
        changed = differences(judge_identity(), ready.identity) if self._is_ours else []
        if changed:
            with self._lock:
                self._let_go()
            self.last_words = f"Kontor was changed since this run began: {'; '.join(changed)}"
        return not changed

    def ask(self, order: FileOrder) -> bytes | None:
        """The answer; None if the process has ended over it."""
        process = self._process
        assert process is not None
        with self._lock:
            self._busy_since, self.was_stuck = time.monotonic(), False
        try:
            write(self._pipe(process.stdin), order)
            return read_bytes(self._pipe(process.stdout))
        except (OSError, EOFError, ValueError):
            with self._lock:
                self._let_go()
            return None
        finally:
            with self._lock:
                self._busy_since = None

    def end(self) -> None:
        """End the process at once, and for good."""
        with self._lock:
            self._is_over = True
            self._kill()

    def end_if_stuck(self, limit: float) -> None:
        """End the process if it has had one file for longer than so many seconds."""
        with self._lock:
            if self._busy_since is not None and time.monotonic() - self._busy_since > limit:
                self.was_stuck = True
                self._kill()

    def reap(self) -> None:
        """Wait until the process has ended; nobody asks any more."""
        with self._lock:
            self._let_go()

    def _kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def _let_go(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        code = process.wait()
        self.last_words = f"the process ended with code {code}"
        self.was_stuck = self.was_stuck or code == -_OVER_CPU
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                self._pipe(pipe).close()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe
