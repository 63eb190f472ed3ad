"""`--check-config`: looks at everything that a start needs but the ports, and changes nothing.

No key is made, no database opened for writing, no lock taken for longer than a look: the check can run as often as an
operator likes, beside the lobby that uses the same files. The database is judged by its first hundred bytes, whose
layout SQLite has promised to keep, because even a reading connection would make files beside it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import ConfigError, KontorError
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.sqlite import DATABASE, lock_of
from kontor_games.lobby.store.writer import SCHEMA
from kontor_games.net.system.filelock import is_held
from kontor_games.net.wire.identity import FILE_NAME, fingerprint, load

from .opening import is_in_redis, read_redis

_MAGIC: Final = b"SQLite format 3\0"
_USER_VERSION: Final = slice(60, 64)


def check(config: Config) -> str:
    """What to tell the operator; ConfigError lists everything in the way of a start."""
    faults: list[str] = []
    found: list[str] = []
    for look in (_key, _directory, _database):
        try:
            found += look(config)
        except KontorError as error:
            faults.append(str(error))
    if faults:
        raise ConfigError("\n  ".join(["the settings are well formed, but a start would fail:", *faults]))
    return "\n".join(["the settings work", *found])


def _key(config: Config) -> list[str]:
    path = config.directory / FILE_NAME
    key = load(path).key if os.path.lexists(path) else None
    if config.certificate:
        from kontor_games.lobby.server.certificate import operator_tls

        _, key = operator_tls(config)
    if key is None:
        return [f"the first start will make the lobby's key in {path}"]
    return [f"the lobby's fingerprint is {fingerprint(key)}"]


def _directory(config: Config) -> list[str]:
    directory = config.directory
    if directory.is_dir():
        if not os.access(directory, os.W_OK | os.X_OK):
            raise ConfigError(f"{directory}: this user cannot write there")
        return []
    above = next(parent for parent in directory.parents if parent.exists())
    if directory.exists() or not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise ConfigError(f"{directory}: is not a directory, and this user cannot make it")
    return [f"the first start will make {directory}"]


def _database(config: Config) -> list[str]:
    if is_in_redis(config):
        return [f"its data is in {read_redis(config.store)}, which was not asked"]
    if config.store != "sqlite":
        return []
    path = config.directory / DATABASE
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return [f"the first start will make the database {path}"]
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if head and not head.startswith(_MAGIC):
        raise ConfigError(f"{path}: is not a database of a lobby; move it away or restore a back-up")
    have = int.from_bytes(head[_USER_VERSION], "big")
    if have > SCHEMA:
        raise ConfigError(f"{path}: a newer Kontor wrote it (schema {have}); upgrade Kontor or restore a back-up")
    return [f"a lobby is running now with the data in {config.directory}"] if is_running(config.directory) else []


def is_running(directory: Path) -> bool:
    """Whether a lobby uses the database of this directory now."""
    try:
        with lock_of(directory / DATABASE).open("r+b") as lock:
            return is_held(lock)
    except OSError:
        return False
