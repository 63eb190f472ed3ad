"""Who gets a place when there are fewer places than callers: shares by network, and whose place is taken back.

A flood comes from many addresses and keys, which cost nothing, and from fewer networks, which do. So places are shared
by network (IPv4 /24, IPv6 /56) as max-min fairness says: a network may use all that nobody else wants, and when
everything is taken, the network that holds most gives a place back. Inside a network the household (an IPv4 address,
an IPv6 /64) that holds most gives, so that whoever shares a campus or a provider with an attacker is not shut out with
it. There is no quota: a LAN, a school or a NAT is one network, and alone it may fill every place.

Two kinds of places, because two different things are scarce:

* `Strangers` have not yet said who they are. Becoming known takes a moment, so a newcomer always gets a place and the
  **oldest** stranger of the largest network goes. Nobody goes within their `grace` while somebody else is past it:
  otherwise an attacker would need only one connection more than the others of your network, again and again, to have
  you cut before your greeting is through. A flood must fill all places within the grace to hurt.
* `Residents` are known and use their place. Among equals whoever came first stays: the **newest** of the largest
  network goes, and that may be the newcomer. Somebody who waits for others is not put out by those who come later.

What an attacker would try: many connections of one address (that address is the largest: it pays for its own), many
addresses of one network (that network pays), one connection from each of many networks (then all are equal: strangers
go in order of age and have at least their grace; residents keep what they have, and newcomers are refused only when
as many *networks* as there are places are inside), churn in the victim's own network (grace).

Machines without I/O: time is passed in, and whoever has to go is returned, already forgotten, for the caller to cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from .networks import household_of, network_of

GRACE: Final = 2.0  # seconds; whoever fills all places within them can put newcomers out

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Place:
    network: str
    household: str
    since: float


class Strangers(Generic[T]):
    """Places of those who are not known yet; a newcomer gets one, the oldest of the largest network gives it."""

    def __init__(self, most: int, grace: float = GRACE) -> None:
        self._most = most
        self._grace = grace
        self._places: dict[T, _Place] = {}
        self._networks: Counter[str] = Counter()
        self._households: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, who: object) -> bool:
        return who in self._places

    def enter(self, who: T, address: str, now: float) -> T | None:
        """Give `who` a place; whoever has to go for it, or None."""
        self.leave(who)
        gone = self._last(now) if len(self._places) >= self._most else None
        if gone is not None:
            self.leave(gone)
        place = _Place(network_of(address), household_of(address), now)
        self._places[who] = place
        self._networks[place.network] += 1
        self._households[place.household] += 1
        return gone

    def leave(self, who: T) -> None:
        """Take the place back, if there is one: `who` is gone, or is known now."""
        place = self._places.pop(who, None)
        if place is not None:
            _take(self._networks, place.network)
            _take(self._households, place.household)

    def _last(self, now: float) -> T:
        """Of those past their grace, or else of all, the oldest of the largest household of the largest network."""
        late = [who for who, place in self._places.items() if now - place.since >= self._grace]
        return max(late or self._places, key=lambda who: self._claim(self._places[who]))

    def _claim(self, place: _Place) -> tuple[int, int, float]:
        return self._networks[place.network], self._households[place.household], -place.since


class Residents(Generic[T]):
    """Places of those who are known; the newest of the largest network gives one, and among equals the newcomer."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._places: dict[T, str] = {}  # who -> network
        self._networks: dict[str, dict[T, str]] = {}  # network -> who, in order of arrival -> household

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, who: object) -> bool:
        return who in self._places

    def enter(self, who: T, address: str) -> T | None:
        """Give `who` a place; whoever has to go for it: None, or another, or `who` itself, who then has no place."""
        self.leave(who)
        network = network_of(address)
        members = self._networks.setdefault(network, {})
        members[who] = household_of(address)
        self._places[who] = network
        if len(self._places) <= self.most:
            return None
        largest = max(self._networks.values(), key=len)
        gone = _newest(members if len(members) == len(largest) else largest)
        self.leave(gone)
        return gone

    def leave(self, who: T) -> None:
        """Take the place back, if there is one."""
        network = self._places.pop(who, None)
        if network is not None:
            del self._networks[network][who]
            if not self._networks[network]:
                del self._networks[network]


def _newest(members: dict[T, str]) -> T:
    """The newest of the households that hold most."""
    held = Counter(members.values())
    most = max(held.values())
    return next(who for who in reversed(members) if held[members[who]] == most)


def _take(counter: Counter[str], name: str) -> None:
    counter[name] -= 1
    if not counter[name]:
        del counter[name]
