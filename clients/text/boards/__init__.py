"""Boards in letters: one module per game with `render(view, width, paint) -> lines`; a plain one for all others.

The client adds `names` (players by seat) to the view before it asks for a rendering.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from . import plain

Paint = Callable[[str, str], str]


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The board of the view's game as lines of at most `width` columns."""
    game = str(view["game"])
    if game.isidentifier() and game != "plain" and find_spec(f"{__name__}.{game}"):
        lines: list[str] = import_module(f"{__name__}.{game}").render(view, width, paint)
        return lines
    return plain.render(view, width, paint)
