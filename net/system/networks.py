"""Addresses as we count them: which host, which household, which network.

A socket that serves both kinds of addresses shows an IPv4 address as an IPv6 one (`::ffff:203.0.113.5`), and anybody
may write it so. Read as IPv6, all of IPv4 would be one household, and a ban would miss the address that it names. So
whoever counts, shares out, bans or compares addresses reads them here, where IPv4 written as IPv6 is IPv4.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TypeAlias

Ip: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_MAPPED = 96  # bits before an IPv4 address that is written as IPv6


def plain_ip(host: str) -> Ip | None:
    """The IP address that `host` is, IPv4 if it is IPv4 written as IPv6; None for a name."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip


def plain_host(address: str) -> str:
    """An address without its zone, and as IPv4 where a socket for both kinds shows it as IPv6."""
    ip = plain_ip(address.partition("%")[0])
    return address if ip is None else str(ip)


def plain_network(text: str) -> Network:
    """The network (or single address) that `text` names, as IPv4 if it is; ValueError if it does not name one."""
    network = ipaddress.ip_network(text, strict=False)
    if isinstance(network, ipaddress.IPv6Network) and network.prefixlen >= _MAPPED:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            return ipaddress.IPv4Network((mapped, network.prefixlen - _MAPPED))
    return network


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
    ip = plain_ip(host)
    if ip is None:
        return host
    length = ipv4 if ip.version == 4 else ipv6
    return host if length == ip.max_prefixlen else str(ipaddress.ip_network((ip, length), strict=False))
