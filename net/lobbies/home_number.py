"""A number by which a lobby tells two nodes with one key apart; it is not copied together with the key.

Whoever moves to another computer takes the key along (`kontor id export`) and must stop the old node. Two nodes with
one key would sign different things for one place of a match, and everybody would take that for cheating. So a lobby
lets in only one of them at a time. It knows them by this number: a random one from a file of the home, mixed with the
machine's own and with the home's place, so that a copied home has another. It says nothing about the machine.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.private_file import read_private, write_private

FILE: Final = "home-number"
_MACHINE: Final = Path("/etc/machine-id")


def home_number(home: Path) -> str:
    """The number of this home on this machine; empty if none can be kept, then the lobby believes it is one node."""
    try:
        own = read_private(home / FILE, 64)
    except FileNotFoundError:
        own = secrets.token_hex(16).encode()
        try:
            write_private(home / FILE, own)
        except StoreError:
            return ""
    except StoreError:
        return ""
    machine = b""
    with suppress(OSError):
        machine = _MACHINE.read_bytes()[:64]
    return hashlib.blake2b(b"\0".join((own, machine, str(home.resolve()).encode())), digest_size=16).hexdigest()
