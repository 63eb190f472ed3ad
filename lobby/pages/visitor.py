"""Who asks, where a reverse proxy stands in front: its word counts if the operator named it, and nobody else's does.

`X-Forwarded-For` is a list that every proxy appends to, and whoever asks can begin it with anything. So it is read from
its end: the last address is what our own proxy saw. If that is one of our proxies too, the one before it was seen by
that, and so on; the first address that is not a proxy of ours is the visitor. What an attacker would try: the header
without a proxy (ignored), a made-up beginning (never reached), nonsense (the proxy itself counts as the visitor).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kontor_games.net.system.networks import household_of, plain_host, plain_ip, plain_network

MAX_HOPS = 8


class Proxies:
    """The reverse proxies that the operator runs."""

    def __init__(self, named: Iterable[str]) -> None:
        self._networks = tuple(map(plain_network, named))

    def has(self, host: str) -> bool:
        """Whether this is one of them."""
        ip = plain_ip(plain_host(host))
        return ip is not None and any(ip in network for network in self._networks)

    def visitor(self, peer: str, forwarded: Sequence[str]) -> str:
        """The household that counts for a request from `peer` with these X-Forwarded-For headers."""
        found = plain_host(peer)
        if self.has(found):
            for hop in reversed(",".join(forwarded).split(",")[-MAX_HOPS:]):
                ip = plain_ip(hop.strip().strip("[]"))
                if ip is None:
                    break
                found = str(ip)
                if not self.has(found):
                    break
        return household_of(found)
