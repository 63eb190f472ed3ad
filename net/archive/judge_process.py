"""One process of judges: answers what comes in on its standard input until that ends (`judge_pool.py` starts it)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from .duties import answer
from .judge_identity import judge_identity
from .order_pipe import FileOrder, JudgeReady, read, write


def bound_processor(seconds: int) -> None:
    """Let the system end this process (SIGXCPU) once it has used so many seconds more of a processor; 0: as it is."""
    if not seconds:
        return
    try:
        import resource
    except ImportError:  # a system without such bounds: the driver's time limit holds alone
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = spent + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def serve(answer: Callable[[FileOrder], bytes]) -> None:
    """Say what this process judges by, then answer orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver hears it and ends us
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not write into the answers
    write(answers, JudgeReady(dict(judge_identity())))
    try:
        while True:
            order = read(orders, FileOrder)
            bound_processor(order.cpu)
            data = answer(order)
            answers.write(len(data).to_bytes(4, "big") + data)
            answers.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the driver has gone; nothing is left to be tidied up


if __name__ == "__main__":
    serve(answer)
