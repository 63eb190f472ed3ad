"""Helps two members of a table to a hole through their routers: shows each where the other's port comes out.

Each of the two calls the lobby's port from the port that it will punch from and shows its token (net/wire/
way_messages.py). What the lobby adds is what only somebody outside can know: the address and port that it sees. Nothing
of the match passes here, and the call ends by itself.

Who would misuse it: somebody who asks again and again costs tokens, which are few for each key and shared by network
like the relay's; somebody who wants a victim called names no address here, it is the one we see; two who share one
public address are not sent to it, because their own network is the way.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from kontor_games.lobby.settings.config import RelaySettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.links.hole_answers import ABSENT, MIXED, ONE_ROUTER, place_of, refusal_of
from kontor_games.net.system.admission import Strangers
from kontor_games.net.system.networks import plain_host, plain_ip
from kontor_games.net.wire.way_messages import HOLE_FOUND, HOLE_MISSED, TOKEN_BYTES

WAIT_TIME: Final = 20.0  # seconds for both to come and to say what became of it
MAX_PER_KEY: Final = 4  # pairs that a key asked for
PASS_GRACE: Final = 5.0
OUTCOMES: Final = {HOLE_FOUND: "found", HOLE_MISSED: "missed"}


@dataclass(slots=True, eq=False)
class PunchPair:
    """Two keys that may meet; the first asked for it, from `host`."""

    keys: tuple[bytes, bytes]
    host: str
    since: float
    ends: list[PunchCaller | None] = field(default_factory=lambda: [None, None])
    outcome: str = "nobody-came"


class Punches:
    """Tokens, and the callers who show them."""

    def __init__(self, reactor: Any, settings: RelaySettings, metrics: Metrics) -> None:
        self.reactor = reactor
        self._metrics = metrics
        self._tokens: dict[bytes, tuple[PunchPair, int]] = {}
        self._pairs: Strangers[PunchPair] = Strangers(settings.max_passes, PASS_GRACE)
        self._all: set[PunchPair] = set()
        self._asked: Counter[bytes] = Counter()
        self._strangers: set[PunchCaller] = set()

    def expect(self, one: bytes, other: bytes, host: str) -> tuple[bytes, bytes, bytes]:
        """A token for each of two keys, asked for by the first from `host`, and the gate's; ValueError says why not."""
        if self._asked[one] >= MAX_PER_KEY:
            raise ValueError("you are already looking for as many direct ways as one key may; wait a little")
        now = self.reactor.seconds()
        pair = PunchPair((one, other), host, now)
        self._asked[one] += 1
        self._all.add(pair)
        crowded_out = self._pairs.enter(pair, host, now)
        if crowded_out is not None:
            crowded_out.outcome = "crowded-out"
            self._end(crowded_out)
        tokens = secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(TOKEN_BYTES)
        if pair in self._all:
            for side, token in enumerate(tokens):
                self._tokens[token] = (pair, side)
        return *tokens, secrets.token_bytes(TOKEN_BYTES)

    def forget(self, token: bytes) -> None:
        """The pass was not handed out after all."""
        pair = self._tokens.get(token, (None, 0))[0]
        if pair is not None:
            pair.outcome = "withdrawn"
            self._end(pair)

    def build(self, on_known: Callable[[], None]) -> PunchCaller:
        """The protocol for a connection that came to show its port; `on_known` is called when its token is good."""
        caller = PunchCaller(self, on_known)
        self._strangers.add(caller)
        return caller

    def arrived(self, caller: PunchCaller, token: bytes) -> None:
        """A connection has shown its token."""
        self._strangers.discard(caller)
        pair, side = self._tokens.pop(token, (None, 0))
        if pair is None:
            self._metrics.punches.labels("token").inc()
            caller.refuse()
            return
        caller.on_known()
        caller.pair = pair
        pair.ends[side] = caller
        other = pair.ends[1 - side]
        if other is not None:
            self._introduce(pair, caller, other)

    def _introduce(self, pair: PunchPair, one: PunchCaller, other: PunchCaller) -> None:
        places = [caller.seen_at() for caller in (one, other)]
        ips = [plain_ip(host) for host, _ in places]
        if ips[0] is None or ips[1] is None or ips[0].version != ips[1].version:
            pair.outcome = MIXED
        elif ips[0] == ips[1] and not ips[0].is_loopback:
            pair.outcome = ONE_ROUTER
        else:
            pair.outcome = "unknown"
            one.tell(place_of(*places[1]))
            other.tell(place_of(*places[0]))
            return
        for caller in (one, other):
            caller.refuse(pair.outcome)
        self._end(pair)

    def ended(self, caller: PunchCaller, outcome: bytes) -> None:
        """A caller hung up, after it said what became of it or not."""
        self._strangers.discard(caller)
        pair = caller.pair
        if pair is None:
            return
        if pair.outcome == "unknown" and outcome in OUTCOMES:
            pair.outcome = OUTCOMES[outcome]
        pair.ends = [None if end is caller else end for end in pair.ends]
        if pair.outcome not in ("nobody-came", "unknown") or pair.ends == [None, None]:
            self._end(pair)

    def _end(self, pair: PunchPair) -> None:
        if pair not in self._all:
            return
        self._all.discard(pair)
        self._pairs.leave(pair)
        self._metrics.punches.labels(pair.outcome).inc()
        self._tokens = {token: place for token, place in self._tokens.items() if place[0] is not pair}
        self._asked[pair.keys[0]] -= 1
        if not self._asked[pair.keys[0]]:
            del self._asked[pair.keys[0]]
        for caller in pair.ends:
            if caller is not None:
                caller.hang_up()

    def sweep(self, now: float) -> None:
        """End what waits for too long."""
        for caller in [caller for caller in self._strangers if now - caller.since > WAIT_TIME]:
            caller.refuse()
        for pair in [pair for pair in self._all if now - pair.since > WAIT_TIME]:
            self._end(pair)

    def close(self) -> None:
        """End everything."""
        for pair in list(self._all):
            self._end(pair)
        for caller in list(self._strangers):
            caller.transport.abortConnection()


class PunchCaller(Protocol):
    """A node that shows where its port comes out."""

    transport: Any

    def __init__(self, punches: Punches, on_known: Callable[[], None]) -> None:
        self.on_known = on_known
        self.pair: PunchPair | None = None
        self.since: float = punches.reactor.seconds()
        self._punches = punches
        self._heard = b""
        self._was_shown = False

    def dataReceived(self, data: bytes) -> None:
        """The token, then one byte at the end; whoever says more is not one of ours."""
        self._heard += data
        if not self._was_shown and len(self._heard) >= TOKEN_BYTES:
            self._was_shown = True
            token, self._heard = self._heard[:TOKEN_BYTES], self._heard[TOKEN_BYTES:]
            self._punches.arrived(self, token)
        if self._was_shown and len(self._heard) > 1:
            self.transport.abortConnection()

    def seen_at(self) -> tuple[str, int]:
        """The address and port at which this call comes out of its router."""
        place = self.transport.getPeer()
        return plain_host(str(place.host)), int(place.port)

    def tell(self, answer: bytes) -> None:
        """The other side is there."""
        self.transport.write(answer)

    def refuse(self, why: str = ABSENT) -> None:
        """There is nothing to be had here."""
        self.transport.write(refusal_of(why))
        self.transport.loseConnection()

    def hang_up(self) -> None:
        """The pair is over."""
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """It hung up."""
        self._punches.ended(self, self._heard[:1] if self._was_shown else b"")
