"""A rated match that is complete goes to the lobby's ladder by itself, as soon as the lobby can be reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import KontorError
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.system.steady import logged
from kontor_games.net.wire.ladder_messages import LadderWord

ONE_AFTER_ANOTHER: Final = 3.0  # seconds between the players of a match: all have the same file, one is enough
AGAIN_AFTER: Final = 30.0
TRIES: Final = 20
_log = Logger(namespace="kontor.ladder")


class HandingIn:
    """One file on its way; if the node ends before it is there, `kontor ladder hand-in` does the same by hand."""

    def __init__(self, reactor: Any, room: LobbyRoom, path: Path) -> None:
        self._reactor, self._room, self._path = reactor, room, path
        self._tries = 0
        self._call: Any = None

    @property
    def is_waiting(self) -> bool:
        """Whether it will be tried, or tried again."""
        return self._call is not None and self._call.active()

    def stop(self) -> None:
        """Try no more."""
        if self.is_waiting:
            self._call.cancel()

    def start(self, delay: float) -> None:
        """Hand it in after so many seconds."""
        self._call = self._reactor.callLater(delay, self._try)

    def _try(self) -> None:
        self._tries += 1
        if self._room.seen is None:
            self._again("the lobby is not reached")
            return
        try:
            data = self._path.read_bytes()
        except OSError as error:
            self._again(str(error))
            return
        sent: Deferred[Any] = self._room.hand_in(data)
        logged(sent.addCallbacks(self._done, self._failed), _log, "handing a match in")

    def _done(self, word: LadderWord) -> None:
        _log.info("{path}: {text}", path=self._path.name, text=word.text)

    def _failed(self, failure: Failure) -> None:
        if not isinstance(failure.value, KontorError):
            failure.raiseException()
        if isinstance(failure.value, LobbyRefused):
            _log.warn("{path}: the ladder refused it: {text}", path=self._path.name, text=failure.getErrorMessage())
        else:
            self._again(failure.getErrorMessage())

    def _again(self, reason: str) -> None:
        if self._tries < TRIES:
            self.start(AGAIN_AFTER)
        else:
            _log.warn("{path} was not handed in: {reason}", path=self._path.name, reason=reason)
