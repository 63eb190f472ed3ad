"""One of the processes that work for experts; `workers` starts them and feeds them."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from .parcels import Order, WorkerMemory, read, write


def main() -> None:
    """Answer until there are no more questions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(10)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not be taken for an answer
    told = WorkerMemory()
    with suppress(EOFError, OSError):
        while True:
            write(answers, told.answers(read(sys.stdin.buffer, Order)))


if __name__ == "__main__":
    main()
