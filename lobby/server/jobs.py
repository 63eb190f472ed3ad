"""Runs units of work against the store: one, many at once, or in the background. What fails is logged once, here."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred, gatherResults
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.model.work import PunchDesk, RelayDesk, Work, run
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import Busy, OutcomeUnknown, Store
from kontor_games.net.table.catalogue import Catalogue

DEFECT: Final = "a defect of the lobby"
FIRST_PAUSE: Final = 0.002  # seconds, before a second attempt
LONGEST_PAUSE: Final = 0.15
INSIST_EVERY: Final = 1.0
_log = Logger(namespace="kontor.lobby")

R = TypeVar("R")
Job = Callable[[Work], Awaitable[R]]


class Jobs:
    """Everything that a unit of work needs, and the ways to run one."""

    def __init__(
        self,
        store: Store,
        config: Config,
        catalogue: Catalogue,
        relay: RelayDesk,
        punches: PunchDesk,
        clock: Callable[[], float],
        reactor: Any,
    ) -> None:
        self.is_closed = False  # then nothing is tried again
        self.store = store
        self._reactor = reactor
        self.config = config
        self._catalogue = catalogue
        self._relay = relay
        self._punches = punches
        self._clock = clock  # as people read it: for what is stored or told

    @property
    def now(self) -> int:
        """The time as people read it, in milliseconds; that of the store, where several processes share it."""
        return int((self._clock() + self.store.skew) * 1000)

    def work(self) -> Work:
        """A fresh unit of work."""
        return Work(self.store, self.config, self._catalogue, self.now, self._relay, self._punches)

    async def run(self, job: Job[R]) -> R:
        """Do one job and commit it."""
        return await run(self.work, job, self._pause if self.store.is_shared else None)

    async def _pause(self, attempt: int) -> None:
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt)
        await self.sleep(longest * random.random())  # noqa: S311 - nothing secret, only out of step with others

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        done: Deferred[None] = Deferred()
        self._reactor.callLater(seconds, done.callback, None)
        await done

    async def run_all(self, jobs: Iterable[Job[Any]]) -> None:
        """Do many jobs at once, so that they share the disk's commits; one that fails stops none of the others."""
        await self.run_each(self.run(job) for job in jobs)

    async def run_each(self, coroutines: Iterable[Coroutine[Any, Any, Any]]) -> None:
        """The same for coroutines."""
        await gatherResults([self.spawn(coroutine) for coroutine in coroutines])

    def start(self, job: Job[Any]) -> None:
        """Do one job in the background."""
        self.spawn(self.run(job))

    def insist(self, job: Job[Any], is_repeatable: bool) -> None:
        """Do one job in the background, again while the store is away; if in doubt only what may be done twice."""
        self.spawn(self._insist(job, is_repeatable))

    async def _insist(self, job: Job[Any], is_repeatable: bool) -> None:
        while True:
            try:
                await self.run(job)
                return
            except (Busy, OutcomeUnknown) as error:
                if self.is_closed or not (is_repeatable or isinstance(error, Busy)):
                    raise
            await self.sleep(INSIST_EVERY)

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> Deferred[Any]:
        """Let a coroutine run by itself."""
        return Deferred.fromCoroutine(coroutine).addErrback(_log_failure)


def _log_failure(failure: Any) -> None:
    if failure.check(StoreError):
        _log.error("store: {text}", text=failure.getErrorMessage())
    else:
        _log.failure(DEFECT, failure=failure)
