"""Who has signed something at which tip: whether everybody had passed a place before a cheat was found out.

A cheat signs two turns for one tip, or two parts of one entry, and shows them to different peers. What it signed counts
if every other peer had passed it before they knew: then nobody is thrown back by what the cheat shows later. It does
not count if one of them had not: that one may have taken the other version. Each peer has to answer this by itself,
and all have to come to one answer, whatever they heard first. Unsigned words do not help there, because nobody can pass
them on. So the answer rests on signatures: acknowledgements, votes, parts and turns that name a tip at or behind the
place. They go round, they are only ever added here, and a peer that is not the cheat passes at most one version.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

MAX_TIPS = 128


class Witnesses:
    """Peers by the tips that they stood at, the newest tips."""

    def __init__(self) -> None:
        self._at: OrderedDict[bytes, set[int]] = OrderedDict()

    def add(self, peer: int, tip: bytes) -> None:
        """This peer has signed something at this tip."""
        self._at.setdefault(tip, set()).add(peer)
        self._at.move_to_end(tip)
        if len(self._at) > MAX_TIPS:
            self._at.popitem(last=False)

    def at(self, tips: Iterable[bytes]) -> set[int]:
        """All who stood at one of these tips."""
        return {peer for tip in tips for peer in self._at.get(tip, ())}
