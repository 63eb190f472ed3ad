"""Where the peers of a match are called, kept beside its journal: what others said, and where they answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.system.private_file import write_private

_log = Logger(namespace="kontor.node")


@dataclass
class WaysFile:
    """The file `<match>.peers`; without it a match goes on as soon as its peers call us."""

    path: Path
    claimed: dict[bytes, tuple[str, ...]] = field(default_factory=dict)
    proven: dict[bytes, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: MatchFiles) -> WaysFile:
        """The file of this match, read if it is there; what cannot be read counts as nothing."""
        ways = cls(files.peers)
        try:
            found = json.loads(ways.path.read_text(encoding="utf-8"))
            for text, entry in found.items():
                key = bytes.fromhex(text)
                ways.claimed[key] = _texts(entry if isinstance(entry, list) else entry["claimed"])
                ways.proven[key] = () if isinstance(entry, list) else _texts(entry["proven"])
        except (OSError, ValueError, AttributeError, TypeError, KeyError):
            return cls(ways.path)
        return ways

    @property
    def peers(self) -> frozenset[bytes]:
        """Whom it names."""
        return frozenset(self.claimed)

    def found(self, peer: bytes, proven: tuple[str, ...]) -> None:
        """A peer of the match was reached at these addresses."""
        if peer in self.claimed and proven and self.proven.get(peer) != proven:
            self.proven[peer] = proven
            self.write()

    def write(self) -> None:
        """Keep it; a match can do without."""
        entries = {
            key.hex(): {"claimed": list(claimed), "proven": list(self.proven.get(key, ()))}
            for key, claimed in self.claimed.items()
        }
        try:
            write_private(self.path, json.dumps(entries))
        except StoreError as error:
            _log.warn("{error}", error=str(error))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value)[:140] for value in values[:16])
