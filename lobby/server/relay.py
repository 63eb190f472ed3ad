"""The blind relay: two nodes show a token each and get a pipe between them. What runs through it is their TLS.

A node connects to the lobby's port, sends `KRL1` and its 32-byte token, and waits for one byte: ACCEPTED once the
other side is there too, or REFUSED before the connection closes. Everything after that byte is passed on unread.

A pass counts against the key and the network that asked for it and against nobody else, so that nobody can use up what
others may have. Passes that nobody came for yet and pairs at work are shared by network as
net/system/admission.py says, and so is the relay's bandwidth when it is too little for all.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from kontor_games.lobby.settings.config import RelaySettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.system.admission import Residents, Strangers
from kontor_games.net.system.buckets import Rate
from kontor_games.net.system.networks import network_of

from .fairness import Shares

ACCEPTED: Final = b"\x06"
REFUSED: Final = b"\x15"
TOKEN: Final = 32
READ_BYTES: Final = 64 * 1024  # of a joined end at a time; before that the door's bound holds
TURN_EVERY: Final = 0.02
SETTLE_EVERY: Final = 128 * 1024  # bytes of one end between two looks at its share; looking costs a tenth of a read
NOTE_EVERY: Final = 1024 * 1024  # bytes carried for a key before they are noted in the store
NOTE_SECONDS: Final = 30.0  # after so long, fewer bytes are noted too
PASS_GRACE: Final = 5.0  # seconds that a fresh pass is kept while others want its place


@dataclass(slots=True, eq=False)
class RelayPair:
    """Two keys that may meet, and their ends of the pipe once they have come; the first asked for it, from `host`."""

    keys: tuple[bytes, bytes]
    host: str
    since: float
    ends: list[RelayEnd | None] = field(default_factory=lambda: [None, None])
    is_joined: bool = False


class Relay:
    """Hands out tokens, joins pairs, and keeps them within their limits."""

    def __init__(
        self, reactor: Any, settings: RelaySettings, metrics: Metrics, note_use: Callable[[bytes, int], None]
    ) -> None:
        self.reactor = reactor
        self.settings = settings
        self.metrics = metrics
        self._note_use = note_use
        self._tokens: dict[bytes, tuple[RelayPair, int]] = {}
        self._pairs: set[RelayPair] = set()
        self._passes: Strangers[RelayPair] = Strangers(settings.max_passes, PASS_GRACE)  # not joined yet
        self._joined: Residents[RelayPair] = Residents(settings.max_pairs)
        self._asked: Counter[bytes] = Counter()  # pairs by who asked for them
        self._per_key: Counter[bytes] = Counter()  # pairs by either side
        self._left: dict[bytes, int] = {}  # bytes of today's quota, while a key has pairs
        self._carried: Counter[bytes] = Counter()  # not noted in the store yet
        self._noted_at = reactor.seconds()
        self._strangers: set[RelayEnd] = set()  # connected, no token yet
        total = settings.total_bytes_per_second
        self.shares: Shares[RelayEnd] = Shares(
            Rate(settings.bytes_per_second, settings.bytes_burst), Rate(total, max(total / 4, 256 * 1024))
        )
        self._turning: Any = None
        self.why_not: Callable[[], str | None] = lambda: None  # why nobody could find the way here

    # The lobby's half: tokens.

    def expect(self, one: bytes, other: bytes, left: tuple[int, int], host: str) -> tuple[bytes, bytes]:
        """A token for each of two keys, asked for by the first from `host`; ValueError says why there are none.

        `left` is what their quotas still allow.
        """
        if (reason := self.why_not()) is not None:
            raise ValueError(reason)
        if self._asked[one] >= self.settings.max_pairs_per_key:
            raise ValueError("you already have as many relay connections as one key may have; close one first")
        now = self.reactor.seconds()
        pair = RelayPair((one, other), host, now)
        self._asked[one] += 1
        gone = self._passes.enter(pair, host, now)
        if gone is not None:
            self._end(gone, "crowded-out")
        self._pairs.add(pair)
        for key, rest in zip(pair.keys, left, strict=True):
            self._per_key[key] += 1
            self._left.setdefault(key, rest)
        tokens = secrets.token_bytes(TOKEN), secrets.token_bytes(TOKEN)
        for side, token in enumerate(tokens):
            self._tokens[token] = (pair, side)
        return tokens

    def forget(self, token: bytes) -> None:
        """The pass was not handed out after all."""
        self._end(self._tokens.get(token, (None, 0))[0], "")

    # The connections' half.

    def build(self, host: str, on_known: Callable[[], None]) -> RelayEnd:
        """The protocol for a connection that came for the relay; `on_known` is called when its token is good."""
        end = RelayEnd(self, network_of(host), on_known)
        self._strangers.add(end)
        return end

    def arrived(self, end: RelayEnd, token: bytes) -> None:
        """A connection has shown its token."""
        self._strangers.discard(end)
        pair, side = self._tokens.pop(token, (None, 0))
        if pair is None:
            self.refuse(end, "token")
            return
        end.on_known()
        end.pair, end.side, end.key = pair, side, pair.keys[side]
        pair.ends[side] = end
        other = pair.ends[1 - side]
        if other is not None:
            self._join(pair, end, other)

    def _join(self, pair: RelayPair, end: RelayEnd, other: RelayEnd) -> None:
        self._passes.leave(pair)
        gone = self._joined.enter(pair, pair.host)
        if gone is not None:
            self._end(gone, "crowded-out")
        if gone is not pair:
            pair.is_joined = True
            self.metrics.relay_pairs.inc()
            self.metrics.relay_joined.inc()
            end.join(other)
            other.join(end)

    def refuse(self, end: RelayEnd, reason: str) -> None:
        """Send a stranger away."""
        self.metrics.relay_refused.labels(reason).inc()
        end.transport.write(REFUSED)
        end.transport.loseConnection()

    def settle(self, end: RelayEnd) -> bool:
        """Count what one end has sent since the last time; False if it has to stop reading for now."""
        key, size, end.unpaid = end.key, end.unpaid, 0
        self._left[key] -= size
        self._carry(key, size)
        if self._carried[key] >= NOTE_EVERY:
            self._note(key)
        if self._left[key] < 0:
            self._end(end.pair, "quota")
            return False
        now = self.reactor.seconds()
        if self.shares.spent(end, end.network, key, size, now):
            return True
        if self._turning is None:
            self._turning = self.reactor.callLater(TURN_EVERY, self._turn)
        return False

    def _turn(self) -> None:
        self._turning = None
        try:
            for end in self.shares.turn(self.reactor.seconds()):
                end.release()
        finally:  # whatever went wrong with one of them, the others wait for their turn
            if self.shares.is_waiting:
                self._turning = self.reactor.callLater(TURN_EVERY, self._turn)

    def lost(self, end: RelayEnd) -> None:
        """A connection has ended; so does the other."""
        self._strangers.discard(end)
        self.shares.forget(end)
        if end.pair is not None:
            self._end(end.pair, "")

    def _end(self, pair: RelayPair | None, reason: str) -> None:
        if pair is None or pair not in self._pairs:
            return
        self._pairs.discard(pair)
        self._passes.leave(pair)
        self._joined.leave(pair)
        if reason:
            self.metrics.relay_refused.labels(reason).inc()
        if pair.is_joined:
            self.metrics.relay_pairs.dec()
        self._tokens = {token: place for token, place in self._tokens.items() if place[0] is not pair}
        for end in pair.ends:
            if end is not None:
                self._carry(end.key, end.unpaid)
                end.unpaid = 0
                end.finish()
        self._asked[pair.keys[0]] -= 1
        if not self._asked[pair.keys[0]]:
            del self._asked[pair.keys[0]]
        for key in pair.keys:
            self._note(key)
            self._per_key[key] -= 1
            if not self._per_key[key]:
                del self._per_key[key]
                self._left.pop(key, None)

    def _carry(self, key: bytes, size: int) -> None:
        """Count bytes that were passed on; operators see them at once, the store now and then."""
        if size:
            self._carried[key] += size
            self.metrics.relay_bytes.inc(size)

    def _note(self, key: bytes) -> None:
        size = self._carried.pop(key, 0)
        if size:
            self._note_use(key, size)

    def sweep(self, now: float) -> None:
        """End what waits or idles for too long, and count what has flowed since the last time."""
        settings = self.settings
        self.metrics.relay_passes.set(len(self._passes))
        self.metrics.relay_waiting.set(self.shares.waiting)
        for end in [end for pair in self._pairs for end in pair.ends if end is not None and end.unpaid]:
            end.pay()
        if now - self._noted_at >= NOTE_SECONDS:
            self._noted_at = now
            for key in list(self._carried):
                self._note(key)
        for end in [end for end in self._strangers if now - end.heard_at > settings.wait_time]:
            self.refuse(end, "silent")
        for pair in list(self._pairs):
            if not pair.is_joined:
                if now - pair.since > settings.wait_time:
                    self._end(pair, "nobody-came")
            elif all(end is not None and end.is_idle(now, settings.idle_time) for end in pair.ends):
                self._end(pair, "idle")

    async def close(self) -> None:
        """End everything."""
        if self._turning is not None:
            self._turning.cancel()
            self._turning = None
        for pair in list(self._pairs):
            self._end(pair, "")
        for end in list(self._strangers):
            end.transport.abortConnection()


@implementer(IPushProducer)
class RelayEnd(Protocol):
    """One end of a pipe. It produces what the other end's socket takes, and stops when that is full."""

    transport: Any

    def __init__(self, relay: Relay, network: str, on_known: Callable[[], None]) -> None:
        self.network = network
        self.on_known = on_known
        self.key = b""
        self.pair: RelayPair | None = None
        self.side = 0
        self.heard_at: float = relay.reactor.seconds()
        self._relay = relay
        self.unpaid = 0  # bytes passed on and not counted yet
        self._was_heard = False
        self._token = b""
        self._other: RelayEnd | None = None
        self._is_blocked = False  # the other end's socket is full
        self._is_held = False  # its share is used up
        self._is_reading = True

    def dataReceived(self, data: bytes) -> None:
        """The token first; then bytes that are not ours to look at."""
        other = self._other
        if other is not None:
            other.transport.write(data)
            self._was_heard = True
            self.unpaid += len(data)
            if self.unpaid >= SETTLE_EVERY:
                self.pay()
            return
        self._token += data
        if self.pair is None and len(self._token) >= TOKEN:
            token, self._token = self._token[:TOKEN], self._token[TOKEN:]
            self.transport.pauseProducing()
            self._is_reading = False
            self._relay.arrived(self, token)

    def join(self, other: RelayEnd) -> None:
        """The other side is there."""
        self._other = other
        self.heard_at = self._relay.reactor.seconds()
        self.transport.bufferSize = READ_BYTES
        other.transport.registerProducer(self, True)
        self.transport.write(ACCEPTED)
        early, self._token = self._token, b""
        if early:  # it did not wait for our byte; that is its own affair
            self.dataReceived(early)
        self._update()

    def is_idle(self, now: float, longest: float) -> bool:
        """Whether nothing came for so long; exact to one sweep."""
        if self._was_heard:
            self._was_heard, self.heard_at = False, now
        return now - self.heard_at > longest

    def pay(self) -> None:
        """Have what it passed on counted; it may have to stop for a while."""
        if self.unpaid and not self._is_held and not self._relay.settle(self):
            self._is_held = True
            self._update()

    def release(self) -> None:
        """Its turn has come."""
        self._is_held = False
        self._update()

    def pauseProducing(self) -> None:
        """The other end's socket is full."""
        self._is_blocked = True
        self._update()

    def resumeProducing(self) -> None:
        """It has room again."""
        self._is_blocked = False
        self._update()

    def stopProducing(self) -> None:
        """The other end is gone; its connectionLost does the rest."""

    def _update(self) -> None:
        reading = not self._is_blocked and not self._is_held
        if reading != self._is_reading:
            self._is_reading = reading
            if reading:
                self.transport.resumeProducing()
            else:
                self.transport.pauseProducing()

    def finish(self) -> None:
        """The pair is over: what was passed on still leaves, nothing more is read."""
        other, self._other = self._other, None
        if other is not None:
            other.transport.unregisterProducer()
        if self.transport.connected:
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The socket is gone."""
        self._relay.lost(self)
