"""What runs here: the version of this program, and of the rules of every game it has."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import engine

from .messages import About


@cache
def version() -> str:
    """The version of this Kontor, from its metadata or from the checkout."""
    from importlib import metadata

    try:
        return metadata.version("kontor")
    except metadata.PackageNotFoundError:
        import tomllib

        project = Path(__file__).parent.parent / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


@cache
def about() -> About:
    """What other nodes are told; made when the first of them is there, because it loads all games."""
    return About(version(), {game: engine.load(game).rules_version for game in engine.game_ids()})
