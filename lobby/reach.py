"""Where a node can be reached: what the lobby saw itself, then what the node says of itself."""

from __future__ import annotations

import ipaddress
from typing import Final

from engine.errors import ConfigError
from net.address import join_address, parse_address

from .work import Who

MAX_ADDRESSES: Final = 8


def seen_address(who: Who) -> str:
    """Where the lobby sees this node; with its port if it listens for peers."""
    return join_address(who.address, who.port) if who.port else who.address


def reachable(who: Who, claimed: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses to hand to other members: no names, no multicast, loopback only among loopback nodes.

    A claimed address makes other nodes dial it, so it must not be one that only the dialling node would understand.
    """
    found = [join_address(who.address, who.port)] if who.port else []
    local = ipaddress.ip_address(who.address).is_loopback
    for text in claimed:
        try:
            host, port = parse_address(text)
            ip = ipaddress.ip_address(host)
        except (ConfigError, ValueError):
            continue
        if ip.is_multicast or ip.is_unspecified or (ip.is_loopback and not local):
            continue
        found.append(join_address(str(ip), port))
    return tuple(dict.fromkeys(found))[:MAX_ADDRESSES]
