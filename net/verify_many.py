"""Many match files on all cores; reports come in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from .verify import verify


def verify_many(paths: Sequence[str], workers: int | None = None) -> Iterator[dict[str, Any]]:
    """One report per file; leaving the loop early (Ctrl-C too) ends the workers."""
    count = min(workers or os.cpu_count() or 1, len(paths))
    if count <= 1:
        yield from (_verify(path) for path in paths)
        return
    # Fresh processes: a fork would copy whatever threads of the caller hold.
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _ignore_interrupts)
    try:
        waiting = [pool.submit(_verify, path) for path in paths]
        for report in waiting:
            yield report.result()
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


def _verify(path: str) -> dict[str, Any]:
    return verify(Path(path)).as_dict()


def _ignore_interrupts() -> None:
    """Ctrl-C reaches the whole group of processes; the first one ends the others in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
