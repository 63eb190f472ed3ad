"""What a player has chosen for good, and which matches are put away: in files of the home."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.identity import fingerprint_words

SETTINGS_FILE: Final = "settings.json"
PUT_AWAY_FILE: Final = "put-away.json"


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


class PutAway:
    """The ids of matches that the player has put away: they are still there, but not in the way."""

    def __init__(self, home: Path) -> None:
        self._path = home / PUT_AWAY_FILE
        self._ids = self._read()

    def __contains__(self, match: str) -> bool:
        return match in self._ids

    def _read(self) -> frozenset[str]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return frozenset(each for each in found if isinstance(each, str))
        except (OSError, ValueError, TypeError, RecursionError):
            return frozenset()

    def set(self, match: str, is_away: bool, known: Collection[str]) -> None:
        """Put a match away, or take it out again; of matches that are gone nothing is kept."""
        wanted = {*self._ids, match} if is_away else self._ids - {match}
        self._ids = frozenset(wanted).intersection(known)
        write_private(self._path, json.dumps(sorted(self._ids)))
