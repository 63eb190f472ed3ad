"""A lasting connection to Redis: commands are sent, sent again after a loss, given up after a while. An adapter.

A command waits in `_calls` until it is answered. A connection that does not answer for REPLY_TIME (a server that was
stopped, a network that swallows everything) is ended and made anew; what has no answer by then is sent again in the
order in which it was asked. So whoever calls must ask only for what may be done twice: reads, and commits that carry a
name of their own (commit.lua). After GIVE_UP seconds the caller is told what is known: that it was never sent, or that
nobody can say.

Some refusals pass by themselves: a server that loads its file, a replica that is asked before the address leads to the
new master. They end the connection too, and the command stays. Others are for the caller: out of memory, no disk.
Every new connection is greeted (greeting.py) before it carries anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.store.base import Busy, Full, OutcomeUnknown, Unreachable

from .greeting import Greeting, Unfit, greet
from .place import RedisPlace
from .redis_wire import Argument, NotTrusted, RedisWire, ReplyRefused, WireLost, connect_to
from .store_clock import StoreClock

REPLY_TIME: Final = 3.0  # seconds without a reply after which a connection is not believed any more
GIVE_UP: Final = 15.0  # seconds after which a caller is told that there is no answer
TIME_EVERY: Final = 2.0  # seconds after which the server is asked for the time: silence is noticed, and its clock known
LOOK_EVERY: Final = 0.5
BACK_OFF: Final = 0.05
MAX_BACK_OFF: Final = 1.0
MAX_CALLS: Final = 20_000
PASSING: Final = ("LOADING", "READONLY", "NOSCRIPT", "MASTERDOWN", "CLUSTERDOWN", "UNBLOCKED", "BUSY", "TRYAGAIN")
_log = Logger(namespace="kontor.lobby")


class TooSlow(StoreError):
    """The server took our connection and said nothing in time."""


class RedisCall:
    """A command that waits for its reply."""

    __slots__ = ("answer", "command", "is_sent", "sent_at", "since")

    def __init__(self, command: Sequence[Argument], since: float) -> None:
        self.command = command
        self.since = since
        self.answer: Deferred[Any] = Deferred()
        self.is_sent = False  # at least once, on whatever connection
        self.sent_at = 0.0


class RedisLink:
    """One place, kept connected from `open` to `close`."""

    def __init__(self, reactor: Any, place: RedisPlace, purpose: str, clock: Callable[[], float]) -> None:
        self.greeting: Greeting | None = None  # of the last connection
        self._reactor = reactor
        self._place = place
        self._purpose = purpose
        self._clock = StoreClock(reactor.seconds, clock)
        self._asked_time_at = 0.0
        self._calls: dict[RedisCall, None] = {}  # in the order in which they were asked
        self._wire: RedisWire | None = None  # greeted, good for calls
        self._heard_at = 0.0
        self._tries = 0
        self._is_closed = False
        self._trouble = ""
        self._dialling: Deferred[None] | None = None
        self._timer: Any = None
        self._watch = LoopingCall(self._look)
        self._watch.clock = reactor

    @property
    def skew(self) -> float:
        """Seconds that the server's clock is ahead of this machine's."""
        return self._clock.skew

    async def open(self) -> None:
        """Connect for the first time; ConfigError or StoreError says why that does not work.

        A server that loads its file, or a machine so busy that it does not answer in time, is given a while: after a
        power cut all of them start together.
        """
        until = self._reactor.seconds() + GIVE_UP
        while True:
            try:
                wire = await self._connected()
                break
            except NotTrusted:
                raise
            except (TooSlow, WireLost, ReplyRefused) as error:
                is_passing = not isinstance(error, ReplyRefused) or error.code in PASSING
                if not is_passing or self._reactor.seconds() >= until:
                    raise
                self._say(f"the server is not ready: {error}")
            await deferLater(self._reactor, MAX_BACK_OFF)
        self._watch.start(LOOK_EVERY, now=False)
        self._ready(wire)

    async def call(self, *command: Argument) -> Any:
        """The reply; Unreachable, OutcomeUnknown or Busy if there is none."""
        if self._is_closed:
            raise Unreachable("the lobby is closing")
        if len(self._calls) >= MAX_CALLS:
            raise Busy("the lobby's store cannot keep up; try again in a moment")
        call = RedisCall(command, self._reactor.seconds())
        self._calls[call] = None
        if self._wire is not None:
            self._send(self._wire, call)
        return await call.answer

    # ---- sending

    def _send(self, wire: RedisWire, call: RedisCall) -> None:
        call.is_sent, call.sent_at = True, self._reactor.seconds()
        wire.send(call.command).addCallbacks(self._replied, self._failed, (wire, call), {}, (wire, call), {})

    def _replied(self, reply: Any, wire: RedisWire, call: RedisCall) -> None:
        self._heard_at = self._reactor.seconds()
        if call in self._calls:
            del self._calls[call]
            call.answer.callback(reply)

    def _failed(self, failure: Failure, wire: RedisWire, call: RedisCall) -> None:
        error = failure.value
        if call not in self._calls or isinstance(error, WireLost):
            return  # answered elsewhere, or to be sent again
        if isinstance(error, ReplyRefused) and error.code in PASSING:
            self._say(f"the server is not ready: {error}")
            if wire is self._wire:
                self._wire = None
            wire.abort()
            return
        del self._calls[call]
        call.answer.errback(_for_caller(error))

    # ---- connecting

    async def _connected(self) -> RedisWire:
        holder: list[RedisWire] = []
        wire = await connect_to(self._reactor, self._place, lambda reason: self._lost(holder, reason))
        holder.append(wire)
        late = self._reactor.callLater(REPLY_TIME, wire.abort)
        try:
            self.greeting = await greet(wire, self._place, self._purpose)
            asked = self._reactor.seconds()
            self._tell_time(await wire.send(("TIME",)), asked)
        except Exception as error:
            is_in_time = late.active()
            await wire.end()  # a server that is not ready has answered, and would keep it
            if is_in_time or not isinstance(error, WireLost):
                raise
            raise TooSlow(f"{self._place} did not answer within {REPLY_TIME:g} seconds") from error
        finally:
            if late.active():
                late.cancel()
        return wire

    def _ready(self, wire: RedisWire) -> None:
        """A connection is good: whatever has no answer is sent on it, in order."""
        self._tries, self._heard_at = 0, self._reactor.seconds()
        if self._is_closed or wire.is_lost:
            wire.abort()
            if not self._is_closed:
                self._later()
            return
        self._wire = wire
        if self._trouble:
            self._trouble = ""
            _log.info("store reached again", link=self._purpose, store=str(self._place), waiting=len(self._calls))
        for call in list(self._calls):
            self._send(wire, call)

    def _lost(self, holder: list[RedisWire], reason: str) -> None:
        if holder and self._wire is holder[0]:
            self._wire = None
        if self._is_closed or not holder or self._dialling is not None:
            return  # nobody needs it, or whoever was connecting tries again
        if self._watch.running:
            if not self._trouble:  # else we have ended it ourselves, and said why
                self._say(reason)
            self._later()

    def _later(self) -> None:
        if self._timer is None and not self._is_closed:
            wait = min(MAX_BACK_OFF, BACK_OFF * 2 ** min(self._tries, 8))
            self._tries += 1
            self._timer = self._reactor.callLater(wait, self._dial)

    def _dial(self) -> None:
        self._timer = None
        if self._dialling is None and self._wire is None and not self._is_closed:
            self._dialling = Deferred.fromCoroutine(self._connected())  # type: ignore[arg-type]
            self._dialling.addCallbacks(self._dialled, self._not_dialled)

    def _dialled(self, wire: Any) -> None:
        self._dialling = None
        self._ready(wire)

    def _not_dialled(self, failure: Failure) -> None:
        self._dialling = None
        self._say(failure.getErrorMessage() or str(failure.type))
        self._later()

    def _say(self, trouble: str) -> None:
        """Tell the log once what is wrong, not at every attempt."""
        if trouble != self._trouble and not self._is_closed:
            self._trouble = trouble
            _log.warn(
                "store not reached",
                link=self._purpose,
                store=str(self._place),
                reason=trouble,
                waiting=len(self._calls),
            )

    # ---- watching

    def _look(self) -> None:
        now = self._reactor.seconds()
        wire = self._wire
        oldest = next((call for call in self._calls if call.is_sent), None)
        if wire is not None and oldest is not None and now - max(oldest.sent_at, self._heard_at) > REPLY_TIME:
            self._say("the server does not answer")
            self._wire = None
            wire.abort()
            self._later()
        elif wire is not None and now - self._asked_time_at > TIME_EVERY:
            self._asked_time_at = now
            Deferred.fromCoroutine(self.call("TIME")).addCallbacks(self._tell_time, lambda _: None, (now,))
        for call in [call for call in self._calls if now - call.since > GIVE_UP]:
            del self._calls[call]
            call.answer.errback(self._no_answer(call))

    def _tell_time(self, reply: Any, asked: float) -> None:
        seconds, micros = reply
        self._clock.heard(int(seconds) + int(micros) / 1e6, asked)

    def _no_answer(self, call: RedisCall) -> StoreError:
        if call.is_sent:
            return OutcomeUnknown("the lobby's store does not answer; nobody can say whether this was done")
        return Unreachable("the lobby's store cannot be reached; nothing was changed, try again in a moment")

    async def close(self) -> None:
        """Let go; whoever still waits is told."""
        self._is_closed = True
        if self._watch.running:
            self._watch.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        calls, self._calls = self._calls, {}
        for call in calls:
            call.answer.errback(self._no_answer(call))
        if self._dialling is not None:
            self._dialling.cancel()
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.end()


def _for_caller(error: BaseException | None) -> StoreError:
    """What the server refused, in words for the operator's log and for people."""
    code = error.code if isinstance(error, ReplyRefused) else ""
    match code:
        case "OOM":
            return Full("the lobby's store is full; nothing was changed, its operators have to make room")
        case "MISCONF":
            return Unreachable("the lobby's store cannot write to its disk; nothing was changed, try again later")
        case "NOREPLICAS":
            return Unreachable("the lobby's store has too few copies; nothing was changed, try again later")
        case "NOAUTH" | "NOPERM" | "WRONGPASS":
            return Unfit(f"the lobby's store does not let us in: {error}")
    return StoreError(f"the lobby's store refused a command: {error}")
