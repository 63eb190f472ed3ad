"""Where requests wait for their turn: by network, then by household, then by key. Idle, nobody waits here.

Every key may ask for a little all the time, and thousands of keys together for more than a processor can do. First
come, first served would make everybody wait as long as the flood is; here whoever asks seldom is served within one
round over the networks that ask. A connection has a bounded number of requests under way, so the queue is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from .fairness import Turns

if TYPE_CHECKING:
    from kontor_games.net.wire.lobby_messages import Request

    from .connection import Connection

SLICE: Final = 0.01  # seconds of work in a row; then the reactor reads and writes


class Ask:
    """One request of one connection."""

    __slots__ = ("connection", "request")

    def __init__(self, connection: Connection, request: Request) -> None:
        self.connection, self.request = connection, request


class Counter:
    """Serves requests at once while there is time, and in turn when there is not."""

    def __init__(self, reactor: Any, serve: Callable[[Connection, Request], None]) -> None:
        self._reactor = reactor
        self._serve_one = serve
        self._turns: Turns[Ask] = Turns()
        self._spent = 0.0  # since the reactor's last turn
        self._call: Any = None

    def ask(self, connection: Connection, request: Request) -> None:
        """A request has come."""
        ask = Ask(connection, request)
        if not self._turns and self._spent < SLICE:
            self._serve(ask)
        else:
            self._turns.add(ask, connection.network, connection.household, connection.key)
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

    def _serve(self, ask: Ask) -> None:
        begun = self._reactor.seconds()
        if ask.connection.is_gone:
            ask.connection.request_done()
        else:
            self._serve_one(ask.connection, ask.request)
        self._spent += self._reactor.seconds() - begun
