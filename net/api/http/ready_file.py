"""A page made once and sent often: its bytes, packed too, and the tag by which a browser asks whether they changed."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .api_http import ApiRequest
from .static import TYPES


@dataclass(frozen=True)
class ReadyFile:
    """One page, ready to be sent."""

    data: bytes
    packed: bytes  # with gzip; empty where that gains nothing
    content_type: str
    tag: str


def ready_file(path: str, data: bytes) -> ReadyFile:
    """The file with this name and content."""
    content_type = TYPES.get(Path(path).suffix, TYPES[".html"])
    packed = gzip.compress(data, 6, mtime=0)
    return ReadyFile(
        data, packed if len(packed) < len(data) else b"", content_type, f'"{hashlib.sha256(data).hexdigest()[:24]}"'
    )


def send_ready(request: ApiRequest, page: ReadyFile, caching: str = "no-cache") -> None:
    """Send a page as the browser wants it; nothing but a nod if it has it already."""
    request.setHeader("Cache-Control", caching)
    request.setHeader("ETag", page.tag)
    request.setHeader("Vary", "Accept-Encoding")
    if page.tag in _tags(request.values("if-none-match")):
        request.setResponseCode(304)
        request.finish()
        return
    packs = any("gzip" in value for value in request.values("accept-encoding"))
    if page.packed and packs:
        request.setHeader("Content-Encoding", "gzip")
    request.send(200, page.packed if page.packed and packs else page.data, page.content_type)


def _tags(asked: Sequence[str]) -> set[str]:
    """The tags that a browser has; a proxy that packs pages marks them as weak."""
    return {tag.strip().removeprefix("W/") for tag in ",".join(asked).split(",")}
