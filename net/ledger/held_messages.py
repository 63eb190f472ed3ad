"""Messages with their signatures that are not part of the chain yet, and who needs which of them.

The sealed table works with bytes; whoever passes a message on needs the signature too. Of one peer's messages that came
too early or fit nowhere only the newest are kept, so that nobody can fill our memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.engine.core.stream import H
from kontor_games.net.sealed import bodies
from kontor_games.net.sealed.entries import Entries
from kontor_games.net.wire.chain import DealerMessage, decode
from kontor_games.net.wire.match_talk import Item, Signed

from .item_chain import ItemChain

MAX_REMEMBERED = 64  # signed messages per peer that are not part of the chain yet
EARLY = 8  # of them, those under tips not reached yet


class HeldMessages:
    """What this node holds for the open entry, its votes, and tips that the chain has not reached."""

    def __init__(self, entries: Entries, chain: ItemChain) -> None:
        self._entries = entries
        self._chain = chain
        self._remembered: dict[bytes, Signed] = {}

    def keep(self, signed: Signed) -> None:
        """Keep the signature; of one peer's messages that came too early or fit nowhere, only the newest."""
        theirs = [raw for raw, other in self._remembered.items() if other.peer == signed.peer]
        if len(theirs) >= MAX_REMEMBERED:
            for raw in [raw for raw in theirs if not self._is_held(raw)][:-EARLY]:
                del self._remembered[raw]
        self._remembered[signed.raw] = signed

    def item_of(self, raws: Iterable[bytes]) -> Item:
        """The entry that these messages close."""
        return Item("entry", tuple(self._remembered[raw] for raw in raws))

    def let_go(self, item: Item) -> None:
        """These messages are part of the chain now."""
        for part in item.parts:
            self._remembered.pop(part.raw, None)

    def of(self, raw: bytes) -> Signed | None:
        """The message with these bytes, held or part of the chain."""
        return self._remembered.get(raw) or self._chain.find(raw)

    def all(self) -> list[Signed]:
        """Everything this node holds for the open entry and its votes."""
        found = (self._remembered.get(raw) for raw in self._entries.open_messages())
        return [signed for signed in found if signed is not None]

    def grounds(self, message: DealerMessage) -> list[Signed]:
        """What others have said that this message of ours rests on.

        Shares for the departed rest on the votes and on all that these name, anything else on what this node has found
        good of the open entry.
        """
        is_shares = isinstance(bodies.decode(message.p, bytes(message.b)), bodies.Giv)
        raws = self._entries.open_messages() if is_shares else self._entries.judged_messages()
        found = (self._remembered.get(raw) for raw in raws)
        return [signed for signed in found if signed is not None and signed.peer != message.p]

    def named_in(self, vote: DealerMessage) -> list[Signed]:
        """The messages that a vote of ours names."""
        body = bodies.decode(vote.p, bytes(vote.b))
        hashes = body.f if isinstance(body, bodies.Gon) else ()
        found = (self.find(digest) for digest in hashes if digest is not None)
        return [signed for signed in found if signed is not None]

    def keys_of(self, peer: int) -> bodies.Key | None:
        """The keys that a peer has shown, while the entry with all keys is open."""
        own = (signed for signed in self.all() if signed.peer == peer)
        said = (bodies.decode(signed.peer, bytes(decode(DealerMessage, signed.raw).b)) for signed in own)
        return next((body for body in said if isinstance(body, bodies.Key)), None)

    def find(self, message_hash: bytes) -> Signed | None:
        """A dealer message by its hash."""
        raw = self._entries.held(message_hash)
        return None if raw is None else self.of(raw)

    def has(self, signed: Signed) -> bool:
        """Whether this very message is part of the chain's last items or held for the open entry."""
        held = signed.kind == "dealer" and self._entries.is_known(H("msg", signed.raw, size=32))
        return held or self._chain.has_lately(signed)

    def _is_held(self, raw: bytes) -> bool:
        return self._entries.held(H("msg", raw, size=32)) is not None
