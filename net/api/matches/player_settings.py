"""What a player has chosen for good, in a file of the home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.identity import fingerprint_words

SETTINGS_FILE: Final = "settings.json"


class Settings(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a player has chosen for good; clients may keep small values of their own under `client`."""

    name: Annotated[str, Meta(max_length=24)] = ""
    lobby: Annotated[str, Meta(max_length=200)] = ""
    theme: Annotated[str, Meta(max_length=32)] = ""
    language: Annotated[str, Meta(max_length=16)] = ""
    client: Annotated[
        dict[Annotated[str, Meta(max_length=40)], bool | int | Annotated[str, Meta(max_length=400)]],
        Meta(max_length=64),
    ] = {}


class SettingsFile:
    """Settings on the disk."""

    def __init__(self, home: Path, key: bytes) -> None:
        self._path = home / SETTINGS_FILE
        self._key = key
        self.value = self._read()

    @property
    def called(self) -> str:
        """The player's name; without one, the first word of the key, so that two nodes differ."""
        return self.value.name or fingerprint_words(self._key).split(" ")[0].capitalize()

    def _read(self) -> Settings:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Settings)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return Settings()

    def write(self, value: Settings) -> None:
        """Keep these."""
        write_private(self._path, json.dumps(msgspec.to_builtins(value), indent=1))
        self.value = value
