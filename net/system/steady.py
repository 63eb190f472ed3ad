"""Jobs that are done again and again, and chains that nobody waits for: whatever fails is logged, and life goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.python.failure import Failure


class Steady:
    """A job every so many seconds. One that raises, now or through its Deferred, is done again the next time.

    Twisted's own loop ends with the first exception, silently: whatever it was to watch over is then not watched.
    """

    def __init__(self, reactor: Any, seconds: float, job: Callable[[], object], log: Logger, what: str) -> None:
        self._seconds = seconds
        self._job = job
        self._log = log
        self._what = what
        self._loop = LoopingCall(self._once)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin, the first time after one interval."""
        self._loop.start(self._seconds, now=False).addErrback(self._failed)

    def stop(self) -> None:
        """End, if it runs."""
        if self._loop.running:
            self._loop.stop()

    def _once(self) -> Deferred[Any]:
        return maybeDeferred(self._job).addErrback(self._failed)

    def _failed(self, failure: Failure) -> None:
        self._log.failure("{what} failed and is done again", failure=failure, what=self._what)


def logged(chain: Deferred[Any], log: Logger, what: str) -> None:
    """Let a chain run that nobody waits for; if it fails, the log tells."""

    def failed(failure: Failure) -> None:
        log.failure("{what} failed", failure=failure, what=what)

    chain.addErrback(failed)
