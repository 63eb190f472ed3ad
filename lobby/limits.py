"""Token buckets by key and by address: how much of everything one person or one network may ask for.

A bucket that is full again is the same as one never seen, so forgetting old buckets loses nothing; their number is
bounded, and the one touched longest ago goes first.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
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


def plain_host(address: str) -> str:
    """An address without its zone, and as IPv4 where a socket for both kinds shows it as IPv6."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ip.ipv4_mapped) if ip.version == 6 and ip.ipv4_mapped else str(ip)


def network_of(address: str) -> str:
    """The part of an address that one household has to itself: all of IPv4, half of IPv6."""
    host = plain_host(address)
    if ":" not in host:
        return host
    ip = ipaddress.ip_address(host)
    return str(ipaddress.ip_network((int(ip) >> 64 << 64, 64)))


class Limits:
    """The buckets of the whole lobby: each kind once per key and once, with more room, per address."""

    SHARED: Final = 4  # people behind one address who may be busy at the same time

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        self._by_key = {kind: Buckets(rate) for kind, rate in rates.items()}
        self._by_network = {kind: Buckets(rate.times(self.SHARED)) for kind, rate in rates.items()}

    def wait(self, kind: str, key: bytes, network: str, now: float) -> float:
        """Take one token of this kind from key and network; 0, or how many seconds to wait."""
        wait = self._by_key[kind].take(key, now)
        return wait or self._by_network[kind].take(network, now)

    def give_back(self, kind: str, key: bytes, network: str) -> None:
        """Undo a successful `wait`."""
        self._by_key[kind].give_back(key)
        self._by_network[kind].give_back(network)
