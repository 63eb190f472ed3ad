"""Where requests wait for their turn: by network, then by household, then by key. While there is time, nobody waits.

Every key may ask for a little all the time, and thousands of keys together for more than a processor can do. First
come, first served would make everybody wait as long as the flood is; here people who ask seldom are served within one
round over the networks that ask. A connection has a bounded number of requests under way, so the queue is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar

from .fairness import Turns

SLICE: Final = 0.01  # seconds of work in a row; then the reactor reads and writes


class Asker(Protocol):
    """Somebody's connection, as far as the counter knows it."""

    network: str
    household: str
    key: bytes | None
    is_gone: bool

    def request_done(self) -> None:
        """One of its requests needs no answer any more."""


A = TypeVar("A", bound=Asker)
R = TypeVar("R")


class _Waiting(Generic[A, R]):
    """One request of one connection; two that look the same are two."""

    __slots__ = ("asker", "request")

    def __init__(self, asker: A, request: R) -> None:
        self.asker, self.request = asker, request


class Counter(Generic[A, R]):
    """Serves requests at once while there is time, and in turn when there is not."""

    def __init__(self, reactor: Any, serve: Callable[[A, R], None]) -> None:
        self._reactor = reactor
        self._serve_one = serve
        self._turns: Turns[_Waiting[A, R]] = Turns()
        self._spent = 0.0  # since the reactor's last turn
        self._call: Any = None

    def ask(self, asker: A, request: R) -> None:
        """A request has come."""
        waiting = _Waiting(asker, request)
        if not self._turns and self._spent < SLICE:
            self._serve(waiting)
        else:
            self._turns.add(waiting, asker.network, asker.household, asker.key)
        if self._call is None:
            self._call = self._reactor.callLater(0, self._turn)

    def close(self) -> None:
        """Serve nobody any more."""
        if self._call is not None:
            self._call.cancel()
            self._call = None
        self._turns = Turns()

    def _turn(self) -> None:
        self._call, self._spent = None, 0.0
        try:
            while self._turns and self._spent < SLICE:
                self._serve(self._turns.next())
        finally:  # whatever went wrong with one of them, the others wait for their turn
            if self._turns:
                self._call = self._reactor.callLater(0, self._turn)

    def _serve(self, waiting: _Waiting[A, R]) -> None:
        begun = self._reactor.seconds()
        if waiting.asker.is_gone:
            waiting.asker.request_done()
        else:
            self._serve_one(waiting.asker, waiting.request)
        self._spent += self._reactor.seconds() - begun
