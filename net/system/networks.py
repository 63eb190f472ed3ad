"""Addresses as we count them: which host, which household, which network. IPv4 inside IPv6 is IPv4."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TypeAlias

Ip: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def plain_ip(host: str) -> Ip | None:
    """The IP address that `host` is, an IPv4 address in IPv6's clothes as itself; None for a name."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip


def plain_host(address: str) -> str:
    """An address without its zone, and as IPv4 where a socket for both kinds shows it as IPv6."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ip.ipv4_mapped) if ip.version == 6 and ip.ipv4_mapped else str(ip)


@lru_cache(8192)
def household_of(address: str) -> str:
    """The part of an address that one household has to itself: all of IPv4, half of IPv6."""
    return _part_of(address, 32, 64)


@lru_cache(8192)
def network_of(address: str) -> str:
    """The part of an address that cannot be had by the dozen for nothing: IPv4 /24, IPv6 /56."""
    return _part_of(address, 24, 56)


def _part_of(address: str, ipv4: int, ipv6: int) -> str:
    host = plain_host(address.partition("/")[0])  # a household is part of a network too
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host
    length = ipv4 if ip.version == 4 else ipv6
    return host if length == ip.max_prefixlen else str(ipaddress.ip_network((ip, length), strict=False))
