"""Two chains that part at a departure: which of them everybody follows. Pure.

A liar can tell one peer goodbye and another one its turn, say goodbye twice from different tips, or leave while the
others vote. Each survivor then closes what it heard first. They meet again because all of them order what may stand at
one place in the same way, whatever they heard first:

1. a departure comes before anything else: those who closed it never acknowledge the other way;
2. a vote comes before a goodbye: every survivor has given its shares for it, and waits for it;
3. of two votes the one with the smaller hash; of two goodbyes the one of the lower peer, then the one that names the
   earlier tip, then the one with the smaller hash.

Whoever holds the worse item goes back, whoever holds the better one stays. So each way back is a step up in a finite
order, and two peers cannot change places for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kontor_games.engine.errors import RemoteError
from kontor_games.net.sealed.bodies import Bye, Giv, Gon
from kontor_games.net.sealed.bodies import decode as decode_body
from kontor_games.net.wire.chain import DealerMessage, decode, entry_tip
from kontor_games.net.wire.match_talk import Item

Rank = tuple[int, int, int, bytes]
ANYTHING_ELSE: Rank = (2, 0, 0, b"")


@dataclass(frozen=True)
class Departure:
    """What an item says about peers that are gone; nothing in it has been checked."""

    leaver: int | None  # None: others declared somebody gone
    tip: bytes
    givers: frozenset[int]
    gone: frozenset[int]  # whom the votes name, if all of them name the same
    hash: bytes

    def concerns(self, peer: int | None) -> bool:
        """Whether this peer has to follow it: a goodbye is everybody's business, a vote that of those who gave."""
        return self.leaver is not None or peer in self.givers

    def rank(self, position_of: Callable[[bytes], int | None]) -> Rank:
        """Where it stands in the order; the smallest counts."""
        if self.leaver is None:
            return 0, 0, 0, self.hash
        return 1, self.leaver, position_of(self.tip) or 0, self.hash


def departure(item: Item) -> Departure | None:
    """The departure that an item of the chain is, if it is one; RemoteError if it cannot be read."""
    if item.kind != "entry":
        return None
    messages = [decode(DealerMessage, part.raw) for part in item.parts]
    bodies = [decode_body(message.p, bytes(message.b)) for message in messages]
    name = entry_tip(b"", [part.raw for part in item.parts])
    if len(bodies) == 1 and isinstance(bodies[0], Bye):
        return Departure(messages[0].p, messages[0].h, frozenset(), frozenset(), name)
    givers = frozenset(m.p for m, body in zip(messages, bodies, strict=True) if isinstance(body, Giv))
    votes = {frozenset(body.w) for body in bodies if isinstance(body, Gon)}
    gone = votes.pop() if len(votes) == 1 else frozenset()
    return Departure(None, b"", givers, gone, name) if givers else None


def rank(item: Item, position_of: Callable[[bytes], int | None]) -> Rank:
    """Where an item of our own chain stands in the order."""
    try:
        found = departure(item)
    except RemoteError:
        found = None
    return ANYTHING_ELSE if found is None else found.rank(position_of)
