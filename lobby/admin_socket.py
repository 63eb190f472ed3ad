"""The operators' way into a running lobby: a socket in its data directory that only its user can open."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, cast

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver

from kontor_games.engine.errors import KontorError

_log = Logger(namespace="kontor.lobby")
SOCKET: Final = "admin.sock"
Perform = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class AdminProtocol(LineOnlyReceiver):
    """One JSON object per line in each direction."""

    delimiter = b"\n"
    MAX_LENGTH = 16 * 1024

    def __init__(self, perform: Perform) -> None:
        self._perform = perform

    def lineReceived(self, line: bytes) -> None:
        """An operator asks for something."""
        Deferred.fromCoroutine(self._answer(line)).addErrback(self._failed)

    async def _answer(self, line: bytes) -> None:
        try:
            ask = json.loads(line)
            answer = await self._perform(ask if isinstance(ask, dict) else {})
        except (KontorError, ValueError) as error:
            answer = {"error": str(error)}
        self._say(answer)

    def _failed(self, failure: Any) -> None:
        """A defect: the operator must not wait for an answer that never comes."""
        _log.failure("a defect of the lobby", failure=failure)
        self._say({"error": "this went wrong in the lobby; see its log"})

    def _say(self, answer: dict[str, Any]) -> None:
        cast(Any, self).sendLine(json.dumps(answer).encode())


def listen_for_operators(reactor: Any, directory: Path, perform: Perform, name: str = SOCKET) -> Any:
    """Open the socket; one left by a process that is gone is replaced: the store tells that it is gone."""
    path = directory / name
    path.unlink(missing_ok=True)
    factory: Any = Factory()
    factory.noisy = False
    factory.buildProtocol = lambda _: AdminProtocol(perform)
    old = os.umask(0o177)
    try:
        return reactor.listenUNIX(str(path), factory, mode=0o600)
    finally:
        os.umask(old)
