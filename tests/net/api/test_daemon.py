"""Who only looks whether a node runs must not be taken for one."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api import daemon
from kontor_games.net.node import home_lock
from kontor_games.net.system import filelock


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose node has ended in order."""
    (tmp_path / home_lock.LOCK).touch()
    (tmp_path / daemon.PORT).write_text(json.dumps({"port": 5555, "pid": 0}))
    return tmp_path


@pytest.fixture
def look(home: Path) -> Iterator[BinaryIO]:
    """Another client, in the middle of its look at the lock."""
    with (home / home_lock.LOCK).open("r+b", buffering=0) as file:
        assert not filelock.is_held(file)
        yield file


@pytest.mark.skipif(sys.platform == "win32", reason="there, looks are not shared but repeated")
def test_a_stop_is_seen_by_all_who_wait_for_it_together(home: Path, look: BinaryIO) -> None:
    assert not home_lock.is_locked(home)
    assert daemon.ended_in_order(home)


def test_a_node_starts_while_another_looks(home: Path, look: BinaryIO) -> None:
    threading.Timer(0.05, look.close).start()
    home_lock.lock_home(home).close()


def test_a_second_node_is_refused_and_seen(home: Path) -> None:
    with home_lock.lock_home(home):
        assert home_lock.is_locked(home)
        with pytest.raises(ConfigError, match="runs already"):
            home_lock.lock_home(home)
    assert not home_lock.is_locked(home)
