"""Where others reach this node, and where others were heard on the local network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from kontor_games.net.links.claims import hearable
from kontor_games.net.links.punch_endpoint import HoleMeans
from kontor_games.net.wire.address import is_loopback, parse_address


def _nowhere(key: bytes) -> Collection[str]:
    return ()


@dataclass
class Whereabouts:
    """What the parts of a node know about addresses; filled in once the node listens."""

    addresses: tuple[str, ...] = ()
    can_punch: bool = True  # whether direct ways through routers are looked for with a lobby's help
    holes: HoleMeans = field(default_factory=HoleMeans)  # what all attempts at such a way share
    announced_by: Callable[[bytes], Collection[str]] = _nowhere  # the addresses that a key announced

    @property
    def port(self) -> int:
        """The port under which others call this node; 0 while it does not listen."""
        return parse_address(self.addresses[0])[1] if self.addresses else 0

    def heard_at(self, key: bytes) -> tuple[str, ...]:
        """Where a key was heard on the local network."""
        return self.hearable(tuple(self.announced_by(key)))

    def hearable(self, announced: Sequence[str]) -> tuple[str, ...]:
        """Those of the announced addresses that can be true; a node on loopback hears of others on loopback."""
        is_on_loopback = bool(self.addresses) and all(is_loopback(address) for address in self.addresses)
        return hearable(announced, is_on_loopback)
