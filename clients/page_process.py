"""Hands the lobby what its pages are made of: files of the web client, and words, which a lobby does not have."""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def page_kit(memory: int) -> Any:
    """What a lobby makes its pages of; None where the web client is not installed."""
    from kontor_games.lobby.pages.kit import PageKit
    from kontor_games.net.system.child import python

    web = HERE / "web"
    if not (web / "pages" / "index.html").is_file():
        return None
    mark = blake2b(digest_size=16)
    for path in sorted([*(HERE / "words").rglob("*.json"), *(HERE / "text").glob("*.py")]):
        mark.update(path.name.encode() + b"\0" + blake2b(path.read_bytes(), digest_size=16).digest())
    worker = (*python(), "-m", "kontor_games.clients.page_process", str(memory))
    return PageKit(web, worker, mark.digest())


def main() -> None:
    """Be one process that judges files and prepares replays."""
    from kontor_games.clients.text.api_words import CatalogueWording
    from kontor_games.lobby.pages.page_worker import run_worker

    run_worker(CatalogueWording(), int(sys.argv[1]))


if __name__ == "__main__":
    main()
