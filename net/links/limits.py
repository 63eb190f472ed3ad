"""Bounds on what a peer may cost: token buckets and the numbers behind them. Deterministic; time is passed in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from kontor_games.net.system.admission import Residents, Strangers
from kontor_games.net.system.networks import household_of


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a link may take before it is slowed down or cut; seconds, bytes, messages."""

    handshake: float = 10.0  # from the first byte to the other side's hello
    ping_every: float = 5.0
    silence: float = 20.0  # nothing heard for so long: the link is dead
    probe: float = 4.0  # the same while a second link of the same peer makes us doubt the first
    stall: float = 30.0  # the other side has taken nothing for so long
    outbox: int = 8 * 1024 * 1024  # bytes kept for a slow reader
    byte_rate: float = 2.0 * 1024 * 1024
    byte_burst: float = 16.0 * 1024 * 1024
    message_rate: float = 2000.0
    message_burst: float = 10000.0
    patience: float = 30.0  # over the rate for so long without a break: the link is cut
    pending: int = 128  # accepted connections that have not said hello yet
    pending_returning: int = 32  # besides, from where peers that we know came from
    visitors: int = 64  # accepted links of peers that we do not know from a match or a table
    connect_rate: float = 5.0  # connections per second from one address
    connect_burst: float = 60.0


class Bucket:
    """A token bucket that may go into debt: what has arrived cannot be refused, only waited out."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._level = burst
        self._at: float | None = None

    def take(self, amount: float, now: float) -> float:
        """Take `amount`; how many seconds to wait until the debt is paid (0 if there is none)."""
        if self._at is not None and now > self._at:
            self._level = min(self.burst, self._level + (now - self._at) * self.rate)
        self._at = now if self._at is None else max(self._at, now)  # a clock set back earns nothing twice
        self._level -= amount
        return max(0.0, -self._level / self.rate)


class Meter:
    """Bytes and messages of one link, or of one peer over all its links: two buckets filled by one clock.

    Every read passes here, so the two are written out instead of calling `Bucket` twice.
    """

    __slots__ = ("_at", "_bytes", "_limits", "_messages")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = limits.byte_burst
        self._messages = limits.message_burst
        self._at: float | None = None

    def take(self, size: int, messages: int, now: float) -> float:
        """Count what arrived; how long to wait before the next read."""
        limits = self._limits
        if self._at is None:
            self._at = now
        elif now > self._at:
            passed, self._at = now - self._at, now
            self._bytes = min(limits.byte_burst, self._bytes + passed * limits.byte_rate)
            self._messages = min(limits.message_burst, self._messages + passed * limits.message_rate)
        self._bytes -= size
        self._messages -= messages
        if self._bytes >= 0 and self._messages >= 0:
            return 0.0
        return max(-self._bytes / limits.byte_rate, -self._messages / limits.message_rate)


MAX_REMEMBERED: Final = 4096


class Meters:
    """One meter per peer, kept over reconnects so that a new link does not bring a new allowance."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._of: OrderedDict[bytes, Meter] = OrderedDict()

    def of(self, peer: bytes) -> Meter:
        """The peer's meter; the one unused for longest is forgotten when there are too many."""
        meter = self._of.pop(peer, None) or Meter(self._limits)
        self._of[peer] = meter
        if len(self._of) > MAX_REMEMBERED:
            self._of.popitem(last=False)
        return meter


T = TypeVar("T", bound=Hashable)


class Door(Generic[T]):
    """Who may come in: a TLS handshake costs milliseconds, a connection memory; places are shared by network.

    Peers that we know (those of our matches and tables) need no place once TLS has shown their key. Until then they are
    strangers like everybody, so who comes from where a known peer came from waits in a room of its own: a flood from
    elsewhere does not take it away.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._strangers: Strangers[T] = Strangers(limits.pending)
        self._returning: Strangers[T] = Strangers(limits.pending_returning)
        self._visitors: Residents[T] = Residents(limits.visitors)
        self._friends: OrderedDict[str, None] = OrderedDict()  # households of known peers
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def why_not(self, host: str, now: float) -> str | None:
        """Why a connection from `host` is closed unseen, or None; counts it if not."""
        limits, household = self._limits, household_of(host)
        bucket = self._buckets.pop(household, None) or Bucket(limits.connect_rate, limits.connect_burst)
        _keep(self._buckets, household, bucket)
        if bucket.take(0, now) > 0:
            return "too many connections from this address in a short time"
        bucket.take(1, now)
        return None

    def enter(self, who: T, host: str, now: float) -> T | None:
        """A connection has come; who has to go for it, or None."""
        room = self._returning if household_of(host) in self._friends else self._strangers
        return room.enter(who, host, now)

    def recognise(self, who: T, host: str) -> None:
        """It is a peer that we know: it needs no place, and where it comes from is remembered."""
        self.leave(who)
        household = household_of(host)
        self._friends.pop(household, None)
        _keep(self._friends, household, None)

    def settle(self, who: T, host: str) -> T | None:
        """A visitor has said hello; who has to go for it: None, or another, or `who` itself."""
        self.leave(who)
        return self._visitors.enter(who, host)

    def leave(self, who: T) -> None:
        """A connection is gone."""
        for room in (self._strangers, self._returning, self._visitors):
            room.leave(who)

    @property
    def is_empty(self) -> bool:
        """Whether nobody holds a place."""
        return not (self._strangers or self._returning or self._visitors)


V = TypeVar("V")


def _keep(memory: OrderedDict[str, V], name: str, value: V) -> None:
    memory[name] = value
    if len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)
