"""One link between two nodes, after TLS: hello, keep-alive, limits, decoding. A machine without I/O.

How a link hands over to a better one, as from a lobby's relay to a direct way, in the middle of a match:

1. A second link to the same peer says hello, and both sides find it better (net/links/roster.py). From then on each
   side sends over the new one only. What it sent before is still on its way over the old one, so nobody closes it.
2. The side that dialled the new link says LinkBye on the old one at once: that is the last of what it sent there. The
   other side answers with its own LinkBye, the last of what it sent there, and leaves closing to the first.
3. The first closes when it has read that answer. So it knows that both directions arrived; the other knows it when the
   connection ends in order behind its answer. Then nothing was lost and nothing has to be said again.
4. Whatever else happens (the old link breaks, an answer does not come in time) may have cost messages: then the peer
   counts as reached anew, and both sides offer each other what may be missing, as after every loss.

A node that does not know this ends the old link at once; its hello does not list MOVES, and rule 4 holds. A peer that
never answers or floods the old link gains nothing: the link is read under the same limits, and ends after `retire`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.wire.frames import FrameReader, pack_frame
from kontor_games.net.wire.messages import (
    OLDEST,
    PROTOCOL,
    About,
    AnyMessage,
    Hello,
    LinkBye,
    Ping,
    Pong,
    decode,
    encode,
)

from .limits import LinkLimits, Meter

VERSIONS: Final = tuple(range(OLDEST, PROTOCOL + 1))
ABOUT: Final = "about"  # the feature of those who understand About, Ways and a Pong with a clock
REMATCH: Final = "rematch"  # the feature of those who understand Rematch
MOVES: Final = "moves"  # the feature of those who read an old link to its end, and know all kinds of ways
TALK: Final = "talk"  # the feature of those who understand TableSay and TableSaid
LATE: Final = 0.5  # seconds: if our own clock comes later than that, this process stood still
_SAMPLES: Final = 8  # of the other clock; the quickest of them is the most exact
_BATCH: Final = 64 * 1024
_OURS: Final = frozenset((Hello, Ping, Pong, About, LinkBye))  # what is not for the link's owner


class LinkState(Enum):
    """How far a link has come."""

    SECURING = auto()  # TLS is shaking hands
    GREETING = auto()  # our hello is out
    OPEN = auto()
    RETIRING = auto()  # another link has taken over; what is still on its way is read
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Write:
    """Send these bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """The other side has said hello: only now is it sure that it accepted us."""

    hello: Hello


@dataclass(frozen=True, slots=True)
class Received:
    """A message for whoever owns the link."""

    message: AnyMessage


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop reading until a Resume."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Read again."""


@dataclass(frozen=True, slots=True)
class Close:
    """End the link; `abort` without waiting for anything."""

    reason: str
    abort: bool


Effect = Write | Opened | Received | Pause | Resume | Close


class Link:
    """The protocol of one link; every input returns what is to be done."""

    def __init__(
        self,
        hello: Hello,
        limits: LinkLimits,
        now: float,
        wall: Callable[[], float] = lambda: 0.0,
        about: Callable[[], About] | None = None,
    ) -> None:
        self.state = LinkState.SECURING
        self.round_trip: float | None = None
        self.protocol = OLDEST  # the highest that both sides list, once the other side has said hello
        self.about: About | None = None  # what the other side says that it runs
        self._hello = hello
        self._wall = wall  # this machine's clock as people read it: seconds since 1970
        self._about = about  # what we say; only to those who asked for it by their hello
        self._knows_about = False
        self.features: tuple[str, ...] = ()  # of the other side
        self._skews: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)  # round trip, their clock minus ours
        self._limits = limits
        self._meters: Sequence[Meter] = (Meter(limits),)
        self._reader = FrameReader()
        self._greet_by = now + limits.handshake
        self._heard_at = now
        self._silence = limits.silence
        self._ping_at = now
        self._ping_number = 0
        self._ping_sent: float | None = None
        self._over_since: float | None = None
        self._paused_until: float | None = None
        self._outbox: deque[bytes] = deque()
        self._outbox_size = 0
        self._stalled_since: float | None = None
        self._retire_by: float | None = None
        self._speaks_first = False  # of the two who retire this link
        self._said_last = self._heard_last = False
        self._ended_in_order = False

    # What the world did.

    def secured(self, peer_meter: Meter, now: float) -> list[Effect]:
        """TLS is up with a key that may talk to us; say hello."""
        if self.state is not LinkState.SECURING:
            raise LocalError(f"a link is secured once, not in state {self.state.name}")
        self.state = LinkState.GREETING
        self._meters = (*self._meters, peer_meter)
        self._heard_at = now
        return self._write(self._hello)

    def bytes_received(self, data: bytes, now: float) -> list[Effect]:
        """The next piece of the other side's stream."""
        if self.state in (LinkState.SECURING, LinkState.CLOSED):
            return []
        self._heard_at = now
        self._reader.feed(data)
        effects: list[Effect] = []
        count = 0
        try:
            while not self.is_closed and (frame := self._reader.next()) is not None:
                count += 1
                effects += self._received(decode(frame[1], frame[0]), now)
        except RemoteError as error:
            return effects + self._close(str(error), abort=True)
        first = self._limits.first_silence  # only now: the answer to the first ping may have been among it
        self._silence = self._limits.silence if first is None or self.round_trip is not None else first
        return effects + self._metered(len(data), count, now)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed; see `wake_at`."""
        if self.state is LinkState.CLOSED:
            return []
        effects: list[Effect] = []
        if self._paused_until is not None:
            self._heard_at = now  # we did not listen
            if now >= self._paused_until:
                self._paused_until = None
                effects.append(Resume())
        if self._retire_by is not None:
            return [*effects, *self._close("it did not end in time", abort=True)] if now >= self._retire_by else effects
        if self.state is not LinkState.OPEN:
            if now >= self._greet_by:
                step = "TLS handshake" if self.state is LinkState.SECURING else "hello"
                return self._close(f"no {step} within {self._limits.handshake:g} s", abort=True)
            return effects
        if self._stalled_since is not None and now >= self._stalled_since + self._limits.stall:
            return self._close(f"the other side took nothing for {self._limits.stall:g} s", abort=True)
        if now >= self._ping_at + LATE:  # what was said while we stood still waits to be read
            self._heard_at = max(self._heard_at, now + LATE - self._silence)
        if now >= self._heard_at + self._silence:
            return self._close(f"nothing heard for {self._silence:g} s", abort=True)
        if now >= self._ping_at:
            effects += self._ping(now)
        return effects

    def write_paused(self, now: float) -> list[Effect]:
        """The other side does not take what we send; keep the rest here, within bounds."""
        if self._stalled_since is None:
            self._stalled_since = now
        return []

    def write_resumed(self) -> list[Effect]:
        """It takes bytes again."""
        self._stalled_since = None
        batch: list[bytes] = []
        size = 0
        while self._outbox and size < _BATCH:
            data = self._outbox.popleft()
            batch.append(data)
            size += len(data)
        self._outbox_size -= size
        return [Write(b"".join(batch))] if batch else []

    def lost(self, in_order: bool = False) -> None:
        """The connection is gone; `in_order` if the other side closed it and nothing was cut off."""
        self._ended_in_order = in_order
        self.state = LinkState.CLOSED
        self._outbox.clear()
        self._outbox_size = 0

    # What the owner wants.

    def send(self, message: AnyMessage) -> list[Effect]:
        """Send a message; only an open link can."""
        if self.state in (LinkState.CLOSED, LinkState.RETIRING):
            return []  # closed in this very moment; the owner will hear of it
        if self.state is not LinkState.OPEN:
            raise LocalError("a message can be sent only after the other side's hello")
        return self._write(message)

    def probe(self, now: float) -> list[Effect]:
        """The peer has opened a second link, so this one may be dead: ask, and wait for less long than usual."""
        if self.state is not LinkState.OPEN:
            return []
        left = self._heard_at + self._silence - now  # a doubt does not make us wait for longer
        self._heard_at, self._silence = now, max(0.0, min(self._limits.probe, left))
        return self._ping(now)

    def retire(self, speaks_first: bool, now: float) -> list[Effect]:
        """Another link has taken over: read this one to its end."""
        if self.state is not LinkState.OPEN:
            return []
        self.state = LinkState.RETIRING
        self._retire_by = now + self._limits.retire
        self._speaks_first = speaks_first
        return self._say_last() if speaks_first else []

    def close(self, reason: str) -> list[Effect]:
        """End the link in order."""
        if self.state is LinkState.CLOSED:
            return []
        if self._said_last:
            return self._close(reason, abort=True)
        stuck = self.state is LinkState.SECURING or self._stalled_since is not None
        said = [] if stuck else self._write(LinkBye(reason[:400]))
        return said + self._close(reason, abort=stuck)

    @property
    def wake_at(self) -> float | None:
        """When `tick` has something to do next."""
        if self.state is LinkState.CLOSED:
            return None
        if self._retire_by is not None:
            return self._retire_by if self._paused_until is None else min(self._retire_by, self._paused_until)
        if self.state is not LinkState.OPEN:
            return min(self._greet_by, self._paused_until or self._greet_by)
        at = min(self._ping_at, self._heard_at + self._silence)
        if self._stalled_since is not None:
            at = min(at, self._stalled_since + self._limits.stall)
        return at if self._paused_until is None else min(at, self._paused_until)

    @property
    def skew(self) -> float | None:
        """How many seconds the other clock is ahead of ours, give or take half a round trip; None if it is not told."""
        return min(self._skews)[1] if self._skews else None

    @property
    def was_handed_over(self) -> bool:
        """Whether everything that both sides sent on this link has arrived, as far as this side can know."""
        return self._heard_last and self._said_last and (self._speaks_first or self._ended_in_order)

    @property
    def is_open(self) -> bool:
        """Whether messages can be sent over it."""
        return self.state is LinkState.OPEN

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state is LinkState.CLOSED

    @property
    def is_waiting_to_write(self) -> bool:
        """Whether messages are kept for a slow reader."""
        return bool(self._outbox)

    # How it does it.

    def _received(self, message: AnyMessage, now: float) -> list[Effect]:
        if self.state is LinkState.GREETING:
            if not isinstance(message, Hello):
                raise RemoteError(f"{type(message).__name__} before Hello")
            common = set(message.versions) & set(self._hello.versions)
            if not common:  # our Bye goes first: the other side is told why, and does not have to guess
                return self.close(_no_common(self._hello.versions, message.versions))
            self.protocol = max(common)
            self.state = LinkState.OPEN
            self._reader.greeted = True
            self.features = message.features
            self._knows_about = ABOUT in message.features
            told = self._write(self._about()) if self._knows_about and self._about is not None else []
            return [Opened(message), *told, *self._ping(now)]
        if self._heard_last:
            raise RemoteError("something behind a goodbye")
        if type(message) not in _OURS:
            return [Received(message)]
        match message:
            case Hello():
                raise RemoteError("a second Hello")
            case Ping(number=number):
                if self._said_last:
                    return []
                return self._write(Pong(number, int(self._wall() * 1000) if self._knows_about else 0))
            case Pong(number=number, clock=clock):
                if self._ping_sent is not None and number == self._ping_number:
                    self._note_round_trip(now - self._ping_sent, clock)
                    self._ping_sent = None
                return []
            case About():
                self.about = message
                return []
            case LinkBye() if self.state is LinkState.RETIRING:
                return self._last_word_heard()
            case LinkBye(reason=reason):
                return self._close(f"the other side ended it: {ascii(reason)[1:-1]}", abort=False)
        raise AssertionError(message)  # _OURS lists what is not listed here

    def _last_word_heard(self) -> list[Effect]:
        self._heard_last = True
        return self._close("another link has taken over", abort=False) if self._speaks_first else self._say_last()

    def _say_last(self) -> list[Effect]:
        self._said_last = True
        return self._write(LinkBye("another link has taken over"))

    def _note_round_trip(self, seconds: float, clock: int) -> None:
        if clock:  # their answer was given about half a round trip ago
            self._skews.append((seconds, clock / 1000 - (self._wall() - seconds / 2)))
        old = self.round_trip
        self.round_trip = seconds if old is None else old + (seconds - old) / 4

    def _ping(self, now: float) -> list[Effect]:
        self._ping_at = now + self._limits.ping_every
        self._ping_number += 1
        self._ping_sent = now
        return self._write(Ping(self._ping_number))

    def _metered(self, size: int, messages: int, now: float) -> list[Effect]:
        if self.state is LinkState.CLOSED:
            return []
        wait = 0.0
        for meter in self._meters:
            wait = max(wait, meter.spend(now, size, messages))
        if not wait:
            self._over_since = None
            return []
        if self._over_since is None:
            self._over_since = now
        elif now - self._over_since >= self._limits.patience:
            return self._close(f"flood: over the rate for {self._limits.patience:g} s", abort=True)
        self._paused_until = now + wait
        return [Pause()]

    def _write(self, message: AnyMessage) -> list[Effect]:
        data = pack_frame(encode(message))
        if self._stalled_since is None and not self._outbox:
            return [Write(data)]
        self._outbox.append(data)
        self._outbox_size += len(data)
        if self._outbox_size > self._limits.outbox:
            return self._close(f"slow reader: {self._outbox_size} bytes wait for it", abort=True)
        return []

    def _close(self, reason: str, abort: bool) -> list[Effect]:
        self.state = LinkState.CLOSED
        self._outbox.clear()
        self._outbox_size = 0
        return [Close(reason, abort)]


def _no_common(ours: Sequence[int], theirs: Sequence[int]) -> str:
    """Why two nodes cannot talk; both of them read it."""
    one, other = (", ".join(map(str, sorted(set(versions)))) for versions in (theirs, ours))
    return f"one node speaks protocol {one}, the other {other}: the one with the lower numbers has to be updated"
