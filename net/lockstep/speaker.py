"""What this node says to whom: where it stands, and what others said that somebody may not have heard.

Whoever hears a peer only through others gets its signed word. So acknowledgements are signed as soon as one active peer
is not linked to us or does not say that it hears us; a message goes on to every linked peer that does not get it from
its author, as far as both ends say so (`standing.py`).

Nothing goes round for ever. A message that is held is known when it comes again. Many are not held: for another state,
a second goodbye, a vote at a tip that is behind us. With four peers each of those would come back from the others again
and again, and a liar with one such message would keep all links busy. So each goes to each peer once between two items
of the chain (`PassedOn`), and of one author only so many: a liar that sends more of them uses up its own share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import Mark, encode
from kontor_games.net.wire.match_talk import MovedTalk, Signed, Where

from .effects import Effect, Send
from .pledges import Pledges
from .standing import Standing

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


class Speaker:
    """Speaks to the linked peers."""

    def __init__(self, ledger: Ledger, peers: Standing, pledges: Pledges) -> None:
        self._ledger = ledger
        self._peers = peers
        self._pledges = pledges
        self._passed_on = PassedOn()

    def say_where(self, own: Signed | None = None) -> list[Effect]:
        """Acknowledge our tip to all, with our frame that brought us there; signed too if somebody cannot hear us."""
        ledger, linked = self._ledger, self._peers.linked
        self._peers.signed_at.add(self._pledges.me, ledger.tip)
        where = Where(ledger.position, ledger.tip, ledger.digest, linked)
        talk = where if own is None else MovedTalk(own, where)
        effects: list[Effect] = [Send(p, talk) for p in linked]
        if self._peers.is_out_of_reach(ledger.active):
            effects += self.sign_where(linked)
        return effects

    def sign_where(self, peers: Sequence[int]) -> list[Effect]:
        """Tell these peers where we stand in a form that they can pass on."""
        ledger, me = self._ledger, self._pledges.me
        if me not in ledger.active:
            return []
        mark = self._pledges.seal("ack", encode(Mark(ledger.match, me, ledger.tip, ledger.digest)))
        return [Send(p, mark) for p in peers]

    def spread(self, signed: Signed, source: int | None, trusting: bool = True) -> list[Effect]:
        """Send to every linked peer that does not get it from its author, whom we trust to tell all the same."""
        audience = self._peers.audience(signed.peer, source, trusting)
        if signed.peer != self._pledges.me and signed.kind in ("frame", "dealer"):
            # other kinds are known when they come again
            audience = self._passed_on.new_to(signed, audience)
        return [Send(p, signed) for p in audience]

    def send_to_all(self, messages: Iterable[Signed]) -> list[Effect]:
        """Say these messages to every linked peer but their authors."""
        return [Send(p, signed) for signed in messages for p in self._peers.audience(signed.peer, None, False)]

    def linked(self, peer: int) -> None:
        """This peer has a new link, and may have lost what was under way."""
        self._passed_on.linked(peer)

    def grown(self) -> None:
        """The chain has grown: what comes again may be wanted."""
        self._passed_on.grown()
