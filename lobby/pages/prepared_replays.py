"""Replays that were prepared for browsers, on the disk: by file and by whatever prepared them, within a bound.

A match is a folder with `info` and numbered chunks, as they are sent. It is written beside its place and moved there
when it is whole, so a crash leaves rubbish that the next start removes, and never half a match. When the bound is
passed, those that nobody looked at for the longest time go; they are prepared again when somebody asks.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from .replay_pack import ReplayPack

INFO: Final = "info"
_NEW: Final = ".new"


class PreparedReplays:
    """A folder of prepared matches."""

    def __init__(self, folder: Path, mark: str, most: int) -> None:
        self._folder = folder / mark  # rules, words and program: others have folders of their own, which are old
        self._most = most
        self._sizes: dict[str, int] = {}  # whoever was looked at last comes last
        with suppress(FileNotFoundError):
            for other in folder.iterdir():
                if other.name != mark:
                    shutil.rmtree(other, ignore_errors=True)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime):
            if path.suffix == _NEW:
                shutil.rmtree(path, ignore_errors=True)
            else:
                self._sizes[path.name] = sum(file.stat().st_size for file in path.iterdir())

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(self._sizes.values())

    def part(self, id: str, name: str) -> bytes | None:
        """The info or a chunk of a match, None if it is not here."""
        if id not in self._sizes:
            return None
        path = self._folder / id
        try:
            data = (path / name).read_bytes()
        except OSError:
            return None
        if name == INFO:
            self._sizes[id] = self._sizes.pop(id)
            with suppress(OSError):
                os.utime(path)
        return data

    def put(self, id: str, pack: ReplayPack) -> None:
        """Keep a match; raises OSError if the disk does not want it."""
        new = self._folder / f"{id}{_NEW}"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        try:
            (new / INFO).write_bytes(pack.info)
            for number, chunk in enumerate(pack.chunks):
                (new / str(number)).write_bytes(chunk)
            self._remove(id)
            new.replace(self._folder / id)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)
            raise
        self._sizes[id] = len(pack.info) + sum(map(len, pack.chunks))
        for other in list(self._sizes):
            if self.size <= self._most or other == id:
                break
            self._remove(other)

    def _remove(self, id: str) -> None:
        self._sizes.pop(id, None)
        shutil.rmtree(self._folder / id, ignore_errors=True)
