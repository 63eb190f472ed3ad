"""Starts the attackers of tests/lobby/attackers.py in a process of their own."""

from __future__ import annotations

import json
import sys
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol

from tests.worlds.lobby_hall import the_reactor

from .child import ROOT, LobbyProcess


class Attack(ProcessProtocol):
    """Attackers in a process of their own."""

    def __init__(self, kind: str, lobby: LobbyProcess, count: int, rate: int) -> None:
        self.done: Deferred[dict[str, Any]] = Deferred()
        self._said = b""
        self._errors = b""
        arguments = [sys.executable, "-m", "tests.lobby.attackers", kind, str(lobby.port), lobby.key.hex()]
        the_reactor().spawnProcess(self, sys.executable, [*arguments, str(count), str(rate)], env=None, path=str(ROOT))

    def outReceived(self, data: bytes) -> None:
        self._said += data

    def errReceived(self, data: bytes) -> None:
        self._errors += data

    def processEnded(self, reason: Any) -> None:
        if reason.check(ProcessDone):
            self.done.callback(json.loads(self._said))
        else:
            self.done.errback(AssertionError(self._errors.decode()[-2000:]))
