"""One process at a time works in a home: a lock that dies with its process, and a look whether somebody holds it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO, Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system import filelock
from kontor_games.net.system.private_file import open_private

LOCK: Final = "node.lock"
LOCK_TRIES: Final = 10


def lock_home(home: Path) -> BinaryIO:
    """Held while the process lives; the system lets go of it however the process ends."""
    lock = os.fdopen(open_private(home / LOCK), "r+b", buffering=0)
    for _ in range(LOCK_TRIES):
        if filelock.try_lock(lock):
            return lock
        time.sleep(0.02)  # a client that looks whether a node runs holds the lock for a moment
    lock.close()
    raise ConfigError(f"a node runs already for {home}; kontor node stop ends it")


def is_locked(home: Path) -> bool:
    """Whether a process is the node of this home now."""
    try:
        with (home / LOCK).open("r+b", buffering=0) as lock:
            return filelock.is_held(lock)
    except OSError:
        return False
