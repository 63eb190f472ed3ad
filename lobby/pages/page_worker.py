"""One process that judges match files and prepares their replays; `page_workers.py` starts it and replaces it.

It gets bytes and answers bytes, and opens no file of anybody. A file may be made to cost as much as possible, so every
order has so many seconds of the processor, after which the system ends this process, and so much memory, after which
it ends itself. Neither becomes a verdict: a judge makes one of every exception (`rerun.judging`), so an exception
would call an honest but costly file refuted.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec

from kontor_games.engine.errors import KontorError
from kontor_games.net.api.matches.wording import Wording
from kontor_games.net.archive.duties import answer
from kontor_games.net.archive.judge_process import serve
from kontor_games.net.archive.order_pipe import FileOrder

from .replay_pack import pack_replay

NICENESS: Final = 10  # people at tables come first
CANNOT_SHOW: Final = b""  # the answer about a file that verifies, but cannot be shown
_LOOK: Final = 0.1  # seconds between looks at the memory
_EXIT: Final = 70


def run_worker(wording: Wording, cpu_seconds: int, memory: int) -> None:
    """Answer orders until standard input ends."""
    with contextlib.suppress(AttributeError, OSError):  # systems without priorities
        os.nice(NICENESS)
    limit = _limit_of(cpu_seconds)
    threading.Thread(target=_watch_memory, args=(memory,), name="memory", daemon=True).start()

    def work(order: FileOrder) -> bytes:
        limit()
        if order.duty == "judge":
            return answer(order)
        try:
            return msgspec.msgpack.encode(pack_replay(order.content, wording))
        except KontorError:
            return CANNOT_SHOW

    serve(work)


def _limit_of(cpu_seconds: int) -> Callable[[], None]:
    """What to call before an order, so that the system ends this process when it has taken too long."""
    try:
        import resource
    except ImportError:  # systems without such limits: the time on the clock is bounded all the same
        return lambda: None

    def limit() -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (most if hard < 0 else min(most, hard), hard))

    return limit


def _watch_memory(most: int) -> None:
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    while page:
        try:
            with open("/proc/self/statm", "rb") as file:
                held = int(file.read().split()[1]) * page
        except (OSError, ValueError, IndexError):  # systems that do not tell
            return
        if held > most:
            os._exit(_EXIT)
        time.sleep(_LOOK)
