"""Where the other peers of a match stand, as far as this node knows: links, tips, digests, final words.

Who has *signed* something at which tip is kept apart (`Witnesses`), because it answers another question: whether
everybody had passed a place before a cheat was found out. A cheat signs two turns for one tip, or two parts of one
entry, and shows them to different peers. What it signed counts if every other peer had passed it before they knew: then
nobody is thrown back by what the cheat shows later. It does not count if one of them had not: that one may have taken
the other version. Each peer has to answer this by itself, and all have to come to one answer, whatever they heard
first. Unsigned words do not help there, because nobody can pass them on. So the answer rests on signatures:
acknowledgements, votes, parts and turns that name a tip at or behind the place. They go round, they are only ever added
here, and a peer that is not the cheat passes at most one version.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from kontor_games.net.wire.match_talk import Signed, Where

BEHIND_SECONDS = 1.0  # how long a peer may lag before its missing items are pushed
REPEAT_SECONDS = 2.0  # an acknowledgement that was passed on so lately goes round in a circle
ACKS_KEPT = 32
MAX_TIPS = 32  # of one peer: whoever signs at tips that do not exist forgets its own


@dataclass
class Peer:
    """What this node knows of another peer's standing."""

    links: frozenset[int]  # whom it says it is linked to
    linked: bool = False
    position: int = 0
    tip: bytes = b""
    digest: bytes = b""
    behind_since: float | None = None
    acks: deque[tuple[float, bytes]] = field(default_factory=lambda: deque(maxlen=ACKS_KEPT))  # signed ones, and when
    last_ack: Signed | None = None  # for those who did not hear it
    chat: int = -1  # number of its last line
    final: Signed | None = None

    def says(self, where: Where) -> frozenset[int]:
        """Take its own word; whom it does not hear although we thought so."""
        unheard = self.links.difference(where.linked)
        self.links = frozenset(where.linked)
        self.position = where.position
        return unheard

    def is_news(self, ack: bytes, now: float) -> bool:
        """Whether a signed acknowledgement is another than the last one, and does not just come round again.

        It has no number: a node that lost its memory could not count on. So an old one is known by having been seen.
        """
        if self.acks and self.acks[-1][1] == ack:
            return False
        return all(ack != seen or now - when >= REPEAT_SECONDS for when, seen in self.acks)


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


class Standing:
    """All peers of a match but this node itself."""

    def __init__(self, count: int, me: int) -> None:
        self._me = me
        self.now = 0.0  # the time, as far as this match was told
        self.signed_at = Witnesses()
        self.heard_at = Witnesses()  # the same by their unsigned words, which convince nobody but us
        everybody = frozenset(range(count))  # until they say otherwise
        self._peers = {p: Peer(everybody) for p in range(count) if p != me}
        self.linked: tuple[int, ...] = ()  # those linked to this node, ascending

    def __getitem__(self, peer: int) -> Peer:
        return self._peers[peer]

    def __contains__(self, peer: int) -> bool:
        return peer in self._peers

    def __iter__(self) -> Iterator[tuple[int, Peer]]:
        return iter(self._peers.items())

    def set_linked(self, peer: int, linked: bool) -> None:
        """Whether this peer is linked to this node now."""
        self._peers[peer].linked = linked
        self.linked = tuple(p for p, each in self._peers.items() if each.linked)

    def missing(self, active: Sequence[int]) -> tuple[int, ...]:
        """Active peers that neither we nor those linked to us can reach."""
        near = set(self.linked)
        reached = near.union(*(self._peers[p].links for p in near), {self._me})
        return tuple(p for p in active if p not in reached)

    def absent(self, active: Sequence[int], tip: bytes, digest: bytes) -> tuple[int, ...]:
        """Those of the active peers that have not acknowledged this tip with this digest."""
        others = ((p, self._peers[p]) for p in active if p != self._me)
        return tuple(p for p, peer in others if peer.tip != tip or peer.digest != digest)

    def audience(self, author: int, source: int | None, trusting: bool = True) -> list[int]:
        """Whom to pass a message on to: linked peers that do not get it from its author, or may get another one."""
        return [p for p in self.linked if p not in (source, author) and not (trusting and self.hear(p, author))]

    def hear(self, peer: int, author: int) -> bool:
        """Whether a peer hears another one directly, as far as both say so.

        The two ends of a dead link notice at different times: the word of either that it is gone is enough.
        """
        if author == self._me:
            return False  # then it is for us to send it
        return author in self._peers[peer].links and peer in self._peers[author].links

    def lists_us(self, peer: int) -> bool:
        """Whether this peer says that it hears us."""
        return self._me in self._peers[peer].links

    def is_out_of_reach(self, active: Sequence[int]) -> bool:
        """Whether one of these hears us only through others, so that our word has to be signed."""
        return any(p != self._me and not (self._peers[p].linked and self.lists_us(p)) for p in active)

    def unheard(self, peer: int) -> frozenset[int]:
        """Those whom this peer does not hear directly."""
        return frozenset(p for p in self._peers if p != peer and not self.hear(peer, p))

    def lagging(self, position: int, now: float) -> list[tuple[int, int]]:
        """Linked peers that have been behind for too long, with their positions; each is named once in a while."""
        found = []
        for number, peer in self._peers.items():
            if not peer.linked or peer.position >= position:
                peer.behind_since = None
            elif peer.behind_since is None:
                peer.behind_since = now
            elif now - peer.behind_since >= BEHIND_SECONDS:
                peer.behind_since = now
                found.append((number, peer.position))
        return found
