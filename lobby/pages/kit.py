"""What the pages are made of, handed in by whoever starts the lobby: a lobby itself knows neither words nor boards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PageKit:
    """Files of the web client, and the command of a process that judges and prepares match files."""

    web: Path
    worker: tuple[str, ...]
    mark: bytes  # of the words: with others, replays are prepared anew
