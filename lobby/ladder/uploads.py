"""Files that are being handed in, piece by piece: bounded per key, per household and in all. A machine.

One upload per key at a time, pieces in order. A piece that does not follow ends the upload; so does silence. What a key
may hand in within a day is counted when an upload begins, so that beginning many and finishing none gains nothing.

Keys cost nothing, so a stranger could hold all places by sending a byte now and then. When all are taken the network
that holds most gives one up, the upload that began first: an honest one has long ended. Nobody is put out in their
first seconds, and nobody by their own network, which could put out its other people so.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from kontor_games.engine.errors import RemoteError
from kontor_games.net.archive.asking import digest_of
from kontor_games.net.wire.ladder_messages import HandIn

SILENCE: Final = 120.0  # seconds
A_DAY: Final = 86_400.0
UNTOUCHED: Final = 10.0  # seconds in which nobody has to make room
MAX_KEYS: Final = 20_000  # of whom it is known how much they handed in today


class NotNow(RemoteError):
    """A file that is not taken now, but may be later."""


@dataclass
class _Upload:
    file: bytes
    size: int
    network: str
    begun: float
    heard: float
    data: bytearray = field(default_factory=bytearray)


class Uploads:
    """All uploads of one process; time is passed in."""

    def __init__(self, max_file: int, per_day: int, at_once: int) -> None:
        self._max_file, self._per_day, self._at_once = max_file, per_day, at_once
        self._open: dict[bytes, _Upload] = {}
        self._begun: dict[bytes, deque[float]] = {}

    def take(self, key: bytes, ask: HandIn, now: float, network: str = "") -> bytes | None:
        """One more piece; the whole file once it is there. RemoteError says why it is not taken."""
        for other in [k for k, upload in self._open.items() if now - upload.heard > SILENCE]:
            del self._open[other]
        if ask.offset == 0:
            self._begin(key, ask, now, network)
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

    def _begin(self, key: bytes, ask: HandIn, now: float, network: str) -> None:
        if ask.size > self._max_file:
            raise RemoteError(f"a file of {ask.size} bytes; this ladder takes at most {self._max_file}")
        self._open.pop(key, None)
        leaves = self._who_leaves(network, now) if len(self._open) >= self._at_once else None
        if leaves is None and len(self._open) >= self._at_once:
            raise NotNow("many files are being handed in at the moment; try again in a few minutes")
        self.count(key, now)
        if leaves is not None:
            del self._open[leaves]
        self._open[key] = _Upload(ask.file, ask.size, network, now, now)

    def _who_leaves(self, network: str, now: float) -> bytes | None:
        """Whose upload makes room for one of this network, or None."""
        held = Counter(upload.network for upload in self._open.values())
        fullest, most = held.most_common(1)[0]  # of equals the one that came first
        if most <= held[network]:
            return None
        found = [key for key, upload in self._open.items() if upload.network == fullest]
        oldest = min(found, key=lambda key: self._open[key].begun)
        return oldest if now - self._open[oldest].begun > UNTOUCHED else None

    def count(self, key: bytes, now: float) -> None:
        """One more of what a key may hand in within a day; NotNow if that is used up."""
        begun = self._begun.setdefault(key, deque())
        while begun and now - begun[0] > A_DAY:
            begun.popleft()
        if len(begun) >= self._per_day:
            raise NotNow(f"you have handed in {self._per_day} files within a day; try again tomorrow")
        begun.append(now)
        while len(self._begun) > MAX_KEYS:
            del self._begun[next(iter(self._begun))]
