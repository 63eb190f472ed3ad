"""A switch in user space that delays and loses frames; `tc netem` would do it too, but not every kernel has it.

Run as a process: `python -m tests.netns.slow_switch DELAY LOSS NAMESPACE…`. It puts `eth0` into each namespace,
says `ready`, and carries frames between them until it is ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

from .namespaces import entered

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000


def open_tap(namespace: str) -> int:
    """A device in that namespace; we hold its other end."""
    with entered(namespace):
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
        return tap


def main() -> None:
    delay, loss = float(sys.argv[1]), float(sys.argv[2])
    taps = [open_tap(name) for name in sys.argv[3:]]
    chance = random.Random(1)
    waiting: list[tuple[float, int, int, bytes]] = []
    number = 0
    print("ready", flush=True)
    while True:
        wait = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for tap in select.select(taps, [], [], wait)[0]:
            frame = os.read(tap, 65536)
            for other in taps:
                if other != tap and chance.random() >= loss:
                    number += 1
                    heapq.heappush(waiting, (time.monotonic() + delay, number, other, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, other, frame = heapq.heappop(waiting)
            with contextlib.suppress(OSError):  # it is not up, or does not keep pace: lost, as on a wire
                os.write(other, frame)


if __name__ == "__main__":
    main()
