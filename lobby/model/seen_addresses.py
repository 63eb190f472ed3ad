"""Where a node can be reached: what the lobby saw itself, then what the node says of itself."""

from __future__ import annotations

from kontor_games.net.links.claims import as_seen
from kontor_games.net.wire.address import join_address

from .work import Who


def seen_address(who: Who) -> str:
    """Where the lobby sees this node; with its port if it listens for peers."""
    return join_address(who.address, who.port) if who.port else who.address


def reachable(who: Who, claimed: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses to hand to other members: first, always, the one the lobby vouches for (net/links/claims.py)."""
    return as_seen(who.address, who.port, claimed)
