"""Runs units of work against the store: one, many at once, or in the background. What fails is logged once, here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred, gatherResults
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.model.work import RelayDesk, Work, run
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import Store
from kontor_games.net.table.catalogue import Catalogue

DEFECT: Final = "a defect of the lobby"
_log = Logger(namespace="kontor.lobby")

R = TypeVar("R")
Job = Callable[[Work], Awaitable[R]]


class Jobs:
    """Everything that a unit of work needs, and the ways to run one."""

    def __init__(
        self, store: Store, config: Config, catalogue: Catalogue, relay: RelayDesk, clock: Callable[[], float]
    ) -> None:
        self.store = store
        self._config = config
        self._catalogue = catalogue
        self._relay = relay
        self._clock = clock  # as people read it: for what is stored or told

    @property
    def now(self) -> int:
        """The time as people read it, in milliseconds."""
        return int(self._clock() * 1000)

    def work(self) -> Work:
        """A fresh unit of work."""
        return Work(self.store, self._config, self._catalogue, self.now, self._relay)

    async def run(self, job: Job[R]) -> R:
        """Do one job and commit it."""
        return await run(self.work, job)

    async def run_all(self, jobs: Iterable[Job[Any]]) -> None:
        """Do many jobs at once, so that they share the disk's commits; one that fails stops none of the others."""
        await gatherResults([self.spawn(self.run(job)) for job in jobs])

    def start(self, job: Job[Any]) -> None:
        """Do one job in the background."""
        self.spawn(self.run(job))

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> Deferred[Any]:
        """Let a coroutine run by itself."""
        return Deferred.fromCoroutine(coroutine).addErrback(_log_failure)


def _log_failure(failure: Any) -> None:
    if failure.check(StoreError):
        _log.error("store: {text}", text=failure.getErrorMessage())
    else:
        _log.failure(DEFECT, failure=failure)
