"""Questions about this machine that need no other: does multicast work, what versions run here."""

from __future__ import annotations

import os
import platform
import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final

from zeroconf import InterfaceChoice, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

SERVICE: Final = "_kontor-doctor._tcp.local."  # not the one of tables: nobody shall see a table that is none
SIGHT_TIME: Final = 3.0


def multicast_seconds(interfaces: list[str] | None = None) -> float | None:
    """How long an announcement takes from this machine to itself over the network's multicast; None if it is lost."""
    seen = threading.Event()
    wanted = f"{os.urandom(6).hex()}.{SERVICE}"

    def noticed(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if name == wanted and state_change is ServiceStateChange.Added:
            seen.set()

    where: Any = InterfaceChoice.All if interfaces is None else interfaces
    try:
        ear, mouth = Zeroconf(where), Zeroconf(where)
    except OSError:
        return None
    try:
        browser = ServiceBrowser(ear, SERVICE, handlers=[noticed])
        here = [socket.inet_aton("127.0.0.1")]
        info = ServiceInfo(SERVICE, wanted, port=9, server=f"{wanted[:12]}.local.", addresses=here)
        began = time.monotonic()
        threading.Thread(target=_announce, args=(mouth, info), daemon=True).start()
        arrived = seen.wait(SIGHT_TIME)
        took = time.monotonic() - began
        browser.cancel()
    finally:
        mouth.close()
        ear.close()
    return took if arrived else None


def _announce(mouth: Zeroconf, info: ServiceInfo) -> None:
    with suppress(Exception):  # whatever goes wrong, the announcement is not seen, and that is the answer
        mouth.register_service(info)


def versions() -> dict[str, str]:
    """What runs here."""
    from importlib.metadata import version

    names = ("twisted", "cryptography", "zeroconf", "msgspec")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
