"""Many match files on all cores; reports come in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from .compare import Comparison
from .verify import Report, verify


def verify_many(paths: Sequence[str], workers: int | None = None) -> Iterator[dict[str, Any]]:
    """One report per file, compared with those before it; leaving the loop early (Ctrl-C too) ends the workers."""
    comparison = Comparison()
    with closing(_reports(paths, workers)) as reports:
        for report in reports:
            yield report.beside(comparison).as_dict()


def _reports(paths: Sequence[str], workers: int | None) -> Generator[Report]:
    count = min(workers or os.cpu_count() or 1, len(paths))
    if count <= 1:
        yield from (_verify(path) for path in paths)
        return
    # Fresh processes: a fork would copy whatever threads of the caller hold.
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _ignore_interrupts)
    try:
        with _children_without_interrupts():
            waiting = deque(pool.submit(_verify, path) for path in paths)
        while waiting:
            yield waiting.popleft().result()
    finally:
        processes = list((pool._processes or {}).values())  # the executor has no public way to end running work
        manager: Any = pool._executor_manager_thread
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        if manager is not None:
            manager.join()  # at the interpreter's exit it would be woken through a pipe that it is just closing


def _verify(path: str) -> Report:
    return verify(Path(path))


@contextmanager
def _children_without_interrupts() -> Iterator[None]:
    """Ctrl-C reaches the whole group of processes; the first one ends the others, even those that are just starting.

    Children inherit what is blocked now; an interrupt that comes meanwhile reaches this process afterwards.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
