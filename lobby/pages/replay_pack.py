"""A match as the browser steps through it: what does not change, and views in chunks, each packed by itself.

A view of a seat differs from a spectator's in a few fields, so only those are in it; the browser puts them together.
A chunk has `PLIES` positions: small enough for a phone to read at once, and large enough that gzip sees how alike
neighbouring positions are (a Yokohama match of 180 plies: 12 MB of views, 150 kB packed).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from kontor_games.engine.errors import KontorError
from kontor_games.net.api.http.to_json import to_json
from kontor_games.net.api.matches.wording import Wording
from kontor_games.net.api.routes.told_replay import told_lines, told_match
from kontor_games.net.record.replay import Replay

PLIES: Final = 16
MAX_PACKED: Final = 32 * 1024 * 1024  # bytes of all chunks of a match


class ReplayPack(Struct, frozen=True, array_like=True):
    """Everything that the page of a replay asks for, as JSON in gzip."""

    info: bytes
    chunks: tuple[bytes, ...]


def pack_replay(content: bytes, wording: Wording) -> ReplayPack:
    """The match in these bytes; KontorError if it cannot be shown."""
    replay = Replay(Path("match.kontor"), content=content)
    told = told_match(wording, replay)
    chunks: list[bytes] = []
    size = 0
    for positions in _chunked(_positions(replay, wording)):
        chunks.append(_packed({"positions": positions}))
        size += len(chunks[-1])
        if size > MAX_PACKED:
            raise KontorError("this match is too long to be shown here")
    return ReplayPack(_packed({**told, "chunk": PLIES}), tuple(chunks))


def _positions(replay: Replay, wording: Wording) -> Iterator[dict[str, Any]]:
    lines = told_lines(wording, replay, None)
    for ply, (public, *own) in enumerate(replay.views()):
        yield {
            "ply": ply,
            "view": public,
            "seats": [_difference(public, view) for view in own],
            "log": lines[ply - 1 : ply] if ply else [],
        }


def _difference(public: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    """What a seat sees otherwise than a spectator."""
    gone = {name: None for name in public if name not in view}
    return gone | {name: value for name, value in view.items() if name not in public or public[name] != value}


def _chunked(positions: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    chunk: list[dict[str, Any]] = []
    for position in positions:
        chunk.append(position)
        if len(chunk) == PLIES:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _packed(data: dict[str, Any]) -> bytes:
    return gzip.compress(to_json(data), 6, mtime=0)
