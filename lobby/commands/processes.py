"""Several processes as one lobby: who lives, who does what only one should do, and whose people are left behind.

Each process has a record that it renews every second (`beat`). One of them holds a lease, renewed with the same
commit; it alone ends what is over, makes offers to the queue and looks after the people of processes that died.

Rules, in order:

1. A process whose record is not renewed for ALIVE milliseconds counts as dead. Its people are `gone` like anybody whose
   connection was lost: they keep tables, seats and queue places for a while, and come back by another process.
2. The lease is free LEASE_TIME after its holder last renewed it; whoever asks first gets it.
3. Whatever the holder does reads the lease in the same unit of work (`led`), so its commit fails if somebody else took
   over meanwhile: a holder that was stopped for a minute and goes on in the middle of its work cannot do harm.
4. A process that finds its own record run out may have lost people to rule 1; it brings everybody who is still
   connected up to date (commands/catching_up.py).
5. A time further ahead than anybody could have set it has run out: the server's clock was set back, or another server
   with a slower clock took over. Otherwise a lease whose holder died before that would hold until that time.
6. Two processes must not have one name, and all must have the lobby's key: whoever comes second is refused in words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.records import LEASE, PRESENCE, PROCESS, LeaseRecord, Presence, ProcessRecord
from kontor_games.lobby.model.work import Work
from kontor_games.net.wire.identity import fingerprint

ALIVE: Final = 4000  # milliseconds
LEASE_TIME: Final = 3000
AHEAD: Final = 2 * ALIVE  # milliseconds: nobody sets a time so far ahead, however slow the server's answers are
PAGE: Final = 200
_SWEEP: Final = "sweep"

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class BeatHeard:
    """What a process learns when it renews its record."""

    leads: bool
    has_lapsed: bool  # others may have taken it for dead
    others: tuple[ProcessRecord, ...]  # that live, by name


class Replaced(ConfigError):
    """Another process runs under this name now."""


async def why_not_join(work: Work, me: ProcessRecord) -> str | None:
    """Why a process cannot be one of this lobby, or None; a record of an earlier run ends by itself within seconds."""
    for other in await living_processes(work):
        if other.key != me.key:
            return (
                f"the process {other.name!r} of this lobby has the key {fingerprint(other.key)}, and this one "
                f"{fingerprint(me.key)}; copy identity.pem from its data directory (docs/hosting.md)"
            )
        if other.name == me.name and other.run != me.run:
            return (
                f"a process called {me.name!r} is part of this lobby already; give this one a name of its own "
                "with --process"
            )
    return None


async def beat(work: Work, me: ProcessRecord) -> BeatHeard:
    """Renew one's record, and the lease if it is ours or free; Replaced if the name is somebody else's by now."""
    own = await work.get(PROCESS, me.name)
    is_alive = own is not None and _holds(own.until, work.now)
    if own is not None and own.run != me.run and is_alive:
        raise Replaced(f"another process runs as {me.name!r} now; this one ends")
    await work.put(PROCESS, me.name, _until(me, work.now + ALIVE))
    lease = await work.get(LEASE, _SWEEP)
    leads = lease is None or lease.run == me.run or not _holds(lease.until, work.now)
    if leads:
        await work.put(LEASE, _SWEEP, LeaseRecord(me.run, work.now + LEASE_TIME))
    others = tuple(other for other in await living_processes(work) if other.name != me.name)
    return BeatHeard(leads, own is None or own.run != me.run or not is_alive, others)


async def leave(work: Work, me: ProcessRecord) -> None:
    """End in order: nobody has to wait until the record runs out."""
    own = await work.get(PROCESS, me.name)
    if own is not None and own.run == me.run:
        await work.delete(PROCESS, me.name)
    lease = await work.get(LEASE, _SWEEP)
    if lease is not None and lease.run == me.run:
        await work.delete(LEASE, _SWEEP)


async def led(work: Work, me: ProcessRecord, job: Callable[[Work], Awaitable[R]]) -> R | None:
    """Do the job if the lease is ours, and so that its commit fails if it is not by then."""
    lease = await work.get(LEASE, _SWEEP)
    if lease is None or lease.run != me.run:
        return None
    return await job(work)


async def left_behind(work: Work, me: ProcessRecord) -> list[Presence]:
    """People who count as connected to a process that does not live; everybody is looked at."""
    living = {me.name, *(other.name for other in await living_processes(work))}
    found: list[Presence] = []
    after = ""
    while page := await work.page(PRESENCE, None, after, PAGE):
        found += [presence for _, presence in page if presence.away is None and presence.process not in living]
        after = page[-1][0]
    return found


async def living_processes(work: Work) -> list[ProcessRecord]:
    """The processes of this lobby, by name; none where one has the store to itself."""
    found: list[ProcessRecord] = []
    after = ""
    while page := await work.page(PROCESS, None, after, PAGE):  # those of an hour are kept, so that may be many
        found += [record for _, record in page if _holds(record.until, work.now)]
        after = page[-1][0]
    return found


def _holds(until: int, now: int) -> bool:
    return now < until <= now + AHEAD


def _until(me: ProcessRecord, until: int) -> ProcessRecord:
    return ProcessRecord(me.name, me.run, me.address, me.key, me.since, until)
