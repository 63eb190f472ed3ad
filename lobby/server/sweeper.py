"""Does once a second what falls due by itself, and proves with it that the process's timers fire.

Health must be able to fail. So it does not ask the reactor, whose clock may be the one that stopped: it measures by a
clock of its own how long ago the last sweep was whole. A step that fails stops none of the others, but that sweep is
not whole. The loop catches everything itself; if it dies all the same, that is a defect, and it begins again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError

from .jobs import DEFECT

SWEEP_EVERY: Final = 1.0
LONGEST_SWEEP: Final = 10.0  # seconds without one before the lobby no longer calls itself healthy
_log = Logger(namespace="kontor.lobby")

Step = Callable[[], Awaitable[None] | None]


class Sweeper:
    """Takes the steps that are `due`, one after the other, once a second."""

    def __init__(self, reactor: Any, due: Callable[[float], Iterable[Step]], passing: Callable[[], float]) -> None:
        self._reactor = reactor
        self._due = due
        self._passing = passing  # time as it passes, whatever the reactor believes
        self._swept_at = passing()
        self._is_closed = False
        self._loop = LoopingCall(lambda: Deferred.fromCoroutine(self._sweep()))
        self._loop.clock = reactor

    def begin(self) -> None:
        """Sweep from now on."""
        if self._is_closed:
            return
        self._swept_at = self._passing()
        self._loop.start(SWEEP_EVERY, now=False).addErrback(self._died)

    def close(self) -> None:
        """Sweep no more."""
        self._is_closed = True
        if self._loop.running:
            self._loop.stop()

    def why_not_healthy(self) -> str | None:
        """Why nobody can rely on what falls due, or None."""
        late = self._passing() - self._swept_at
        if late <= LONGEST_SWEEP:
            return None
        return f"no timer has done its work for {late:.0f} s: the store or the machine is overloaded, or they stopped"

    def _died(self, failure: Any) -> None:
        _log.failure("the sweeper died and begins again", failure=failure)
        if not self._is_closed:
            self._reactor.callLater(SWEEP_EVERY, self.begin)

    async def _sweep(self) -> None:
        is_whole = True
        for step in self._due(self._reactor.seconds()):
            try:
                work = step()
                if work is not None:
                    await work
            except StoreError as error:  # it is away or full, which operators read elsewhere, and is no defect
                is_whole = False
                _log.warn("sweep", reason=str(error))
            except Exception:
                is_whole = False
                _log.failure(DEFECT)
        if is_whole:
            self._swept_at = self._passing()
