"""Reading a game's data.toml: printed facts, and their digest for the terms."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from hashlib import blake2b
from importlib import resources
from typing import Any


def load_data(game: str, undone: Sequence[tuple[str, str]] = ()) -> tuple[dict[str, Any], bytes]:
    """The facts printed on a game's components, and a digest that ignores the file's line endings.

    An older rules version reads the text as it was then: `undone` are pairs of a part of the newer text, every
    occurrence of it, and what stood there before.
    """
    raw = resources.files("kontor_games.engine.games").joinpath(game, "data.toml").read_bytes().replace(b"\r\n", b"\n")
    for newer, older in undone:
        assert newer.encode() in raw, f"{game}: {newer!r} is not in the text any more"
        raw = raw.replace(newer.encode(), older.encode())
    return tomllib.loads(raw.decode("utf-8")), blake2b(raw, digest_size=32).digest()
