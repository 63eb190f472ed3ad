"""Random schedules of real sessions, and a digest of every byte that their peers say: for changes inside the machines.

A session that is taken apart and put together again must say the same things in the same order, under crashes, lost
links, votes, goodbyes and lies. The seeds are those of `tests/explore/chance.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import msgspec

from tests.explore.chance import Schedule
from tests.explore.host import Host
from tests.explore.starts import start, under_rules
from tests.worlds.quick_algebra import remembered

SEED = 5_000_000
COUNT = 200
BLOCK = 10  # schedules behind one digest
RULES = 1  # the version of the day they were recorded: sessions do not depend on it, but every message does


def schedules(first: int = 0, count: int = COUNT) -> Iterator[tuple[str, str]]:
    """A digest for each block of schedules: what everybody said after every step, and how it ended."""
    with remembered(), under_rules(RULES):
        for number in range(first, first + count, BLOCK):
            yield f"schedules/{number:03}", _digest(range(SEED + number, SEED + number + BLOCK))


def _digest(seeds: range) -> str:
    digest = hashlib.sha256()
    take = Host.take

    def recording(host: Host, name: str, *arguments: Any) -> list[tuple[str, int, Any]]:
        out = take(host, name, *arguments)
        digest.update(f"{host.number} {name}\n".encode())
        for what, peer, value in out:
            digest.update(f"{what} {peer} ".encode() + msgspec.msgpack.encode(value))
        return out

    for seed in seeds:
        schedule = Schedule(seed)
        start(schedule.name)  # built before anybody listens: it is built once
        with patch.object(Host, "take", recording):
            schedule.run()
        digest.update(f"{schedule.name} {schedule.ending}\n".encode())
    return digest.hexdigest()
