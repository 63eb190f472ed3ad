"""Who has signed something at which tip: whether everybody had passed a place before a cheat was found out.

A cheat signs two turns for one tip, or two parts of one entry, and shows them to different peers. What it signed counts
if every other peer had passed it before they knew: then nobody is thrown back by what the cheat shows later. It does
not count if one of them had not: that one may have taken the other version. Each peer has to answer this by itself,
and all have to come to one answer, whatever they heard first. Unsigned words do not help there, because nobody can pass
them on. So the answer rests on signatures: acknowledgements, votes, parts and turns that name a tip at or behind the
place. They go round, they are only ever added here, and a peer that is not the cheat passes at most one version.
"""

from __future__ import annotations

from collections.abc import Set

MAX_TIPS = 32  # of one peer: whoever signs at tips that do not exist forgets its own


class Witnesses:
    """The newest tips at which each peer has signed something."""

    def __init__(self) -> None:
        self._tips: dict[int, dict[bytes, None]] = {}  # in the order in which they were named last

    def add(self, peer: int, tip: bytes) -> None:
        """This peer has signed something at this tip."""
        theirs = self._tips.setdefault(peer, {})
        theirs.pop(tip, None)
        theirs[tip] = None
        if len(theirs) > MAX_TIPS:
            del theirs[next(iter(theirs))]

    def at(self, tips: Set[bytes]) -> set[int]:
        """All who stood at one of these tips."""
        return {peer for peer, theirs in self._tips.items() if not tips.isdisjoint(theirs)}
