"""All the lobby's token buckets in one place: who has to wait, and for how long. A machine."""

from __future__ import annotations

from typing import Final

from .config import LimitSettings
from .limits import Buckets, Limits
from .metrics import Metrics
from .work import Refused

CROWD: Final = 16  # people behind one address whose messages are let through at full speed
_RATED: Final = ("chat", "tables", "codes", "queue", "names", "marks", "lists", "signals", "relays")
_EVERYBODY: Final = "everybody"
_MISSES: Final = ("no-code", "no-table")


class Throttle:
    """Buckets by key and by network; time is passed in."""

    def __init__(self, limits: LimitSettings, metrics: Metrics) -> None:
        self._metrics = metrics
        self._limits = Limits({kind: getattr(limits, kind).rate for kind in _RATED})
        self._all_codes = Buckets(limits.all_codes.rate)
        self._messages = Buckets(limits.messages.rate)
        self._bytes = Buckets(limits.bytes.rate)
        self._network_messages = Buckets(limits.messages.rate.times(CROWD))
        self._network_bytes = Buckets(limits.bytes.rate.times(CROWD))

    def count_bytes(self, key: bytes | None, network: str, size: int, now: float) -> float:
        """Count what arrived; seconds to wait before reading on."""
        return max(self._bytes.spend(key, now, size), self._network_bytes.spend(network, now, size))

    def count_message(self, key: bytes | None, network: str, now: float) -> float:
        """The same for one more message."""
        return max(self._messages.spend(key, now, 1), self._network_messages.spend(network, now, 1))

    def may(self, kind: str, key: bytes, network: str, now: float) -> bool:
        """Take a token; False if there is none."""
        return self._limits.wait(kind, key, network, now) == 0

    def demand(self, kind: str, key: bytes, network: str, now: float) -> None:
        """Take a token; Refused with the time to wait if there is none."""
        wait = self._limits.wait(kind, key, network, now)
        if wait > 0:
            self._metrics.throttled.labels(kind).inc()
            raise Refused("too-fast", f"too many requests of this kind; wait {wait:.0f} s", wait)

    def demand_guess(self, key: bytes, network: str, now: float) -> None:
        """Codes and ids may be tried only so often, by one and by all."""
        self.demand("codes", key, network, now)
        wait = self._all_codes.take(_EVERYBODY, now)
        if wait > 0:
            self._metrics.throttled.labels("all_codes").inc()
            raise Refused("too-fast", "too many wrong codes are being tried at this lobby; wait a little", wait)

    def guessed(self, key: bytes, network: str, refused: Refused | None) -> None:
        """What was tried existed after all: that costs nothing."""
        if refused is None or refused.code not in _MISSES:
            self._all_codes.give_back(_EVERYBODY)
            self._limits.give_back("codes", key, network)
