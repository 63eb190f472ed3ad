"""Bounds on what a peer may cost: the numbers, and who counts them. Machines; time is passed in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from kontor_games.net.system.admission import Residents, Strangers
from kontor_games.net.system.buckets import Bucket, Buckets, Rate
from kontor_games.net.system.networks import household_of


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """How much a link may take before it is slowed down or cut; seconds, bytes, messages."""

    handshake: float = 10.0  # from the first byte to the other side's hello
    ping_every: float = 5.0
    silence: float = 20.0  # nothing heard for so long: the link is dead
    first_silence: float | None = None  # the same until the first ping was answered, if that may take longer
    probe: float = 4.0  # the same while a second link of the same peer makes us doubt the first
    retire: float = 5.0  # for the rest of what is on its way over a link, once another has taken over
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


class Meter:
    """Bytes and messages of one link, or of one peer over all its links."""

    __slots__ = ("_bytes", "_messages")

    def __init__(self, limits: LinkLimits) -> None:
        self._bytes = Bucket(Rate(limits.byte_rate, limits.byte_burst))
        self._messages = Bucket(Rate(limits.message_rate, limits.message_burst))

    def spend(self, now: float, size: int, messages: int) -> float:
        """Count what arrived; how long to wait before the next read. Every read passes here."""
        for_bytes = self._bytes.spend(now, size)
        for_messages = self._messages.spend(now, messages)
        return for_bytes if for_bytes > for_messages else for_messages  # faster than `max`


MAX_REMEMBERED: Final = 4096


class Meters:
    """One meter per peer, kept over reconnects so that a new link does not bring a new allowance."""

    def __init__(self, limits: LinkLimits) -> None:
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


class LinkDoor(Generic[T]):
    """Who may come in: a TLS handshake costs milliseconds, a connection memory; places are shared by network.

    Peers that we know (those of our matches and tables) need no place once TLS has shown their key. Until then they are
    strangers like everybody, so who comes from where a known peer came from waits in a room of its own: a flood from
    elsewhere does not take it away.
    """

    def __init__(self, limits: LinkLimits) -> None:
        self._strangers: Strangers[T] = Strangers(limits.pending)
        self._returning: Strangers[T] = Strangers(limits.pending_returning)
        self._visitors: Residents[T] = Residents(limits.visitors)
        self._friends: OrderedDict[str, None] = OrderedDict()  # households of known peers
        self._arrivals = Buckets(Rate(limits.connect_rate, limits.connect_burst), MAX_REMEMBERED)

    def why_not(self, host: str, now: float) -> str | None:
        """Why a connection from `host` is closed unseen, or None; counts it if not."""
        if self._arrivals.take(household_of(host), now) > 0:
            return "too many connections from this address in a short time"
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
        self._friends[household] = None
        if len(self._friends) > MAX_REMEMBERED:
            self._friends.popitem(last=False)

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
