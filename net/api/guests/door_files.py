"""What the guest door serves: a fixed table of pages, made once when the door is opened. No path is ever looked up.

`/` is the page of the web client and `/screen` that of the big screen, which here begin with the pairing; everything
else is a file of the web client under its own name, and `/guest/words.json` are the words that people compare.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.http.ready_file import ReadyFile, ready_file
from kontor_games.net.api.http.static import PAGES, TYPES
from kontor_games.net.wire.fingerprint_words import WORDS

STARTS: Final = {  # of the pages that people type: the owner's script, and the guests' in its place
    "/": (b'src="/app.js"', b'src="/guest/start.js"'),
    "/screen": (b'src="/screen/start.js"', b'src="/guest/screen.js"'),
}
_TOOLS: Final = ("node_modules", "package.json", "package-lock.json", "jsconfig.json", "eslint.config.js")


def door_files(web: Path | None) -> dict[str, ReadyFile]:
    """The table of all pages; ConfigError without a web client."""
    if web is None or not (web / "index.html").is_file():
        raise ConfigError("this node has no web client that phones could load")
    table = {
        f"/{path.relative_to(web).as_posix()}": path.read_bytes()
        for path in sorted(web.rglob("*"))
        if _is_ours(web, path)
    }
    for address, (owners, guests) in STARTS.items():
        page = table.pop(f"/{PAGES[address]}", b"")
        if page.count(owners) != 1:
            raise ConfigError("the pages of the web client do not begin as they should")
        table[address] = page.replace(owners, guests)
    table["/guest/words.json"] = json.dumps(WORDS).encode()
    return {path: ready_file(path, data) for path, data in table.items()}


def _is_ours(web: Path, path: Path) -> bool:
    parts = path.relative_to(web).parts
    return (
        path.is_file() and not path.is_symlink() and path.suffix in TYPES and not any(name in parts for name in _TOOLS)
    )
