"""Token buckets by key and by address: how much of everything one person or one network may ask for.

A bucket that is full again is the same as one never seen, so forgetting old buckets loses nothing; their number is
bounded, and the one touched longest ago goes first.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Final

MAX_BUCKETS: Final = 8_192  # per kind; about 200 bytes each


@dataclass(frozen=True, slots=True)
class Rate:
    """So many per second in the long run, `burst` at once."""

    per_second: float
    burst: float

    def times(self, number: float) -> Rate:
        """The same for so many together."""
        return Rate(self.per_second * number, self.burst * number)


class Buckets:
    """All buckets of one kind."""

    __slots__ = ("_filled", "_most", "rate")

    def __init__(self, rate: Rate, most: int = MAX_BUCKETS) -> None:
        self.rate = rate
        self._most = most
        self._filled: dict[object, tuple[float, float]] = {}  # who -> tokens, when

    def level(self, who: object, now: float) -> float:
        """The tokens there are; negative while a debt is being paid."""
        tokens, at = self._filled.get(who, (self.rate.burst, now))
        return min(self.rate.burst, tokens + max(0.0, now - at) * self.rate.per_second)

    def take(self, who: object, now: float, cost: float = 1.0) -> float:
        """Take `cost` tokens; 0, or the seconds after which there will be enough and then nothing was taken."""
        tokens = self.level(who, now)
        if tokens >= cost:
            self._keep(who, tokens - cost, now)
            return 0.0
        self._keep(who, tokens, now)
        return (cost - tokens) / self.rate.per_second

    def spend(self, who: object, now: float, cost: float) -> float:
        """Take `cost` tokens even if they are not there; the seconds until the debt is paid."""
        tokens = self.level(who, now) - cost
        self._keep(who, tokens, now)
        return max(0.0, -tokens / self.rate.per_second)

    def give_back(self, who: object, amount: float = 1.0) -> None:
        """Undo a `take` that turned out not to count."""
        if who in self._filled:
            tokens, at = self._filled[who]
            self._filled[who] = (min(self.rate.burst, tokens + amount), at)

    def _keep(self, who: object, tokens: float, now: float) -> None:
        self._filled.pop(who, None)  # so that the order is that of the last touch
        if len(self._filled) >= self._most:
            del self._filled[next(iter(self._filled))]
        self._filled[who] = (tokens, now)

    def __len__(self) -> int:
        return len(self._filled)


class Limits:
    """The buckets of the whole lobby: each kind once per key and once, with more room, per household.

    People behind one address share its bucket, and one of them may be an attacker with many keys. So a key that has
    not asked for a while is let through whatever its household has used up. Fresh keys have that too, but each costs
    a handshake, and those are rationed at the door. Chat and new names are `strict`: there everybody else would pay.
    """

    SHARED: Final = 4  # people behind one address who may be busy at the same time

    def __init__(self, rates: Mapping[str, Rate], strict: Container[str] = ()) -> None:
        self._by_key = {kind: Buckets(rate) for kind, rate in rates.items()}
        self._by_household = {kind: Buckets(rate.times(self.SHARED)) for kind, rate in rates.items()}
        self._strict = strict

    def wait(self, kind: str, key: bytes, household: str, now: float) -> float:
        """Take one token of this kind from key and household; 0, or how many seconds to wait."""
        own = self._by_key[kind]
        is_first = own.level(key, now) >= own.rate.burst and kind not in self._strict
        wait = own.take(key, now) or self._by_household[kind].take(household, now)
        return 0.0 if is_first else wait

    def give_back(self, kind: str, key: bytes, household: str) -> None:
        """Undo a successful `wait`."""
        self._by_key[kind].give_back(key)
        self._by_household[kind].give_back(household)


class Stream:
    """What arrives all the time, such as bytes: it cannot be refused, only waited out, by key and by household.

    A household that is over its rate is slowed down as a whole, but not those in it who use little themselves.
    """

    def __init__(self, rate: Rate, crowd: int) -> None:
        self._by_key = Buckets(rate)
        self._by_household = Buckets(rate.times(crowd))

    def spend(self, key: bytes | None, household: str, amount: float, now: float) -> float:
        """Count what arrived; seconds to wait before reading on."""
        own = self._by_key.spend(key, now, amount)
        shared = self._by_household.spend(household, now, amount)
        uses_little = self._by_key.level(key, now) >= self._by_key.rate.burst / 2
        return own if uses_little else max(own, shared)
