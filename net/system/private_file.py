"""Files in the node's home that only its owner can read; where somebody planted a link, it is not followed."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError

MAX_READ: Final = 1024 * 1024
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nor wait for the far end of a pipe


def write_private(path: Path, data: str | bytes, sync: bool = False) -> None:
    """Replace a file by one that only its owner can read, wholly or not at all; with `sync` once it is on the disk.

    The new file takes the name: what a link of that name pointed to stays as it is.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode("utf-8") if isinstance(data, str) else data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(new, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def read_private(path: Path, most: int = MAX_READ) -> bytes:
    """The bytes of a file that only its owner, who must be us, can read; StoreError says what is wrong with it.

    FileNotFoundError if there is none.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from None
    try:
        about = os.fstat(handle)
        if reason := why_not_private(about):
            raise StoreError(f"{path} {reason}")
        data = b""
        while piece := os.read(handle, most + 1 - len(data)):
            data += piece
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)
    if len(data) > most:
        raise StoreError(f"{path} is too long ({about.st_size} bytes)")
    return data


def open_private(path: Path) -> int:
    """A descriptor of a file for reading and writing, made if there is none; OSError if it is not ours alone."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1 or (os.name == "posix" and about.st_uid != os.geteuid()):
        os.close(handle)
        raise OSError(0, f"{path.name} is not a file of this home alone", str(path))
    return handle


def why_not_private(about: os.stat_result) -> str | None:
    """Why a file cannot hold a secret, or None."""
    if not stat.S_ISREG(about.st_mode):
        return "is not an ordinary file"
    if os.name != "posix":
        return None
    if about.st_uid != os.geteuid():
        return f"belongs to another user (uid {about.st_uid}); use a directory of your own"
    if about.st_mode & 0o077:
        return f"can be read by others (mode {stat.S_IMODE(about.st_mode):03o}); run chmod 600 on it"
    return None
