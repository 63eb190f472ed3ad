"""A place on a text board."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MapSpot:
    """Some columns of one line."""

    row: int
    start: int
    end: int
