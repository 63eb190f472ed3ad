"""Bounds on what a peer may cost: token buckets and the numbers behind them. Deterministic; time is passed in."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Final


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
    pending: int = 64  # connections that have not said hello yet, all together
    pending_per_address: int = 16
    links: int = 256  # accepted links, all together
    links_per_address: int = 32
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


class Door:
    """Who may come in: a TLS handshake costs milliseconds, a link memory; bounded per address and in all."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pending: Counter[str] = Counter()
        self._inside: Counter[str] = Counter()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def why_not(self, address: str, now: float) -> str | None:
        """Why a connection from `address` is closed unseen, or None; counts it as pending if not."""
        limits, place = self._limits, _network(address)
        bucket = self._buckets.pop(place, None) or Bucket(limits.connect_rate, limits.connect_burst)
        self._buckets[place] = bucket
        if len(self._buckets) > MAX_REMEMBERED:
            self._buckets.popitem(last=False)
        if bucket.take(0, now) > 0:
            return "too many connections from this address in a short time"
        if self._pending.total() >= limits.pending:
            return "too many connections are waiting for their handshake"
        if self._pending[place] >= limits.pending_per_address:
            return "too many connections of this address are waiting for their handshake"
        if self._inside.total() >= limits.links or self._inside[place] >= limits.links_per_address:
            return "too many links are open"
        bucket.take(1, now)
        self._pending[place] += 1
        return None

    def passed(self, address: str) -> None:
        """A connection that was let in has said hello."""
        self._count(self._pending, address, -1)
        self._count(self._inside, address, 1)

    def gone(self, address: str, had_passed: bool) -> None:
        """A connection that was let in is gone."""
        self._count(self._inside if had_passed else self._pending, address, -1)

    @staticmethod
    def _count(counter: Counter[str], address: str, change: int) -> None:
        place = _network(address)
        counter[place] += change
        if counter[place] == 0:
            del counter[place]


def _network(address: str) -> str:
    """An IPv4 address itself; of an IPv6 address the half that its owner cannot choose."""
    if ":" not in address or address.startswith("::ffff:"):
        return address
    import ipaddress

    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address
