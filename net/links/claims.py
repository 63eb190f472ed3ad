"""Which addresses of others a node may dial. Pure rules.

A player says where it can be reached, and other nodes dial that. Whoever lies sets them on a third party: on a router's
page in their own home, on a service of their own machine, on the metadata of a cloud, on a stranger. So a claim is
dialled only if it cannot be worse than what the liar could do without us:

1. An address that a person typed is none of this module's business: it is dialled.
2. An address on the internet is dialled, three times (net/links/roster.py).
3. A private address is dialled if that key was heard there on this local network (`heard`), because only machines on
   it could have announced that; or if a witness vouches for it.
4. A witness is who tells us of the peer: a lobby, or the node that keeps the table. It puts the address at which it
   sees the peer itself first, in place of what the peer says (`as_seen`). A witness in our own network, which we reach
   at a private address, vouches for exactly that address if it is near its own: it could dial it itself, but not what
   lies in other networks of this machine. A lobby elsewhere that sees the peer and us at one public address vouches for
   the peer's private ones: both of us are behind one router.
5. Loopback is dialled only among nodes that the witness sees on loopback, if we reach the witness there too: all of it
   is then one machine. Demonstrations and tests play like that.
6. Never: link-local IPv4 (clouds keep their secrets there), multicast, broadcast, the unspecified address, reserved
   networks, names (they can be made to mean any address later).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.networks import Ip, plain_ip
from kontor_games.net.wire.address import join_address, parse_address

MAX_ADDRESSES: Final = 8
LOWEST_PUNCHED: Final = 1024  # port

_PRIVATE: Final = tuple(
    map(
        ipaddress.ip_network,
        # what is used at home and at work, behind a provider's router, in laboratories; unique local, site-local
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "fc00::/7", "fec0::/10"),
    )
)
# Networks of documents stand for the internet, as they do in documents: whoever uses them inside knows what they do.
_DOCUMENTS: Final = tuple(
    map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"))
)
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_TEREDO: Final = ipaddress.ip_network("2001::/32")


class Reach(Enum):
    """From where an address can be reached."""

    PUBLIC = auto()
    PRIVATE = auto()
    LINK = auto()  # link-local IPv6: means something only with the name of an interface of this machine
    LOOPBACK = auto()
    NEVER = auto()


def reach_of(ip: Ip) -> Reach:
    """From where this address can be reached."""
    if isinstance(ip, ipaddress.IPv6Address):
        inner = (
            ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        )
        if inner is not None:  # a gateway takes it to this IPv4 address
            return Reach.PUBLIC if reach_of(inner) is Reach.PUBLIC else Reach.NEVER
    if ip.is_multicast or ip.is_unspecified or ip in _TEREDO:
        return Reach.NEVER
    if ip.is_loopback:
        return Reach.LOOPBACK
    if ip.is_link_local:
        return Reach.LINK if ip.version == 6 else Reach.NEVER
    if any(ip in network for network in _PRIVATE):
        return Reach.PRIVATE
    return Reach.PUBLIC if ip.is_global or any(ip in network for network in _DOCUMENTS) else Reach.NEVER


@dataclass(frozen=True, slots=True)
class Witness:
    """Who tells us where others are."""

    at: str = ""  # the IP address at which we reach it; empty if that is not known, as through a relay
    sees_us_at: str = ""  # where it sees us, if it says so


ON_THIS_MACHINE: Final = Witness("127.0.0.1")  # this node itself is the witness: it keeps the table


def as_seen(host: str, port: int, claimed: Sequence[str]) -> tuple[str, ...]:
    """What a witness passes on of a peer that it sees at `host` and that listens at `port`: that, then its claims.

    A peer that is not seen itself (`host` is empty) cannot be vouched for: only its public claims are passed on.
    """
    if not port:
        return ()  # who does not listen cannot be called, and its claims must not stand where the seen address stands
    seen = plain_ip(host)
    found = [] if seen is None else [join_address(str(seen), port)]
    allowed = {Reach.PUBLIC} if seen is None else {Reach.PUBLIC, Reach.PRIVATE}
    if seen is not None and seen.is_loopback:
        allowed.add(Reach.LOOPBACK)
    for text in claimed:
        parsed = _parse(text)
        if parsed is not None and reach_of(parsed[0]) in allowed:
            found.append(join_address(str(parsed[0]), parsed[1]))
    return tuple(dict.fromkeys(found))[:MAX_ADDRESSES]


def dialable(told: Sequence[str], witness: Witness, heard: Collection[str] = ()) -> tuple[str, ...]:
    """The addresses that may be dialled, of those that a witness told of a peer; the first is where it sees the peer.

    `heard` are the addresses at which this key was heard on the local network (`hearable`).
    """
    first = _parse(told[0]) if told else None
    seen = None if first is None else first[0]
    at, us = plain_ip(witness.at), plain_ip(witness.sees_us_at)
    found = []
    for text in told[:MAX_ADDRESSES]:
        parsed = _parse(text)
        if parsed is not None and (text in heard or _is_vouched(parsed[0], seen, at, us)):
            found.append(join_address(str(parsed[0]), parsed[1]))
    return tuple(dict.fromkeys(found))


def hearable(announced: Sequence[str], on_loopback: bool) -> tuple[str, ...]:
    """The addresses that may be dialled, of those announced on the local network, which may be loopback alone."""
    allowed = {Reach.PUBLIC, Reach.PRIVATE, Reach.LINK} | ({Reach.LOOPBACK} if on_loopback else set())
    parsed = ((text, _parse(text)) for text in announced[:MAX_ADDRESSES])
    return tuple(text for text, ip in parsed if ip is not None and reach_of(ip[0]) in allowed)


def why_not_relay(address: str, witness: Witness) -> str | None:
    """Why a lobby may not send us to a relay at this address, or None; a name is the operator's word."""
    parsed, at = _parse(address), plain_ip(witness.at)
    if parsed is None or parsed[0] == at or _is_vouched(parsed[0], parsed[0], at, None):
        return None
    return f"the lobby names a relay at {address[:140]}, where a lobby elsewhere must not send us"


def why_not_punch(place: str, witness: Witness) -> str | None:
    """Why a lobby may not have us call a peer at this place, or None; it says so of what it saw itself.

    Routers let calls out at high ports: a low one is somebody's service. Where the lobby sees us ourselves is our own
    router, whose pages answer those inside.
    """
    parsed, at = _parse(place), plain_ip(witness.at)
    if parsed is not None and _is_vouched(parsed[0], parsed[0], at, None):
        ip, port = parsed
        is_own = reach_of(ip) is Reach.PUBLIC and ip == plain_ip(witness.sees_us_at)
        if port >= LOWEST_PUNCHED and not is_own:
            return None
    return f"the lobby names {place[:140]}, where a lobby elsewhere must not send us"


def _is_vouched(ip: Ip, seen: Ip | None, at: Ip | None, us: Ip | None) -> bool:
    match reach_of(ip):
        case Reach.PUBLIC:
            return True
        case Reach.LOOPBACK:
            return at is not None and at.is_loopback and ip == seen
        case Reach.PRIVATE:
            if seen is None:
                return False
            if at is not None and at.is_loopback:
                return ip == seen
            if at is not None and reach_of(at) is Reach.PRIVATE:
                # the second: it shares the witness's machine
                return (ip == seen and _is_near(ip, at)) or (seen.is_loopback and ip == at)
            return us is not None and reach_of(seen) is Reach.PUBLIC and _site(seen) == _site(us)
        case _:
            return False


def _is_near(one: Ip, other: Ip) -> bool:
    """Whether two private addresses belong to one local network, by the sizes that are common."""
    if one.version != other.version:
        return False
    if one.version == 6:
        return int(one) >> 80 == int(other) >> 80  # unique local addresses: a site is a /48
    shift = 8 if int(one) >> 16 == 0xC0A8 else 16  # 192.168.x.0/24, else a /16
    return int(one) >> shift == int(other) >> shift


def _site(ip: Ip) -> object:
    """What machines behind one router share as others see them."""
    return ip if ip.version == 4 else int(ip) >> 64


def _parse(text: str) -> tuple[Ip, int] | None:
    try:
        host, port = parse_address(text)
    except ConfigError:
        return None
    ip = plain_ip(host)
    return None if ip is None else (ip, port)
