"""Ways to a peer and which are better: the local network, an address on the internet, a hole, a lobby's relay."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.networks import plain_ip
from kontor_games.net.wire.address import parse_address

from .claims import Reach, reach_of

RELAY_PREFIX: Final = "relay:"  # of addresses that are dialled: relay:TABLE:KEY
RELAYED: Final = "relay@"  # of the far end of a relayed link: relay@host:port
PUNCH_PREFIX: Final = "punch:"  # the same for a hole through both routers
PUNCHED: Final = "punch@"


class Path(IntEnum):
    """Kinds of ways, the best first."""

    LAN = 0
    DIRECT = 1
    PUNCHED = 2
    RELAY = 3


HEAD_START: Final = {
    Path.LAN: 0.0,
    Path.DIRECT: 0.3,
    Path.PUNCHED: 0.8,
    Path.RELAY: 1.5,
}  # seconds that better ones are ahead
STAGGER: Final = 0.05  # between addresses of one kind


def path_of(address: str) -> Path:
    """What kind of way an address is; a name is taken for one on the internet."""
    if address.startswith((RELAY_PREFIX, RELAYED, f"[{RELAYED}")):
        return Path.RELAY
    if address.startswith((PUNCH_PREFIX, PUNCHED, f"[{PUNCHED}")):
        return Path.PUNCHED
    try:
        ip = plain_ip(parse_address(address)[0])
    except ConfigError:
        return Path.DIRECT
    if ip is None:
        return Path.DIRECT
    return Path.LAN if ip.is_link_local or reach_of(ip) in (Reach.PRIVATE, Reach.LOOPBACK) else Path.DIRECT


def schedule(addresses: Sequence[str], now: float) -> list[tuple[float, str]]:
    """When to dial which address in one race; the best begins at once."""
    ranked = sorted(addresses, key=path_of)  # stable: of one kind the order given counts
    if not ranked:
        return []
    first = HEAD_START[path_of(ranked[0])]
    waits = (HEAD_START[path_of(address)] - first + place * STAGGER for place, address in enumerate(ranked))
    return [(now + wait, address) for wait, address in zip(waits, ranked, strict=True)]


def relay_address(table: str, peer: bytes) -> str:
    """The address of a peer in the relay of the lobby that keeps this table."""
    return f"{RELAY_PREFIX}{table}:{peer.hex()}"


def punch_address(table: str, peer: bytes) -> str:
    """The address of a peer behind a router, to be reached with help of the lobby that keeps this table."""
    return f"{PUNCH_PREFIX}{table}:{peer.hex()}"


def parse_lobby_way(address: str) -> tuple[str, bytes]:
    """Table and peer of an address in a lobby's relay, or of one that the lobby helps to reach."""
    table, _, key = address.removeprefix(RELAY_PREFIX).removeprefix(PUNCH_PREFIX).partition(":")
    try:
        return table, bytes.fromhex(key)
    except ValueError:
        raise ConfigError(f"{address[:140]!r} does not name a table and a peer") from None
