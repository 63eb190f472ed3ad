"""Where this machine's router is."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Final

ROUTES: Final = Path("/proc/net/route")
_UP_GATEWAY: Final = 0x3


def default_gateway(table: Path = ROUTES) -> str | None:
    """The IPv4 address of the default router; None where there is none, or where the system does not show it so."""
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


def own_address_towards(host: str) -> str | None:
    """The address of this machine on the way to `host`; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        try:
            wire.connect((host, 9))
        except OSError:
            return None
        return str(wire.getsockname()[0])
