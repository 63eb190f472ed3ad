"""Where a lobby listens: one address, or all of them by IPv4 and IPv6 with one socket."""

from __future__ import annotations

import errno
import socket
from typing import Any, Final, cast

from twisted.internet.endpoints import AdoptedStreamServerEndpoint, TCP4ServerEndpoint, TCP6ServerEndpoint

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import own_addresses

BACKLOG: Final = 1024
ANY4: Final = "0.0.0.0"  # noqa: S104 - the operator's own words for all addresses
ANY6: Final = "::"
_WITHOUT_IPV6: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)


def endpoint_at(reactor: Any, address: str) -> Any:
    """The endpoint for `host:port`; ConfigError says what is wrong with it.

    `[::]` is all addresses of both kinds, whatever the system's own habit is; on a machine without IPv6 those of IPv4.
    """
    host, number = _parse(address)
    if host != ANY6:
        return _at(reactor, host, number)
    try:
        # Any: Twisted declares no types here.
        return cast(Any, AdoptedStreamServerEndpoint)(reactor, _both(number), socket.AF_INET6)
    except OSError as error:
        if error.errno in _WITHOUT_IPV6:
            return _at(reactor, ANY4, number)
        raise ConfigError(f"cannot listen on {address}: {error.strerror}") from error


def _at(reactor: Any, host: str, port: int) -> Any:
    kind: Any = TCP6ServerEndpoint if ":" in host else TCP4ServerEndpoint
    return kind(reactor, port, interface=host, backlog=BACKLOG)


def _parse(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    try:
        return host.strip("[]"), int(port)
    except ValueError:
        raise ConfigError(f"{address!r} is not an address") from None


def _both(port: int) -> int:
    """A listening socket for both kinds of addresses; whoever adopts it closes it."""
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as both:
        both.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        both.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        both.bind((ANY6, port))
        both.listen(BACKLOG)
        both.setblocking(False)
        return both.detach()


def addresses_of(listen: str, is_ipv6: bool) -> list[str]:
    """Where others can reach a lobby with this setting, IPv4 first; `is_ipv6` says which kind its socket became."""
    host = _parse(listen)[0]
    if host not in ("", ANY4, ANY6):
        return [host]
    found = [address for address in own_addresses() if is_ipv6 or ":" not in address]
    return sorted(found, key=lambda address: ":" in address) or ["127.0.0.1"]
