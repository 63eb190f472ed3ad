"""Which match this node signed last at which table, until it begins or comes to nothing. A file in the home.

A node that was killed between its signature and the start of the match takes that start when it comes back, and no
other: without this note a keeper could show it any match that it ever signed.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.hex_file import HexFile

FILE_NAME: Final = "agreed.json"
MAX_TABLES: Final = 64  # more than anybody is at; tables that were never seen again make room


class AgreedBook:
    """Tables and the match that was signed there; what cannot be read counts as never signed."""

    def __init__(self, home: Path) -> None:
        self._file = HexFile(home / FILE_NAME)

    def match_of(self, table: str) -> bytes | None:
        """The match that was signed at this table."""
        return self._file.read().get(table)

    def note(self, table: str, match: bytes) -> None:
        """Remember a signature; it is on the disk when this returns. StoreError if it is not."""
        others = [(name, value) for name, value in self._file.read().items() if name != table]
        self._file.write({**dict(others[1 - MAX_TABLES :]), table: match})

    def forget(self, table: str) -> None:
        """The match has begun, or will not be played."""
        known = self._file.read()
        if known.pop(table, None) is not None:
            with suppress(StoreError):  # a full disk: the note is in the way of nothing
                self._file.write(known)
