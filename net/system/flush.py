"""Bytes that go out at once, instead of one turn of the reactor later."""

from __future__ import annotations

from typing import Any


def push(socket: Any) -> None:
    """Hand what a Twisted socket has gathered to the kernel, as far as it takes it; the reactor sees to the rest."""
    # A connection that is being closed is the reactor's: it must see the last write to end it.
    if getattr(socket, "connected", False) and not socket.disconnecting and hasattr(socket, "doWrite"):
        socket.doWrite()  # whatever goes wrong here goes wrong again when the reactor tries, and is handled there
