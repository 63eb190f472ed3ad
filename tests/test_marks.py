"""The list of slow tests is kept: every entry is there, and nothing else is left out of the quick run."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import SLOW, TESTS, is_slow


def test_every_entry_of_the_list_is_there() -> None:
    assert [name for name in SLOW if not (TESTS / name).exists()] == []
    assert list(SLOW) == sorted(set(SLOW))


@pytest.mark.parametrize(
    ("name", "slow"),
    [
        ("browser/test_screens.py", True),
        ("engine/test_golden.py", True),
        ("engine/osaka/test_rulings.py", False),
        ("browser_like/test_x.py", False),
    ],
)
def test_folders_and_files_of_the_list_are_slow(name: str, slow: bool) -> None:
    assert is_slow(Path(TESTS / name)) == slow


def test_every_room_keeps_quick_tests() -> None:
    for room in ("engine", "net", "lobby", "clients", "scripts"):
        quick = [path for path in (TESTS / room).rglob("test_*.py") if not is_slow(path)]
        assert len(quick) >= 4, room
