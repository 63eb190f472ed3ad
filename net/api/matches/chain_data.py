"""The chain of a match among peers as clients see it: what each link is made of, never what it hides."""

from __future__ import annotations

from typing import Any, Final

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.match_talk import Item

MAX_LINKS: Final = 500  # in one answer


def chain_data(ledger: Ledger, first: int) -> dict[str, Any]:
    """The links from position `first` on, and where the chain ends."""
    return {
        "links": [_link(item) for item in ledger.items[first : first + MAX_LINKS]],
        "count": ledger.position,
        "tip": ledger.tip.hex(),
        "digest": ledger.digest.hex(),
    }


def _link(item: Item) -> dict[str, Any]:
    size = sum(len(part.raw) for part in item.parts)
    if item.kind == "frame":
        frame = decode(Frame, item.parts[0].raw)
        return {"kind": "frame", "peer": item.parts[0].peer, "actions": len(frame.a), "bytes": size}
    found = [bodies.decode(part.peer, bytes(decode(DealerMessage, part.raw).b)) for part in item.parts]
    mixed = [len(body.o) // 64 for body in found if isinstance(body, bodies.MixBody)]
    return {
        "kind": "entry",
        "parts": [bodies.kind(body) for body in found],
        "cards": max(mixed, default=0),
        "bytes": size,
    }
