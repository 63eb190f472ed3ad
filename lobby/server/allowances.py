"""How much of everything one person may ask for, and how much all people of one household together. Machines."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from kontor_games.net.system.buckets import Buckets, Rate


class RequestAllowances:
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


class StreamAllowance:
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
