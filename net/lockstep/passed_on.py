"""What this node has passed on to whom since its chain last grew, so that nothing goes round for ever.

A message that is held is known when it comes again. Many are not held: for another state, a second goodbye, a vote at a
tip that is behind us. With four peers each of those would come back from the others again and again, and a liar with
one such message would keep all links busy. So each goes to each peer once between two items of the chain, and of one
author only so many: a liar that sends more of them uses up its own share.
"""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.net.wire.match_talk import Signed

MAX_PER_AUTHOR = 64


class PassedOn:
    """Messages of others by author, each with the peers that have got it from us."""

    def __init__(self) -> None:
        self._sent: dict[int, dict[bytes, set[int]]] = {}

    def new_to(self, signed: Signed, peers: Iterable[int]) -> list[int]:
        """Those of these peers that have not got this message from us yet; they count as having it now."""
        theirs = self._sent.setdefault(signed.peer, {})
        if signed.raw not in theirs and len(theirs) >= MAX_PER_AUTHOR:
            return []
        have = theirs.setdefault(signed.raw, set())
        fresh = [peer for peer in peers if peer not in have]
        have.update(fresh)
        return fresh

    def grown(self) -> None:
        """The chain has grown: what comes again may be wanted."""
        self._sent.clear()

    def linked(self, peer: int) -> None:
        """This peer has a new link, and may have lost what was under way."""
        for messages in self._sent.values():
            for have in messages.values():
                have.discard(peer)
