"""Asking a router for a port by UPnP, for the many that know neither PCP nor NAT-PMP. It blocks: for a thread only.

In order: who is a gateway on this network (SSDP), where the router's description of itself is, what its outside address
is, a mapping for our port, and whether the mapping is really there. `miniupnpc` speaks XML and SOAP; it is an optional
extra (`upnp`), because it is C and reads what a machine of the local network sends. Without it nothing happens here.

Who would lie: every machine of the local network can answer a search, also for a router that is not there. So only
answers from the router's own address count, its description and the place that takes orders must be there too, and the
search is ours rather than the library's, which takes the first that answers. A router itself can lie as it likes: what
it says is its outside address must be one on the internet, what it says it has mapped is asked for again.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import ipaddress
import os
import socket
import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from .claims import Reach, reach_of
from .port_mapping import FORBIDDEN, REFUSED, SILENT

SEARCH_PORT: Final = 1900
SEARCH_GROUP: Final = "239.255.255.250"
SEARCH_TIME: Final = 2.0
MAX_ANSWER: Final = 4096
MAX_LOCATION: Final = 256
LEASE: Final = 3600  # seconds
FOR_EVER: Final = 0  # what routers understand that know no leases; given back when the node ends
TRIES: Final = 4  # ports, if others have the ones that we want
NAME: Final = "Kontor"  # in the router's list
KINDS: Final = tuple(f"urn:schemas-upnp-org:device:InternetGatewayDevice:{version}" for version in (1, 2))


class RouterRefuses(Exception):
    """No port; the text ends a sentence that begins with «your router»."""


@dataclass(frozen=True, slots=True)
class UpnpGrant:
    """Calls to this address and port are let in for so many seconds; for ever if that is 0."""

    host: str
    port: int
    seconds: int


def is_installed() -> bool:
    """Whether the extra is there."""
    return importlib.util.find_spec("miniupnpc") is not None


def find_description(own: str, router: str) -> str:
    """Where the router describes itself; RouterRefuses if it does not say so in time."""
    port = SEARCH_PORT
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.bind((own, 0))
        wire.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 2)
        for kind in KINDS:
            for host in (router, SEARCH_GROUP):
                search = (
                    f'M-SEARCH * HTTP/1.1\r\nHOST: {host}:{port}\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {kind}\r\n\r\n'
                )
                with contextlib.suppress(OSError):  # no multicast here
                    wire.sendto(search.encode("ascii"), (host, port))
        end = time.monotonic() + SEARCH_TIME
        while (left := end - time.monotonic()) > 0:
            wire.settimeout(left)
            try:
                answer, (host, *_) = wire.recvfrom(MAX_ANSWER)
            except OSError:
                continue
            if host == router and (place := location_in(answer)) is not None and is_at(place, router):
                return place
    raise RouterRefuses(SILENT)


def location_in(answer: bytes) -> str | None:
    """The address of the description in an answer to a search."""
    for line in answer.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"location":
            text = value.strip()
            return text.decode("ascii") if len(text) <= MAX_LOCATION and text.isascii() else None
    return None


def is_at(place: str, router: str) -> bool:
    """Whether an address of the web is one of the router itself."""
    try:
        parts = urlsplit(place)
        return parts.scheme == "http" and parts.hostname == router and parts.username is None
    except ValueError:
        return False


class UpnpRouter:
    """The router as miniupnpc sees it; every method blocks, and may run in a thread beside the others."""

    def __init__(self, own: str, router: str) -> None:
        self._own = own
        self._router = router
        self._description = ""  # where it was found last

    def ask(self, port: int, wish: int) -> UpnpGrant:
        """Have calls to an outside port, `wish` if it is free, come to our `port`; RouterRefuses says why not."""
        found = self._open()
        outside = self._outside(found)
        lease = LEASE
        for _ in range(TRIES):
            try:
                found.addportmapping(wish, "TCP", self._own, port, NAME, "", lease)
            except Exception as error:  # the library has no others
                reason = str(error)
                if "OnlyPermanent" in reason and lease != FOR_EVER:
                    lease = FOR_EVER
                elif "Conflict" in reason:
                    wish = 32768 + int.from_bytes(os.urandom(2), "big") // 2
                else:
                    raise RouterRefuses(_why(reason)) from None
            else:
                self._check(found, wish, port)
                return UpnpGrant(outside, wish, lease)
        raise RouterRefuses("has given the ports that we asked for to others")

    def give_back(self, outside: int) -> None:
        """Let nobody in at this port any more; a router that does not hear it forgets it after the lease."""
        with contextlib.suppress(Exception):
            self._open().deleteportmapping(outside, "TCP")

    def _open(self) -> Any:
        description, self._description = self._description, ""
        if not description:
            description = find_description(self._own, self._router)
        found = importlib.import_module("miniupnpc").UPnP()
        try:
            orders = found.selectigd(description)
        except Exception:
            raise RouterRefuses("says that it can be asked by UPnP, but does not say how") from None
        if not is_at(str(orders), self._router):
            raise RouterRefuses("sends us to another machine when it is asked by UPnP")
        self._description = description
        return found

    def _outside(self, found: Any) -> str:
        try:
            text = str(found.externalipaddress())
            ip = ipaddress.ip_address(text)
        except Exception:
            raise RouterRefuses("does not know its own address on the internet") from None
        if reach_of(ip) is not Reach.PUBLIC:
            raise RouterRefuses("has no address on the internet itself: another router stands before it")
        return text

    def _check(self, found: Any, outside: int, port: int) -> None:
        try:
            told = found.getspecificportmapping(outside, "TCP")
        except Exception:
            told = None
        if told is None or tuple(told[:2]) != (self._own, port):
            self.give_back(outside)
            raise RouterRefuses("says that it lets other players in, but does not")


def _why(reason: str) -> str:
    lowered = reason.lower()
    if "authorized" in lowered:
        return FORBIDDEN
    if "http error" in lowered:
        return "ended the talk when it was asked to let other players in"
    return REFUSED
