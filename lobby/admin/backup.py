"""Back-ups of a lobby: one file with the database and the lobby's key, and the way back.

The copy is made by SQLite's own means while the lobby runs: it is the state of one moment, whatever is written
meanwhile. (A lobby that keeps its data in Redis: redis_backup.py. The file is the same.) The file is a plain tar
archive, so that it can be looked into without Kontor. It holds a key with which anybody can pose as the lobby, so only
its owner can read it; `--without-key` leaves the key out.

Coming back is the dangerous half. In order:

1. Nothing is restored while a lobby uses the directory.
2. The archive is judged before anything is touched: only the names below, ordinary files, each once, sizes and digests
   as the manifest says, a database that SQLite finds whole and that this Kontor can read, a key that can be opened.
3. What is there is never overwritten. Without `--replace` a directory with data is refused; with it the old files are
   moved aside, with the time in their names.
4. A key is replaced by another only with `--replace`: players would have to pin a new one.

Somebody who hands an operator a doctored archive can give the lobby another database or key: the digests guard
against damage, not against malice. Keep back-ups where only operators can write.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.store.sqlite import DATABASE, SqliteStore
from kontor_games.lobby.store.writer import SCHEMA
from kontor_games.net.wire.identity import FILE_NAME, fingerprint, load

MANIFEST: Final = "kontor-lobby-backup.json"
FORMAT: Final = 1
MAX_MANIFEST: Final = 16 * 1024
_PARTS: Final = (DATABASE, FILE_NAME)
_BESIDE: Final = ("-wal", "-shm")
PAGES: Final = 256  # copied at a time; the lobby writes in between


def back_up(directory: Path, target: Path, with_key: bool = True) -> dict[str, Any]:
    """Write the back-up of the lobby in `directory` to `target`, which must not exist; what is in it."""
    database = directory / DATABASE
    if not database.is_file():
        raise StoreError(f"there is no lobby's database in {directory}; is --data right?")
    return pack_up(directory, target, with_key, partial(_copy, database))


def pack_up(directory: Path, target: Path, with_key: bool, copy: Callable[[Path], object]) -> dict[str, Any]:
    """The same with a database that `copy` puts at a path; the key is that in `directory`."""
    if target.exists():
        raise StoreError(f"{target} exists already; a back-up never overwrites another file")
    try:
        with TemporaryDirectory(prefix=".kontor-backup-", dir=target.parent) as work:
            copy(Path(work) / DATABASE)
            parts = {DATABASE: Path(work) / DATABASE}
            if with_key and (directory / FILE_NAME).is_file():
                parts[FILE_NAME] = directory / FILE_NAME
            manifest = _manifest(parts)
            draft = Path(work) / "draft.tar"
            _pack(draft, manifest, parts)
            os.link(draft, target)  # unlike a rename it fails if the name was taken meanwhile
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}") from error
    return manifest


def _copy(database: Path, target: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True, timeout=10)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.execute("PRAGMA query_only = 1")
            source.backup(copy, pages=PAGES, sleep=0.01)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
    except sqlite3.Error as error:
        raise StoreError(f"{database} cannot be copied: {error}") from error


def _manifest(parts: dict[str, Path]) -> dict[str, Any]:
    files = {name: {"bytes": path.stat().st_size, "blake2b": _digest(path)} for name, path in parts.items()}
    key = parts.get(FILE_NAME)
    return {
        "format": FORMAT,
        "at": int(time.time() * 1000),
        "schema": SCHEMA,
        "files": files,
        "fingerprint": fingerprint(load(key).key) if key else None,
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def _pack(target: Path, manifest: dict[str, Any], parts: dict[str, Path]) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            text = json.dumps(manifest, indent=2).encode()
            archive.addfile(_entry(MANIFEST, len(text), manifest["at"]), io.BytesIO(text))
            for name, path in parts.items():
                with path.open("rb") as part:
                    archive.addfile(_entry(name, manifest["files"][name]["bytes"], manifest["at"]), part)
        file.flush()
        os.fsync(file.fileno())


def _entry(name: str, size: int, at: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, 0o600, at // 1000
    return entry


def restore(directory: Path, source: Path, replace: bool = False) -> dict[str, Any]:
    """Put the back-up in `source` into `directory`; KontorError, and nothing has changed, if that cannot be done."""
    from .config_checking import is_running

    if is_running(directory):
        raise StoreError(f"a lobby is running with the data in {directory}; stop it first")
    there = [name for name in _PARTS if os.path.lexists(directory / name)]
    if there and not replace:
        raise StoreError(f"{directory} has {' and '.join(there)} already; --replace moves them aside")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".kontor-restore-", dir=directory) as work:
            manifest = unpacked(source, Path(work))
            manifest["moved"] = _move_aside(directory, manifest["files"])
            for name in manifest["files"]:
                os.replace(Path(work) / name, directory / name)
    except OSError as error:
        raise StoreError(f"{directory} cannot be restored: {error.strerror or error}") from error
    return manifest


def unpacked(source: Path, work: Path) -> dict[str, Any]:
    """What is in a back-up, its files laid into `work`, each of them judged; StoreError says what is wrong with it."""
    manifest = _unpack(source, work)
    for name in manifest["files"]:
        _judge(name, work / name, manifest)
    return manifest


def put_key(directory: Path, key: Path, replace: bool) -> list[str]:
    """Put the key of a back-up in place, the one that was there aside; StoreError if that was not asked for."""
    there = directory / FILE_NAME
    if not os.path.lexists(there):
        moved = []
    elif load(there).key == load(key).key:
        return []
    elif replace:
        moved = _move_aside(directory, {FILE_NAME: None})
    else:
        raise StoreError(f"{there} is another key than the back-up has; --replace moves it aside")
    shutil.copyfile(key, there.with_suffix(".part"))
    os.chmod(there.with_suffix(".part"), 0o600)
    os.replace(there.with_suffix(".part"), there)
    return moved


def _unpack(source: Path, work: Path) -> dict[str, Any]:
    try:
        with tarfile.open(source, mode="r:") as archive:
            first = archive.next()
            text = archive.extractfile(first) if first and first.name == MANIFEST else None
            if first is None or text is None or first.size > MAX_MANIFEST:
                raise StoreError(f"{source} is not a back-up of a lobby")
            manifest = _checked(json.loads(text.read()), source)
            left = dict(manifest["files"])
            while (entry := archive.next()) is not None:
                facts = left.pop(entry.name, None)
                content = archive.extractfile(entry) if facts and entry.isreg() else None
                if content is None or facts is None or entry.size != facts["bytes"]:
                    raise StoreError(f"{source} holds {entry.name!r}, which does not belong there")
                handle = os.open(work / entry.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "wb") as file:
                    shutil.copyfileobj(content, file)
                    file.flush()
                    os.fsync(file.fileno())
    except FileNotFoundError as error:
        raise StoreError(f"{source} does not exist") from error
    except (tarfile.TarError, ValueError, KeyError, TypeError, AttributeError, EOFError) as error:
        raise StoreError(f"{source} is damaged or not a back-up of a lobby: {error}") from error
    if left:
        raise StoreError(f"{source} is cut off: {' and '.join(left)} missing")
    return manifest


def _checked(manifest: Any, source: Path) -> dict[str, Any]:
    if manifest["format"] != FORMAT or manifest["schema"] > SCHEMA:
        raise StoreError(f"{source} was made by a newer Kontor; upgrade this one first")
    if DATABASE not in manifest["files"] or not set(manifest["files"]) <= set(_PARTS):
        raise StoreError(f"{source} is not a back-up of a lobby")
    checked: dict[str, Any] = manifest
    return checked


def _judge(name: str, path: Path, manifest: dict[str, Any]) -> None:
    if _digest(path) != manifest["files"][name]["blake2b"]:
        raise StoreError(f"{name} in the back-up is damaged: its digest is another one")
    if name == FILE_NAME:
        load(path)
        return
    try:
        with closing(sqlite3.connect(path)) as copy:
            answer = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreError(f"{name} in the back-up is damaged: {error}") from error
    if answer != "ok":
        raise StoreError(f"{name} in the back-up is damaged: {answer}")
    store = SqliteStore(path)  # whatever else this Kontor needs of it
    try:
        store.close().send(None)
    except StopIteration:
        return


def _move_aside(directory: Path, names: dict[str, Any]) -> list[str]:
    """The old files under other names; what belongs to a database goes with it."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    moved = []
    for name in names:
        for old in (name, *(f"{name}{end}" for end in _BESIDE if name == DATABASE)):
            if os.path.lexists(directory / old):
                kept = f"{old}.before-restore-{stamp}"
                os.replace(directory / old, directory / kept)
                moved.append(kept)
    return moved


def back_up_text(manifest: dict[str, Any], target: Path) -> str:
    """What was written, for the operator."""
    size = sum(facts["bytes"] for facts in manifest["files"].values())
    key = f"and the key {manifest['fingerprint'][:19]}" if manifest["fingerprint"] else "without the lobby's key"
    return f"{target}: the database {key}, {size / 1e6:.1f} MB; keep it where only you can read it"
