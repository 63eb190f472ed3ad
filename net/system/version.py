"""The version of this program."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def version() -> str:
    """The version of this Kontor, from its metadata or from the checkout."""
    from importlib import metadata

    try:
        return metadata.version("kontor-games")
    except metadata.PackageNotFoundError:
        import tomllib

        project = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
