"""The files of the web client that the pages use, ready to be sent; no path is ever looked up.

They lie under an address that changes with their content, `/s/MARK/…`, so a browser may keep them for ever and never
mixes files of two versions. A page names all modules that its start needs, so they come at once and not one after the
other. The same table tells what is served at all: boards, parts and styles, not the node's own screens.
"""

from __future__ import annotations

import html
import re
from hashlib import blake2b
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.http.ready_file import ReadyFile, ready_file
from kontor_games.net.api.http.static import TYPES

START: Final = "pages/start.js"
_SERVED: Final = (
    "boards/**/*.js",
    "pages/*.js",
    "style/*.css",
    "ui/**/*.js",
    "api.js",
    "draw.js",
    "icon.svg",
    "screens/replay.js",
    "words.js",
)
_PLAIN: Final = ("words/*.json", "icon.svg")  # asked for by their own names
_IMPORT: Final = re.compile(r"""^(?:import|export)[^"';]*?["'](\.[^"']+)["']""", re.M)
_OWN: Final = re.compile(r'(href|src)="/')


class WebFiles:
    """All files by address, and the pages around them."""

    def __init__(self, web: Path) -> None:
        read = {name: (web / name).read_bytes() for name in _found(web, _SERVED)}
        if START not in read or not (web / "pages" / "index.html").is_file():
            raise ConfigError("the lobby's pages are not among the files of the web client")
        mark = blake2b(digest_size=8)
        for name, data in sorted(read.items()):
            mark.update(name.encode() + b"\0" + blake2b(data, digest_size=16).digest())
        self._base = f"/s/{mark.hexdigest()}/"
        self._kept = {self._base + name: ready_file(name, data) for name, data in read.items()}
        plain = _found(web, _PLAIN)
        self._plain = {f"/{name}": ready_file(name, (web / name).read_bytes()) for name in plain}
        page = (web / "pages" / "index.html").read_text(encoding="utf-8")
        modules = [name for name in read if name.startswith("pages/")]
        self._pages = {module: _OWN.sub(rf'\1="{self._base}', _preloading(page, read, module)) for module in modules}

    def kept(self, path: str) -> ReadyFile | None:
        """A file whose address tells its content."""
        return self._kept.get(path)

    def plain(self, path: str) -> ReadyFile | None:
        """A file by its own name."""
        return self._plain.get(path)

    def page(self, title: str, about: str, module: str = START, has_ladder: bool = False) -> ReadyFile:
        """A page with this title and summary, both text, that a module draws."""
        named = self._pages[module].replace("{title}", html.escape(title)).replace("{about}", html.escape(about))
        if has_ladder:
            named = named.replace("</head>", '<meta name="ladder" content="/ladder">\n</head>')
        return ready_file("index.html", named.encode())


def _found(web: Path, patterns: tuple[str, ...]) -> list[str]:
    paths = {path for pattern in patterns for path in web.glob(pattern)}
    return sorted(
        path.relative_to(web).as_posix()
        for path in paths
        if path.is_file() and not path.is_symlink() and path.suffix in TYPES
    )


def _preloading(page: str, read: dict[str, bytes], module: str) -> str:
    """The page with the names of all modules that it will need."""
    names = sorted({module, *_needed(read, START), *_needed(read, module)} - {START})
    wanted = "".join(f'<link rel="modulepreload" href="/{name}">\n' for name in names)
    return page.replace("</head>", f"{wanted}</head>")


def _needed(read: dict[str, bytes], start: str) -> list[str]:
    """The modules that `start` imports, and those that they import."""
    found: dict[str, None] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        for target in _IMPORT.findall(read[name].decode("utf-8")):
            module = _joined(name, target)
            if module in read and module not in found:
                found[module] = None
                waiting.append(module)
    return sorted(found)


def _joined(name: str, target: str) -> str:
    parts = name.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
