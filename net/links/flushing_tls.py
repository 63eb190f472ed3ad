"""TLS on Twisted that sends when it is told to, instead of one turn of the reactor later.

Twisted gathers small writes until the reactor turns, and sends them when it has turned once more. A node that works on
between the two (its own turn, a journal on the disk, a bot that thinks) would keep its peers waiting for what is said
already. Here writes are gathered too, but `push` hands them to the kernel at once.
"""

from __future__ import annotations

from typing import Any, Final

from twisted.internet.protocol import connectionDone
from twisted.protocols.tls import TLSMemoryBIOProtocol
from twisted.python.failure import Failure

from kontor_games.net.system import flush

GATHERED: Final = 64 * 1024  # bytes that wait at most for a push or for the reactor


class PromptTLS(TLSMemoryBIOProtocol):
    """A TLS connection whose owner may `push` what it has written."""

    def __init__(self, factory: Any, wrapped: Any, connect: bool = True) -> None:
        super().__init__(factory, wrapped, connect)  # type: ignore[no-untyped-call]
        self._gathered: list[bytes] = []
        self._size = 0
        self._clock: Any = factory._clock
        self._later: Any = None

    def write(self, data: bytes) -> None:
        """Take bytes; without a push they go out with the next turn of the reactor."""
        self._gathered.append(data)
        self._size += len(data)
        if self._size > GATHERED:
            self._encrypt()
        elif self._later is None:
            self._later = self._clock.callLater(0, self._turned)

    def push(self) -> None:
        """Hand everything to the kernel now, as far as it takes it; the reactor sees to the rest."""
        if not self._gathered:
            return
        self._cancel()
        self._encrypt()
        flush.push(self.transport)

    def loseConnection(self) -> None:
        """End in order, after what was written."""
        self._cancel()
        self._encrypt()
        super().loseConnection()  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The connection is gone, and what it did not take with it."""
        self._cancel()
        self._gathered.clear()
        super().connectionLost(reason)  # type: ignore[no-untyped-call]

    def _turned(self) -> None:
        self._later = None
        self._encrypt()

    def _cancel(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _encrypt(self) -> None:
        if self._gathered:
            data = b"".join(self._gathered)
            self._gathered.clear()
            self._size = 0
            super().write(data)  # type: ignore[no-untyped-call]
