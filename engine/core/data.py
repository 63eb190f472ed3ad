"""Reading a game's data.toml: printed facts, and their digest for the terms."""

from __future__ import annotations

import tomllib
from hashlib import blake2b
from importlib import resources
from typing import Any


def load_data(game: str) -> tuple[dict[str, Any], bytes]:
    """The facts printed on a game's components, and a digest that ignores the file's line endings."""
    raw = resources.files("kontor_games.engine.games").joinpath(game, "data.toml").read_bytes().replace(b"\r\n", b"\n")
    return tomllib.loads(raw.decode("utf-8")), blake2b(raw, digest_size=32).digest()
