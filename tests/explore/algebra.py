"""The group's operations remembered while exploring: schedules from one start make and check the same proofs again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from kontor_games.net.sealed.algebra import group

_OPERATIONS = ("_is_valid", "_multiply", "_multiply_base", "_add", "_sub", "_map")
REMEMBERED = 150_000  # results of each


@contextmanager
def remembered() -> Iterator[None]:
    """They are pure functions of bytes, so what follows is the same, about five times as fast."""
    before = {name: getattr(group, name) for name in _OPERATIONS}
    for name, operation in before.items():
        setattr(group, name, lru_cache(maxsize=REMEMBERED)(operation))
    try:
        yield
    finally:
        for name, operation in before.items():
            setattr(group, name, operation)
