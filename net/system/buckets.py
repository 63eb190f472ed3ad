"""Token buckets for everything that is rationed: the one kind that links, the local API and the lobby share.

A bucket holds at most `burst` tokens and gains `per_second` of them. There are two ways to use one:

* `take` is for what can be refused, such as a request: it takes the tokens if they are all there, and otherwise takes
  nothing and says how long to wait.
* `spend` is for what has already happened, such as bytes that arrived: it always takes the tokens, goes into debt if it
  must, and says how long it takes to pay the debt.

Time is passed in. A clock that is set back earns nothing, and what it passes again afterwards earns nothing twice.

`Buckets` holds one bucket per key, address or whatever is counted. A bucket that is full again is the same as one that
was never used, so forgetting old buckets loses little: their number is bounded; the one used longest ago goes first.
An attacker who wants to be forgotten has to bring as many names as there are buckets, between any two of its requests.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf
from typing import Final

MAX_BUCKETS: Final = 8_192  # per kind; about 200 bytes each


@dataclass(frozen=True, slots=True)
class Rate:
    """So many per second in the long run, `burst` at once."""

    per_second: float
    burst: float

    def times(self, number: float) -> Rate:
        """The rate of so many together."""
        return Rate(self.per_second * number, self.burst * number)


class Bucket:
    """One bucket, full when it is new."""

    __slots__ = ("_at", "_burst", "_level", "_per_second")

    def __init__(self, rate: Rate) -> None:
        self._per_second, self._burst = rate.per_second, rate.burst
        self._level = rate.burst
        self._at = -inf  # when the level was right; whenever the first use is, the bucket is full

    def level(self, now: float) -> float:
        """The tokens there are; negative while a debt is being paid."""
        if now > self._at:
            level = self._level + (now - self._at) * self._per_second
            self._level = level if level < self._burst else self._burst
            self._at = now
        return self._level

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take `cost` tokens and return 0; or take nothing and return the seconds until there will be enough."""
        level = self.level(now)
        if level < cost:
            return (cost - level) / self._per_second
        self._level = level - cost
        return 0.0

    def spend(self, now: float, cost: float) -> float:
        """Take `cost` tokens even if they are not there; the seconds until the debt is paid, or 0."""
        self._level = level = self.level(now) - cost
        return 0.0 if level >= 0 else -level / self._per_second

    def give_back(self, amount: float = 1.0) -> None:
        """Undo a `take` that turned out not to count."""
        self._level = min(self._burst, self._level + amount)


class Buckets:
    """All buckets of one kind, by whom they count for."""

    __slots__ = ("_buckets", "_most", "rate")

    def __init__(self, rate: Rate, most: int = MAX_BUCKETS) -> None:
        self.rate = rate
        self._most = most
        self._buckets: dict[Hashable, Bucket] = {}  # the one used longest ago first

    def __len__(self) -> int:
        return len(self._buckets)

    def of(self, who: Hashable) -> Bucket:
        """The bucket of `who`, which counts as used now."""
        bucket = self._buckets.pop(who, None)
        if bucket is None:
            bucket = Bucket(self.rate)
            if len(self._buckets) >= self._most:
                del self._buckets[next(iter(self._buckets))]
        self._buckets[who] = bucket
        return bucket

    def level(self, who: Hashable, now: float) -> float:
        """The tokens that `who` has; negative while a debt is being paid."""
        bucket = self._buckets.get(who)
        return self.rate.burst if bucket is None else bucket.level(now)

    def take(self, who: Hashable, now: float, cost: float = 1.0) -> float:
        """`Bucket.take` for `who`."""
        return self.of(who).take(now, cost)

    def spend(self, who: Hashable, now: float, cost: float) -> float:
        """`Bucket.spend` for `who`."""
        return self.of(who).spend(now, cost)

    def give_back(self, who: Hashable, amount: float = 1.0) -> None:
        """`Bucket.give_back` for `who`, unless its bucket is forgotten."""
        bucket = self._buckets.get(who)
        if bucket is not None:
            bucket.give_back(amount)
