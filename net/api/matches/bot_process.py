"""The bots' process: a program that plays seats through the API, fed with one JSON line per seat. An adapter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.net.system.child import environment

RESTART_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
LONGEST_LINE: Final = 64 * 1024  # of what the process says
_log = Logger(namespace="kontor.bots")


class Bots:
    """Seats that programs play. Only those of matches that are awake are at the API; the process runs for these."""

    def __init__(self, reactor: Any, command: tuple[str, ...], home: Path) -> None:
        self._reactor = reactor
        self._command = command
        self._home = home
        self._port = 0
        self._seats: dict[str, dict[int, dict[str, Any]]] = {}  # orders by match and seat
        self._awake: dict[str, None] = {}  # matches, the latest to wake last
        self._process: _BotProcess | None = None
        self._failures = 0
        self._timer: Any = None
        self._is_stopped = False
        self.on_line: Callable[[bytes], None] = lambda line: None  # what the process says

    def start(self, port: int) -> None:
        """The API can be reached."""
        self._port = port
        self._ensure()

    def add(self, match: str, seat: int, kind: str, token: str, seed: bytes) -> None:
        """A bot is to play this seat, once the match is awake."""
        order = {"match": match, "seat": seat, "kind": kind, "token": token, "seed": seed.hex()}
        self._seats.setdefault(match, {})[seat] = order

    def wake(self, match: str) -> None:
        """A bot of this match is to act."""
        if match in self._awake or match not in self._seats:
            return
        self._awake[match] = None
        if self._process is None:
            self._ensure()
        else:
            self._tell(self._process, match)

    def ask(self, match: str, order: dict[str, Any]) -> bool:
        """Give the process an order that it answers with a line; False if it does not run."""
        self.wake(match)
        if self._process is None:
            return False
        self._process.tell(order)
        return True

    @property
    def awake(self) -> tuple[str, ...]:
        """The matches whose bots are at the API, the latest to wake last."""
        return tuple(self._awake)

    def rest(self, match: str) -> None:
        """The match waits for people: its bots go until one of them is to act."""
        if match not in self._awake:
            return
        del self._awake[match]
        if self._process is None:
            return
        if self._awake:
            self._process.tell({"match": match, "drop": True})
        else:
            self._process.close()

    def drop(self, match: str) -> None:
        """The match is over."""
        self._seats.pop(match, None)
        self.rest(match)

    def stop(self) -> None:
        """The node stops."""
        self._is_stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._process is not None:
            self._process.close()

    def _ensure(self) -> None:
        self._timer = None
        if self._process is not None or not self._awake or not self._port or not self._command or self._is_stopped:
            return
        self._process = _BotProcess(self)
        # Tokens go through the pipe: arguments and environment can be read by others on some systems.
        arguments = [*self._command, str(self._port)]
        self._reactor.spawnProcess(self._process, arguments[0], arguments, env=environment())
        for match in self._awake:
            self._tell(self._process, match)

    def _tell(self, process: _BotProcess, match: str) -> None:
        for order in self._seats[match].values():
            process.tell(order)

    def ended(self, process: _BotProcess, clean: bool) -> None:
        """The process is gone; a new one comes if it is needed."""
        if self._process is process:
            self._process = None
        if self._is_stopped or not self._awake:
            self._failures = 0
            return
        wait = 0.0 if clean else RESTART_SECONDS[min(self._failures, len(RESTART_SECONDS) - 1)]
        if not clean:
            self._failures += 1
            _log.warn("the bots' process ended; it is started again in {wait} s", wait=wait)
        self._timer = self._reactor.callLater(wait, self._ensure)


class _BotProcess(ProcessProtocol):
    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._waiting: list[bytes] | None = []  # until the pipe is open
        self._said = b""  # the beginning of a line

    def tell(self, order: dict[str, Any]) -> None:
        """Give it one order."""
        raw = json.dumps(order).encode("ascii") + b"\n"
        if self._waiting is not None:
            self._waiting.append(raw)
        else:
            self._wire.write(raw)

    def close(self) -> None:
        """No more orders: it ends by itself."""
        self._wire.loseConnection()
        self._wire.closeStdin()

    @property
    def _wire(self) -> Any:
        return cast(Any, self.transport)

    def connectionMade(self) -> None:
        """The pipe is open."""
        waiting, self._waiting = self._waiting or [], None
        self._wire.write(b"".join(waiting))

    def outReceived(self, data: bytes) -> None:
        """Its answers, one in a line; what is too long for a line is dropped."""
        *lines, rest = (self._said + data).split(b"\n")
        self._said = rest if len(rest) <= LONGEST_LINE else b""
        for line in lines:
            self._bots.on_line(line)

    def errReceived(self, data: bytes) -> None:
        """Its complaints go to the log."""
        _log.warn("bots: {text}", text=data.decode("utf-8", "replace").strip()[-2000:])

    def processEnded(self, reason: Failure) -> None:
        """It is gone."""
        self._bots.ended(self, getattr(reason.value, "exitCode", 1) == 0)
