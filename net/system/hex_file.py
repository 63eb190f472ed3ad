"""A small file of names and bytes: JSON with the bytes in hex, replaced as a whole and synced."""

from __future__ import annotations

import json
from pathlib import Path

from .private_file import write_private


class HexFile:
    """What cannot be read counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, bytes]:
        """All names, in the order in which they were written."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(name): bytes.fromhex(value) for name, value in found.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def write(self, known: dict[str, bytes]) -> None:
        """Exactly these from now on; they are on the disk when this returns, else StoreError."""
        text = json.dumps({name: value.hex() for name, value in known.items()}, indent=1)
        write_private(self._path, text, sync=True)
