"""Files that are being handed in, piece by piece: bounded per key, per household and in all. A machine.

One upload per key at a time, pieces in order. A piece that does not follow ends the upload; so does silence. What a key
may hand in within a day is counted when an upload begins, so that beginning many and finishing none gains nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from kontor_games.engine.errors import RemoteError
from kontor_games.net.archive.asking import digest_of
from kontor_games.net.wire.ladder_messages import HandIn

SILENCE: Final = 120.0  # seconds
A_DAY: Final = 86_400.0
MAX_KEYS: Final = 20_000  # of whom it is known how much they handed in today


@dataclass
class _Upload:
    file: bytes
    size: int
    heard: float
    data: bytearray = field(default_factory=bytearray)


class Uploads:
    """All uploads of one process; time is passed in."""

    def __init__(self, max_file: int, per_day: int, at_once: int) -> None:
        self._max_file, self._per_day, self._at_once = max_file, per_day, at_once
        self._open: dict[bytes, _Upload] = {}
        self._begun: dict[bytes, deque[float]] = {}

    def take(self, key: bytes, ask: HandIn, now: float) -> bytes | None:
        """One more piece; the whole file once it is there. RemoteError says why it is not taken."""
        for other in [k for k, upload in self._open.items() if now - upload.heard > SILENCE]:
            del self._open[other]
        if ask.offset == 0:
            self._begin(key, ask, now)
        upload = self._open.get(key)
        if upload is None or upload.file != ask.file or upload.size != ask.size:
            raise RemoteError("this piece belongs to no file that is being handed in; begin again")
        if ask.offset != len(upload.data) or ask.offset + len(ask.piece) > ask.size:
            del self._open[key]
            raise RemoteError("this piece does not follow the one before it; begin again")
        upload.heard = now
        upload.data += ask.piece
        if len(upload.data) < ask.size:
            return None
        del self._open[key]
        data = bytes(upload.data)
        if digest_of(data) != ask.file:
            raise RemoteError("the file is not the one that was announced; begin again")
        return data

    def _begin(self, key: bytes, ask: HandIn, now: float) -> None:
        if ask.size > self._max_file:
            raise RemoteError(f"a file of {ask.size} bytes; this ladder takes at most {self._max_file}")
        begun = self._begun.setdefault(key, deque())
        while begun and now - begun[0] > A_DAY:
            begun.popleft()
        if len(begun) >= self._per_day:
            raise RemoteError(f"you have handed in {self._per_day} files within a day; try again tomorrow")
        self._open.pop(key, None)
        if len(self._open) >= self._at_once:
            raise RemoteError("many files are being handed in at the moment; try again in a few minutes")
        begun.append(now)
        while len(self._begun) > MAX_KEYS:
            del self._begun[next(iter(self._begun))]
        self._open[key] = _Upload(ask.file, ask.size, now)
