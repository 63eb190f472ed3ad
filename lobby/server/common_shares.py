"""The shares of keys, households and networks that all processes of a lobby count together.

Each process has its own buckets (throttle.py), which cost nothing; whoever goes from process to process would have each
of them anew. So where several processes are one lobby, what was let through there is counted once more in the store,
by the same rules. What arrives all the time, bytes and messages, is counted by each process for itself: it is the
process that these limits protect.
"""

from __future__ import annotations

from typing import Final

from kontor_games.lobby.model.work import RequestRefused
from kontor_games.lobby.store.base import Allowance
from kontor_games.net.system.buckets import Rate
from kontor_games.net.system.networks import network_of

from .allowances import RequestAllowances
from .jobs import Jobs
from .throttle import SPARE, STRICT

DAY: Final = 86_400.0  # seconds
_CODES: Final = "codes"


class CommonShares:
    """Buckets in the store."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def demand(self, kind: str, key: bytes, household: str) -> None:
        """Take a token of this kind; RequestRefused with the time to wait if there is none."""
        own, shared = await self._jobs.store.take(self._of(kind, key, household), self._jobs.now)
        is_first = own.before >= self._rate(kind).burst and kind not in STRICT
        wait = max(own.wait, shared.wait)
        if wait > 0 and not is_first:
            raise RequestRefused("too-fast", f"too many requests of this kind; wait {wait:.0f} s", wait)

    async def demand_guess(self, key: bytes, household: str) -> None:
        """Codes and ids may be tried only so often, by one and by all, at whichever process."""
        await self.demand(_CODES, key, household)
        everybody, spare = self._of_all(household)
        (all_together,) = await self._jobs.store.take([everybody], self._jobs.now)
        if all_together.wait > 0 and (await self._jobs.store.take([spare], self._jobs.now))[0].wait > 0:
            reason = "somebody is trying many wrong codes at this lobby; wait a little"
            raise RequestRefused("too-fast", reason, all_together.wait)

    async def guessed(self, key: bytes, household: str) -> None:
        """What was tried existed after all: that costs nothing."""
        await self._jobs.store.give_back([*self._of(_CODES, key, household), *self._of_all(household)])

    async def demand_file(self, key: bytes, per_day: int) -> None:
        """One of the files that a key may hand in within a day, at whichever process."""
        ask = Allowance(f"files:k:{key.hex()}", Rate(per_day / DAY, per_day))
        (found,) = await self._jobs.store.take([ask], self._jobs.now)
        if found.wait > 0:
            reason = f"you have handed in {per_day} files within a day; try again tomorrow"
            raise RequestRefused("later", reason, found.wait)

    def _rate(self, kind: str) -> Rate:
        rate: Rate = getattr(self._jobs.config.limits, kind).rate
        return rate

    def _of(self, kind: str, key: bytes, household: str) -> tuple[Allowance, Allowance]:
        rate = self._rate(kind)
        shared = rate.times(RequestAllowances.SHARED)
        return Allowance(f"{kind}:k:{key.hex()}", rate), Allowance(f"{kind}:h:{household}", shared)

    def _of_all(self, household: str) -> tuple[Allowance, Allowance]:
        everybody = Allowance("all_codes", self._jobs.config.limits.all_codes.rate)
        return everybody, Allowance(f"spare:{network_of(household)}", SPARE)
