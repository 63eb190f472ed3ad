"""A rendering for games without a board of their own: every part of the view, indented."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

_SHOWN_ELSEWHERE = ("game", "seat", "to_act", "result", "names", "board")


def render(view: dict[str, Any], width: int, paint: Callable[[str, str], str]) -> list[str]:
    """The view as an outline; static facts under "board" are left out."""
    shown = {key: value for key, value in view.items() if key not in _SHOWN_ELSEWHERE}
    return list(_outline(shown, width, paint, ""))


def _outline(value: dict[str, Any], width: int, paint: Callable[[str, str], str], indent: str) -> list[str]:
    lines: list[str] = []
    for key, part in value.items():
        label = str(key).replace("_", " ")
        flat = _flat(part)
        if flat is not None and len(flat) + len(label) + len(indent) + 2 <= width:
            lines.append(f"{indent}{paint(label, 'dim')}: {flat}")
            continue
        lines.append(f"{indent}{paint(label, 'bold')}")
        deeper = indent + "  "
        if isinstance(part, dict) and len(deeper) < width // 2:
            lines += _outline(part, width, paint, deeper)
        elif isinstance(part, list | tuple) and len(deeper) < width // 2:
            lines += _outline({str(n): each for n, each in enumerate(part)}, width, paint, deeper)
        else:
            text = flat if flat is not None else str(part)
            lines += textwrap.wrap(text, width, initial_indent=deeper, subsequent_indent=deeper) or [deeper]
    return lines


def _flat(value: Any) -> str | None:
    """A short value on one line, or None if it has structure worth breaking up."""
    if isinstance(value, dict):
        parts = [(key, _flat(part)) for key, part in value.items()]
        if any(part is None for _, part in parts):
            return None
        return "  ".join(f"{str(key).replace('_', ' ')} {part}" for key, part in parts)
    if isinstance(value, list | tuple):
        if any(isinstance(part, dict | list | tuple) and part for part in value):
            return None
        return " ".join(str(_flat(part)) for part in value) or "-"
    return "-" if value is None else str(value)
