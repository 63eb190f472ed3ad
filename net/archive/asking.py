"""Files handed to judges, and their answers in the order of the files.

The driver alone reads files, so that what was hashed is what is judged. Judges answer in any order; answers are told in
the order of the files, because what a file adds depends on those before it, and because a report must be the same to
the byte whoever judged. So memory holds what is under way and nothing else: `Judges.room` files, `UNDER_WAY` bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from kontor_games.net.record.transcript import MAX_FILE, UnreadableFile, open_file

from .judge_pool import Judges
from .order_pipe import Duty, FileOrder
from .verdict_cache import VerdictCache

UNDER_WAY = 256 * 1024 * 1024  # bytes of files that are being judged or wait for it; one file may exceed it
_TICK = 0.2  # seconds between signs of life


@dataclass
class Asked:
    """One file: being asked about, or answered."""

    number: int
    path: str
    content: bytes = b""  # its digest
    size: int = 0
    answer: bytes | None = None
    unreadable: str = ""  # why it cannot be read
    not_judged: str = ""  # why nobody could answer

    @property
    def is_done(self) -> bool:
        return self.answer is not None or bool(self.unreadable or self.not_judged)


class FileAsking:
    """One duty done with many files."""

    def __init__(self, judges: Judges, cache: VerdictCache, duty: Duty, tick: Callable[[int], None]) -> None:
        self._judges, self._cache, self._duty, self._tick = judges, cache, duty, tick
        self._line: deque[Asked] = deque()  # files that are not told yet, in order
        self._under_way: dict[int, Asked] = {}
        self._alike: dict[bytes, list[Asked]] = {}  # further files with a content that somebody is judging
        self._bytes = 0  # under way
        self._done = 0

    def answers(self, files: Iterator[tuple[int, str]]) -> Iterator[Asked]:
        """What became of each of these, numbers and paths, in their order."""
        ahead = next(files, None)
        while ahead is not None or self._line:
            while ahead is not None and len(self._line) < self._judges.room and self._bytes < UNDER_WAY:
                self._begin(Asked(*ahead))
                ahead = next(files, None)
                if self._line[0].is_done:
                    break
            if not self._line[0].is_done:
                self._wait()
            while self._line and self._line[0].is_done:
                self._done += 1
                yield self._line.popleft()
            self._tick(self._done + sum(each.is_done for each in self._line))

    def _begin(self, file: Asked) -> None:
        """Read one file; it is answered at once, or a judge is asked."""
        self._line.append(file)
        try:
            data = read_file(file.path)
        except UnreadableFile as error:
            file.unreadable = str(error)
            return
        file.content, file.size = digest_of(data), len(data)
        file.answer = self._cache.get(file.content, self._duty)
        if file.answer is not None:
            return
        if file.content in self._alike:
            self._alike[file.content].append(file)
            return
        self._alike[file.content] = []
        self._bytes += file.size
        self._under_way[file.number] = file
        self._judges.submit(file.number, FileOrder(self._duty, data))

    def _wait(self) -> None:
        done = self._judges.next(_TICK)
        while done is not None:
            file = self._under_way.pop(done.number)
            self._bytes -= file.size
            if done.answer is not None:
                self._cache.put(file.content, self._duty, done.answer)
            for each in (file, *self._alike.pop(file.content)):
                each.answer, each.not_judged = done.answer, done.reason
            done = self._judges.next(0) if self._under_way else None


def read_file(path: str) -> bytes:
    """The bytes of a file within the bounds; raises UnreadableFile."""
    with open_file(Path(path)) as file:
        try:
            data = file.read(MAX_FILE + 1)
        except OSError as error:
            raise UnreadableFile(f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE:  # it has grown since it was opened
        raise UnreadableFile(f"a match file has at most {MAX_FILE} bytes")
    return data


def digest_of(data: bytes) -> bytes:
    """What a content is known by."""
    return blake2b(data, digest_size=32).digest()
