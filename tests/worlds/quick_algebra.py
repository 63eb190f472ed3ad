"""The group's operations remembered: peers of one test check the same proofs, and tests begin with the same set-up.

They are pure functions of bytes, so a result that is remembered is the result. What was remembered stays for the tests
that follow in this process. The tests of the algebra itself, most of tests/net/sealed, do without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest

from kontor_games.net.sealed.algebra import group

_OPERATIONS = ("_is_valid", "_multiply", "_multiply_base", "_add", "_sub", "_map")
REMEMBERED = 150_000  # results of each
_QUICK = {name: lru_cache(maxsize=REMEMBERED)(getattr(group, name)) for name in _OPERATIONS}


@contextmanager
def remembered() -> Iterator[None]:
    """What is done meanwhile remembers; exploring is about five times as fast so."""
    before = {name: getattr(group, name) for name in _OPERATIONS}
    for name, operation in _QUICK.items():
        setattr(group, name, operation)
    try:
        yield
    finally:
        for name, operation in before.items():
            setattr(group, name, operation)


@pytest.fixture(autouse=True, scope="module")
def quick_algebra() -> Iterator[None]:
    """For the conftest of a folder, or a file, whose tests play sealed matches in this process."""
    with remembered():
        yield
