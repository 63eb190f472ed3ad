"""Shares of what the lobby keeps for people: when it is full, the newest of the network that holds most goes.

Tables and places in the queue are bounded for all together. First come, first kept would let whoever has many keys
fill the lobby in seconds and keep everybody else out, so the rule of `Residents` in net/system/admission.py decides:
who waits stays, and the network that holds most makes room. Inside it the household that holds most gives, and inside
that the key that holds most: an attacker behind your own address has to make room for you as well. For that every
table and queue place has a second, small record, grouped by network and ordered by age, so that finding the one that
goes costs little. Only the newest of a network are looked at; whoever waits for longer than those stays anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from kontor_games.net.system.networks import household_of, network_of

from .records import RecordKind, Share
from .work import RequestRefused, Who, Work

LOOKED_AT: Final = 200  # of the newest of a network
_END: Final = 10**15  # milliseconds: the newest comes first in order of id


async def make_room(work: Work, share: RecordKind[Share], who: Who, full: str) -> str:
    """The id of whatever makes room for one more of `who`; RequestRefused with the reason `full` if nothing does."""
    asks = _share(who, "")
    gives = _giver(await work.store.groups(share.name), asks.network)
    shares = [each for _, each in await work.page(share, gives, "", LOOKED_AT)]
    goes = _newest(shares if gives != asks.network else [asks, *shares])
    if goes is None or goes is asks:
        raise RequestRefused("full", full)
    return goes.of


async def hold(work: Work, share: RecordKind[Share], who: Who, of: str, since: int) -> None:
    """Note that `of` is kept for `who` since then."""
    await work.put(share, _id(of, since), _share(who, of))


async def let_go(work: Work, share: RecordKind[Share], of: str, since: int) -> None:
    """It is kept no longer."""
    await work.delete(share, _id(of, since))


def _giver(held: Mapping[str, int], newcomer: str) -> str:
    """The network that gives: the largest, and among equals that of the newcomer."""
    largest = max(held, key=held.__getitem__, default=newcomer)
    return newcomer if held.get(newcomer, 0) + 1 >= held.get(largest, 0) else largest


def _newest(shares: Sequence[Share]) -> Share | None:
    """Of one network, the newest first: the first of the key that has most, of the household that has most."""
    households = Counter(each.household for each in shares)
    keys = Counter(each.key for each in shares)
    return max(shares, key=lambda each: (households[each.household], keys[each.key]), default=None)


def _share(who: Who, of: str) -> Share:
    return Share(of, network_of(who.address), household_of(who.address), who.key)


def _id(of: str, since: int) -> str:
    return f"{_END - since:016d}-{of}"
