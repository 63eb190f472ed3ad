"""Where other peers were seen: by what they acknowledge, by messages that came too early, by a chain that is followed.

A node that has given its shares for a departure does nothing else at that tip, unless it sees another survivor beyond
it: then the departure cannot become complete any more. What counts as seeing is collected here. None of it is signed
evidence, and a peer may lie about where it stands. A lie can only make a node go on, never make it blame anybody, and
peers that this node itself declares gone are not believed at all (the caller says which those are).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator

from kontor_games.net.wire.chain import DealerMessage
from kontor_games.net.wire.early import Early

MAX_EARLY = 8  # per peer, for tips not reached yet; and tips that are remembered


class Sightings:
    """Messages for tips that are not reached yet, and the tips at which other peers were seen lately."""

    def __init__(self) -> None:
        self.lead: bytes | None = None  # the next tip of a chain that this node is catching up with
        # messages by their bytes, and whether this process made them
        self._early: Early[bytes, tuple[DealerMessage, bool]] = Early(MAX_EARLY)
        self._at: dict[int, deque[bytes]] = {}

    @property
    def has_early(self) -> bool:
        """Whether a message waits for its tip."""
        return any(self._early.all())

    def keep_early(self, message: DealerMessage, raw: bytes, own: bool) -> None:
        """Keep a message for later; of one peer's, only the newest."""
        self._early.keep(message.p, raw, (message, own))

    def release(self, is_reached: Callable[[bytes], bool]) -> Iterator[tuple[DealerMessage, bytes, bool]]:
        """Hand out the messages whose tips are reached by now."""
        for raw, (message, own) in self._early.release(lambda kept: is_reached(kept[0].h)):
            yield message, raw, own

    def saw(self, peer: int, tip: bytes) -> None:
        """A peer says that it stands at this tip."""
        seen = self._at.get(peer)
        if seen is None:
            seen = self._at[peer] = deque(maxlen=MAX_EARLY)
        if not seen or seen[-1] != tip:
            seen.append(tip)

    def has_seen(self, tip: bytes, accused: Collection[int]) -> bool:
        """Whether another peer that we do not declare gone stands at this tip or has stood there."""
        early = (message.h for p, _, (message, _) in self._early.all() if p not in accused)
        at = (seen for p, seen in self._at.items() if p not in accused)
        return tip == self.lead or tip in early or any(tip in seen for seen in at)
