"""Who put a peer out, read from the chain."""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, decode
from kontor_games.net.wire.match_talk import Item


def voters_against(items: Iterable[Item], peer: int) -> tuple[int, ...]:
    """The peers whose votes put this one out, ascending; nobody if it was not put out."""
    found = set()
    for item in items:
        for part in item.parts if item.kind == "entry" else ():
            message = decode(DealerMessage, part.raw)
            body = bodies.decode(message.p, bytes(message.b))
            if isinstance(body, bodies.Gon) and peer in body.w:
                found.add(part.peer)
    return tuple(sorted(found))
