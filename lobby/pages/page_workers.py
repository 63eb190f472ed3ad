"""The processes that judge files and prepare replays, as Deferreds: the pool of `net/archive` seen from the reactor.

They are started when there is something to do and ended when there was nothing for a while. An order ends in one of
three ways: an answer; `FileGivenUp`, because the file ended two processes or took too long; `StoreError`, because this
machine cannot start processes, which says nothing about the file.
"""

from __future__ import annotations

from typing import Any, Final

from twisted.internet.defer import Deferred

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.net.archive.judge_pool import JudgePool, OrderDone
from kontor_games.net.archive.order_pipe import Duty, FileOrder

TRIES: Final = 2  # processes that one file may end
_LOOK: Final = 0.05  # seconds between looks at what is done
_IDLE: Final = 60.0  # seconds without work after which the processes end


class FileGivenUp(KontorError):
    """No process could do it; nothing is known about the file."""


class PageWorkers:
    """So many processes, none while nothing is to do; `limit` bounds the clock and `cpu` the processor of a file."""

    def __init__(self, reactor: Any, count: int, command: tuple[str, ...], limit: float, cpu: int) -> None:
        self._reactor = reactor
        self._count, self._command, self._limit, self._cpu = count, command, limit, cpu
        self._pool: JudgePool | None = None
        self._waiting: dict[int, Deferred[bytes]] = {}
        self._number = 0
        self._call: Any = None
        self.is_closed = False

    @property
    def processes(self) -> list[int]:
        """The ids of those that run."""
        return [] if self._pool is None else self._pool.processes

    def ask(self, duty: Duty, content: bytes) -> Deferred[bytes]:
        """What comes of the bytes of a file."""
        done: Deferred[bytes] = Deferred()
        if self.is_closed:
            done.errback(StoreError("the lobby is closing"))
            return done
        self._number += 1
        self._waiting[self._number] = done
        if self._pool is None:
            self._pool = JudgePool(self._count, self._command, self._limit, TRIES)
        self._pool.submit(self._number, FileOrder(duty, content, self._cpu))
        self._look_in(_LOOK)
        return done

    def close(self) -> None:
        """End the processes; whoever waits is told."""
        self.is_closed = True
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._let_go(StoreError("the lobby is closing"))

    def _look_in(self, seconds: float) -> None:
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._call = self._reactor.callLater(seconds, self._look)

    def _look(self) -> None:
        if not self._waiting:
            self._let_go(StoreError("nobody waits"))
            return
        assert self._pool is not None
        try:
            found = self._pool.next(0)
        except StoreError as error:
            self._let_go(error)
            return
        if found is not None:
            self._tell(found)
        if not self.is_closed:
            self._look_in(_IDLE if not self._waiting else 0 if found is not None else _LOOK)

    def _tell(self, found: OrderDone) -> None:
        done = self._waiting.pop(found.number)
        if found.answer is None:
            done.errback(FileGivenUp(found.reason))
        else:
            done.callback(found.answer)

    def _let_go(self, reason: StoreError) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
        waiting, self._waiting = self._waiting, {}
        for done in waiting.values():
            done.errback(reason)
