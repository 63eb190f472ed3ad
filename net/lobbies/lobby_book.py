"""The lobbies this node knows: their keys as first seen, and which lobby a match came from. Files in the home."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.hex_file import HexFile
from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.address import join_address, parse_address

DEFAULT_PORT: Final = 7460
FILE_NAME: Final = "lobbies.json"


def lobby_address(text: str) -> str:
    """A lobby's address in one form; the port may be left out."""
    try:
        return join_address(*parse_address(text))
    except ConfigError:
        return join_address(*parse_address(f"{text}:{DEFAULT_PORT}"))


class LobbyBook:
    """The keys of lobbies by address; what cannot be read counts as never seen."""

    def __init__(self, home: Path) -> None:
        self._file = HexFile(home / FILE_NAME)

    def key_of(self, address: str) -> bytes | None:
        """The key that the lobby showed when we first met it."""
        return self._file.read().get(address)

    def remember(self, address: str, key: bytes) -> bool:
        """Keep the key of a lobby; False if it was known with this key."""
        known = self._file.read()
        if known.get(address) == key:
            return False
        self._file.write(dict(sorted({**known, address: key}.items())))
        return True


@dataclass(frozen=True, slots=True)
class Origin:
    """The lobby's table that a match began at; its relay helps as long as the lobby keeps the table."""

    lobby: str
    key: bytes
    name: str  # under which we were there
    table: str

    def write(self, path: Path) -> None:
        """Keep it beside the match."""
        fields = {"lobby": self.lobby, "key": self.key.hex(), "name": self.name, "table": self.table}
        write_private(path, json.dumps(fields))

    @classmethod
    def read(cls, path: Path) -> Origin | None:
        """What was kept, None if there is nothing of use."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            texts = [str(found[name])[:128] for name in ("lobby", "name", "table")]
            return cls(lobby_address(texts[0]), bytes.fromhex(found["key"]), texts[1], texts[2])
        except (OSError, ValueError, KeyError, TypeError, ConfigError):
            return None
