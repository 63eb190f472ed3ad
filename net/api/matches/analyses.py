"""Analyses of finished matches: a program in a process of its own, at the lowest priority. An adapter.

The same program serves `kontor analyse`, and stores what it has done beside the match file after every few positions.
So nothing is lost whenever it ends, and whoever asks next goes on from there, in a browser or in a terminal.

1. One at a time: a second one is refused until the first is done or stopped.
2. Never while people play with each other on this node. It would cost them time; and whoever could ask an expert about
   a position of the match being played would not play it alone. One that runs when such a match begins is stopped.
3. It ends with the node: its standard input does, however the node ends.
4. It ends by itself after some hours, whatever a file from outside has cost it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Protocol, cast

import msgspec
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.net.api.http.api_errors import refused
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.record.replay import Replay
from kontor_games.net.system.child import environment

from .shown import PERSON, ShownMatch

LOOK_SECONDS: Final = 2.0  # between two looks whether people play
LEFT_SECONDS: Final = (
    600.0  # a match at one screen, or without its peers, in which nothing happened for so long was left
)
END_SECONDS: Final = 5.0  # for the program to end
MOST_SECONDS: Final = 4 * 3600.0
LONGEST_LINE: Final = 4096
WITH_PEOPLE: Final = "people play with each other on this node: analyses wait until their match is over"
_log = Logger(namespace="kontor.analyses")


class Analyst(Protocol):
    """The program that analyses, and what it has stored beside a file; handed in by whoever starts the node."""

    @property
    def command(self) -> tuple[str, ...]:
        """To which the path of a match file is added."""

    def told(self, path: Path, replay: Replay) -> dict[str, Any] | None:
        """What is stored about this match, in words: docs/local-api.md; None if nothing is."""


class AnalysisStep(msgspec.Struct):
    """How far it has come."""

    done: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
    total: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


def is_with_people(shown: ShownMatch, now: float) -> bool:
    """Whether people play with each other in this match, here and now."""
    if shown.status not in ("playing", "waiting") or not any(seat.mine for seat in shown.seats):
        return False
    is_recent = now - shown.updated < LEFT_SECONDS
    if shown.kind == "net":
        return shown.status == "playing" or is_recent
    return is_recent and sum(seat.kind == PERSON for seat in shown.seats) > 1


class Analyses:
    """The one analysis that runs, if any, and why the last one ended."""

    def __init__(
        self,
        reactor: Any,
        feed: Feed,
        analyst: Analyst | None,
        matches: Callable[[], Iterable[ShownMatch]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._reactor = reactor
        self._feed = feed
        self._analyst = analyst
        self._matches = matches
        self._clock = clock
        self._process: _AnalysisProcess | None = None
        self._timer: Any = None
        self._until = 0.0
        self._note = ("", "")  # replay, and why its analysis ended before it was done

    def why_not_now(self, replay: str) -> str | None:
        """Why an analysis of this replay cannot be started now; None if it can."""
        if self._analyst is None:
            return "this node has no program that analyses matches"
        if self._process is not None and self._process.replay != replay:
            return "another match is being analysed: stop that one first, or wait until it is done"
        if any(is_with_people(shown, self._clock()) for shown in self._matches()):
            return WITH_PEOPLE
        return None

    def step(self, replay: str) -> AnalysisStep | None:
        """How far the analysis of this replay has come; None if it does not run."""
        process = self._process
        return None if process is None or process.replay != replay or process.is_ending else process.step

    def note(self, replay: str) -> str:
        """Why the analysis of this replay ended before it was done; empty if it did not."""
        return self._note[1] if self._note[0] == replay else ""

    def start(self, replay: str, path: Path) -> None:
        """Begin, or go on; raises a refusal. While it runs already, nothing happens."""
        reason = self.why_not_now(replay)
        if reason is not None:
            raise refused(reason)
        if self._process is not None:
            if self._process.is_ending:
                raise refused("it is being stopped; ask again in a second")
            return
        assert self._analyst is not None
        self._note = ("", "")
        self._process = _AnalysisProcess(self, replay)
        self._until = self._reactor.seconds() + MOST_SECONDS
        arguments = [*self._analyst.command, str(path)]
        self._reactor.spawnProcess(self._process, arguments[0], arguments, env=environment())
        self._timer = self._reactor.callLater(LOOK_SECONDS, self._look)
        self._tell(self._process)

    def stop(self, replay: str, why: str = "") -> None:
        """End the analysis of this replay, if it runs; what is done stays."""
        process = self._process
        if process is None or process.replay != replay or process.is_ending:
            return
        self._note = (replay, why)
        self._cancel()
        process.close()
        self._timer = self._reactor.callLater(END_SECONDS, process.kill)
        self._tell(process)

    def close(self) -> None:
        """The node stops."""
        self._cancel()
        if self._process is not None:
            self._process.close()

    def said(self, process: _AnalysisProcess, line: bytes) -> None:
        """The program has come further; whatever else it says is not listened to."""
        try:
            process.step = msgspec.json.decode(line, type=AnalysisStep)
        except msgspec.MsgspecError:
            return
        self._tell(process)

    def ended(self, process: _AnalysisProcess, code: int | None) -> None:
        """It is gone: done, stopped, or broken."""
        self._cancel()
        was_stopped, self._process = process.is_ending, None
        process.is_ending = True
        if code != 0 and not was_stopped:
            _log.warn("an analysis ended with {code}", code=code)
            self._note = (process.replay, "the analysis ended before it was done; the node's log says more")
        self._tell(process)

    def _look(self) -> None:
        """Whether it may go on."""
        self._timer = self._reactor.callLater(LOOK_SECONDS, self._look)
        assert self._process is not None
        reason = self.why_not_now(self._process.replay)
        if reason is None and self._reactor.seconds() > self._until:
            reason = "it took too long; go on to give it more time"
        if reason is not None:
            self.stop(self._process.replay, reason)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _tell(self, process: _AnalysisProcess) -> None:
        step = process.step
        self._feed.add("analysis", id=process.replay, running=not process.is_ending, done=step.done, total=step.total)


class _AnalysisProcess(ProcessProtocol):
    def __init__(self, analyses: Analyses, replay: str) -> None:
        self._analyses = analyses
        self.replay = replay
        self.step = AnalysisStep(0, 0)
        self.is_ending = False
        self._said = b""  # the beginning of a line

    def close(self) -> None:
        """Let it end: it hears the end of its input."""
        self.is_ending = True
        cast(Any, self.transport).closeStdin()

    def kill(self) -> None:
        """It did not end by itself."""
        cast(Any, self.transport).signalProcess("KILL")

    def outReceived(self, data: bytes) -> None:
        """Its progress, in lines; what is too long for a line is dropped."""
        *lines, rest = (self._said + data).split(b"\n")
        self._said = rest if len(rest) <= LONGEST_LINE else b""
        for line in lines:
            self._analyses.said(self, line)

    def errReceived(self, data: bytes) -> None:
        """Its complaints go to the log."""
        _log.info("analysis: {text}", text=data.decode("utf-8", "replace").strip()[-2000:])

    def processEnded(self, reason: Failure) -> None:
        """It is gone."""
        self._analyses.ended(self, getattr(reason.value, "exitCode", None))
