"""Boards in letters: one module per game with `render(view, width, paint) -> lines`; a plain one for all others.

The client adds `names` (players by seat) to the view before it asks for a rendering.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from . import plain

Paint = Callable[[str, str], str]


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The board of the view's game as lines of at most `width` columns."""
    lines: list[str] = _module(view).render(view, width, paint)
    return lines


def render_wide(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The same for whoever can show a part of it: a drawn map may be wider than `width`."""
    module = _module(view)
    lines: list[str] = getattr(module, "render_wide", module.render)(view, width, paint)
    return lines


def map_parts(view: dict[str, Any], width: int, paint: Paint) -> dict[str, list[str]]:
    """The drawn map alone, in parts of at most `width` columns by their names; none if the game has no such map."""
    module = _module(view)
    parts: dict[str, list[str]] = module.map_parts(view, width, paint) if hasattr(module, "map_parts") else {}
    return parts


def _module(view: dict[str, Any]) -> ModuleType:
    game = str(view["game"])
    if game.isidentifier() and game != "plain" and find_spec(f"{__name__}.{game}"):
        return import_module(f"{__name__}.{game}")
    return plain
