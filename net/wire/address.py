"""Addresses as people write them: `host:port`, IPv6 in brackets."""

from __future__ import annotations

import ipaddress
import re

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.networks import plain_host, plain_ip

_NAME = re.compile(r"\A(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*\.?\Z")
_PORT = re.compile(r"\A[0-9]{1,5}\Z")


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `text`; ConfigError says what is wrong with it."""
    host, colon, port = text.rpartition(":")
    if not colon or not _PORT.match(port) or not 0 < int(port) < 65536:
        raise ConfigError(f"{text[:140]!r} is not an address; write host:port or [ipv6]:port")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        if not is_ip(host) or ":" not in host:
            raise ConfigError(f"{host[:140]!r} is not an IPv6 address")
    elif ":" in host or (not is_ip(host) and (len(host) > 100 or not _NAME.match(host))):
        raise ConfigError(f"{host[:140]!r} is neither an IP address nor a host name")
    return host, int(port)


def host_of(text: str) -> str:
    """The host of an address that may come without a port, as a lobby tells it."""
    try:
        return parse_address(text)[0]
    except ConfigError:
        return text


def is_ip(host: str) -> bool:
    """Whether `host` is an IP address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def join_address(host: str, port: int) -> str:
    """The text form of host and port."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def why_not_address(text: str) -> str | None:
    """Why `text` is not an address that could be dialled, or None."""
    try:
        parse_address(text)
    except ConfigError as error:
        return str(error)
    return None


def is_loopback(address: str) -> bool:
    """Whether this `host:port` never leaves the machine."""
    ip = plain_ip(plain_host(parse_address(address)[0]))
    return ip is not None and ip.is_loopback


def own_addresses() -> list[str]:
    """The addresses under which others of the local network can reach this machine; none where it may not ask."""
    import ifaddr  # here, because most who want an address do not want to know the machine's

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # a service that the system does not let look at its network: nothing depends on these addresses
        return []
    found: list[str] = []
    for adapter in adapters:
        for entry in adapter.ips:
            text = str(entry.ip) if entry.is_IPv4 else str(entry.ip[0])
            address = ipaddress.ip_address(text)
            if not address.is_loopback and not (address.version == 6 and address.is_link_local):
                found.append(text)
    return sorted(found, key=lambda text: ":" in text)[:8]  # IPv4 first: easier to pass on
