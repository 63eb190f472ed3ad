"""Where this machine's router is, as each system tells it."""

from __future__ import annotations

import ctypes
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROUTES: Final = Path("/proc/net/route")
_UP_GATEWAY: Final = 0x3
_ASK_ROUTE: Final = ("/sbin/route", "-n", "get", "default")  # macOS and the BSDs
_PATIENCE: Final = 2.0  # seconds for a command that takes hundredths
_BEST_ROUTE: Final = struct.Struct("=3I4s10I")  # MIB_IPFORWARDROW of Windows; the fourth field is the next hop


def default_gateway(platform: str = sys.platform) -> str | None:
    """The IPv4 address of the default router; None where there is none, or where the system does not tell it."""
    if platform.startswith("linux"):
        return gateway_in_table(ROUTES)
    if platform == "win32":
        return _asked_of_windows(vars(ctypes)["WinDLL"]("iphlpapi"))  # other systems do not have it
    return _asked_of_route()


def gateway_in_table(table: Path) -> str | None:
    """The router in Linux's table of routes, that of the least metric."""
    try:
        lines = table.read_text(encoding="ascii").splitlines()[1:]
    except (OSError, ValueError):
        return None
    found: list[tuple[int, str]] = []
    for line in lines:
        fields = line.split()
        try:
            destination, gateway, flags, metric = (int(fields[index], 16) for index in (1, 2, 3, 6))
        except (IndexError, ValueError):
            continue
        if destination == 0 and flags & _UP_GATEWAY == _UP_GATEWAY:
            found.append((metric, socket.inet_ntoa(struct.pack("<I", gateway))))
    return min(found)[1] if found else None


def gateway_in_words(said: str) -> str | None:
    """The router in what `route -n get default` says; a tunnel has an interface there and no IPv4 address."""
    found = re.search(r"^\s*gateway:\s*(\d{1,3}(?:\.\d{1,3}){3})\s*$", said, re.MULTILINE)
    return found[1] if found else None


def gateway_in_row(row: bytes) -> str | None:
    """The router in Windows's best route to everywhere; zeros stand for a network without one."""
    next_hop: bytes = _BEST_ROUTE.unpack(row)[3]
    return socket.inet_ntoa(next_hop) if any(next_hop) else None


def _asked_of_windows(library: Any) -> str | None:
    row = ctypes.create_string_buffer(_BEST_ROUTE.size)
    return gateway_in_row(row.raw) if library.GetBestRoute(0, 0, row) == 0 else None


def _asked_of_route() -> str | None:
    try:
        done = subprocess.run(_ASK_ROUTE, capture_output=True, timeout=_PATIENCE, check=False)  # noqa: S603 - the system's own
    except (OSError, subprocess.TimeoutExpired):
        return None
    return gateway_in_words(done.stdout.decode("ascii", "replace"))


def own_address_towards(host: str) -> str | None:
    """The address of this machine on the way to `host`; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        try:
            wire.connect((host, 9))
        except OSError:
            return None
        return str(wire.getsockname()[0])
