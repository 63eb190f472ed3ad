"""One process that judges match files and prepares their replays; `page_workers.py` starts it and replaces it.

It gets bytes and answers bytes, and opens no file of anybody. A file may be made to cost as much as possible, so every
order says how many seconds of the processor it may take (`FileOrder.cpu`), after which the system ends this process;
and this process ends itself when it holds too much memory. Neither becomes a verdict: a judge makes one of every
exception (`rerun.judging`), so an exception would call an honest but costly file refuted.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
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


def run_worker(wording: Wording, memory: int) -> None:
    """Answer orders until standard input ends."""
    with contextlib.suppress(AttributeError, OSError):  # systems without priorities
        os.nice(NICENESS)
    threading.Thread(target=_watch_memory, args=(memory,), name="memory", daemon=True).start()

    def work(order: FileOrder) -> bytes:
        if order.duty == "judge":
            return answer(order)
        try:
            return msgspec.msgpack.encode(pack_replay(order.content, wording))
        except KontorError:
            return CANNOT_SHOW

    serve(work)


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
