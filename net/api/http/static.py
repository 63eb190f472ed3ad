"""The files of the web client. A path is a list of plain names below one folder, or it is nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".txt": "text/plain; charset=utf-8",
}
PAGES: Final = {"/": "index.html", "/screen": "screen/index.html"}  # addresses that people type
_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Page:
    """One file that may be sent."""

    path: Path
    content_type: str

    def read(self) -> bytes:
        return self.path.read_bytes()


def find(folder: Path, path: str) -> Page | None:
    """The page at an absolute URL path, None if there is none."""
    names = PAGES.get(path, path.removeprefix("/")).split("/")
    if not path.startswith("/") or len(names) > 8 or not all(_NAME.fullmatch(name) for name in names):
        return None
    content_type = TYPES.get(Path(names[-1]).suffix)
    root = folder.resolve()
    found = root.joinpath(*names).resolve()
    if content_type is None or not found.is_relative_to(root) or not found.is_file():
        return None
    return Page(found, content_type)
