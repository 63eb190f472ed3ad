"""The matches that everybody may see: the files of one folder that were judged and found to be whole.

The folder is looked at every few seconds. A file that is new or was changed is read, hashed and judged by a process of
its own; what was judged before is remembered by content (`net/archive/verdict_cache.py`). A match is published if its
file verifies and the match in it is over: a file that stops in the middle may belong to a match that goes on, a file
that proves a fault is evidence and not a match, and a refuted file may name anybody. Whatever is not published does not
exist for visitors; the operator finds the reason in the log, once.

A match is known by the digest of its file, so a link always leads to the very bytes that were judged, and two files
that tell one match differently have two links. What somebody who can put files there would try: a file that kills or
stalls whoever judges it (it is given up, and tried again only if it changes), so many files that none is judged (the
newest count), a file that is exchanged after it was judged (its time, size and number on the disk are compared when it
is sent), a link to a file elsewhere (only regular files are listed).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive.asking import digest_of, read_file
from kontor_games.net.archive.duties import report_in
from kontor_games.net.archive.verdict_cache import VerdictCache
from kontor_games.net.record.transcript import UnreadableFile
from kontor_games.net.record.verify import VERIFIED, Report

from .page_workers import FileGivenUp, PageWorkers

ENDING: Final = ".kontor"
EVERY: Final = 5.0  # seconds between looks at the folder
_log = Logger(namespace="kontor.lobby.pages")

Stamp = tuple[int, int, int]  # number on the disk, time of the last change, size


@dataclass(frozen=True)
class PublishedMatch:
    """One match that everybody may see."""

    id: str  # the digest of its file
    path: Path
    stamp: Stamp
    report: Report

    @property
    def at(self) -> int:
        """When it was published, in seconds."""
        return self.stamp[1] // 1_000_000_000

    @property
    def size(self) -> int:
        return self.stamp[2]

    def open(self) -> IO[bytes] | None:
        """Its file, if it is still the one that was judged."""
        try:
            file = self.path.open("rb")
        except OSError:
            return None
        if _stamp(os.fstat(file.fileno())) == self.stamp:
            return file
        file.close()
        return None


def why_not_whole(report: Report) -> str | None:
    """Why nobody is shown the match of this report, or None."""
    if report.code != VERIFIED:
        return report.line
    if report.fault:
        return "the file proves a fault; it is evidence, not a match"
    if not report.finished and report.result is None:
        return "the match in it is not over"
    return None


def why_not_verified(report: Report) -> str | None:
    """The same for files of a ladder: rated means public, also where somebody vanished from the match."""
    return None if report.code == VERIFIED else report.line


class PublishedFiles:
    """One folder, looked at again and again."""

    def __init__(
        self,
        reactor: Any,
        folder: Path,
        most: int,
        workers: PageWorkers,
        cache: VerdictCache,
        why_not: Callable[[Report], str | None] = why_not_whole,
    ) -> None:
        self._why_not = why_not
        self._reactor = reactor
        self._folder, self._most = folder, most
        self._workers, self._cache = workers, cache
        self._stamps: dict[str, Stamp] = {}  # of files that were looked at, by name
        self._by_name: dict[str, PublishedMatch] = {}
        self._order: list[PublishedMatch] = []  # the newest first
        self._by_id: dict[str, PublishedMatch] = {}
        self.changed = 0  # grows with every change

    def find(self, id: str) -> PublishedMatch | None:
        """The match with this id."""
        return self._by_id.get(id)

    def newest(self) -> list[PublishedMatch]:
        """All matches, the newest first."""
        return self._order

    async def look(self) -> None:
        """Look at the folder once; done when everything new in it is judged."""
        found = await self._in_thread(lambda: dict(_listed(self._folder, self._most)))
        gone = [name for name in self._stamps if name not in found]
        for name in gone:
            del self._stamps[name]
        if any(self._by_name.pop(name, None) for name in gone):
            self._arrange()
        for name, stamp in found.items():
            if self._stamps.get(name) != stamp:
                await self._take(name, stamp)

    async def _take(self, name: str, stamp: Stamp) -> None:
        path = self._folder / name
        report: Report | None = None
        content = b""
        try:
            data = await self._in_thread(lambda: read_file(str(path)))
            content = digest_of(data)
            report = await self._judged(content, data)
            reason = self._why_not(report)
        except UnreadableFile as error:
            reason = str(error)
        except FileGivenUp as error:
            reason = str(error)
        except StoreError as error:  # nothing is known about the file: it is tried again
            _log.warn("files cannot be judged: {reason}", reason=str(error))
            return
        self._stamps[name] = stamp
        self._by_name.pop(name, None)
        if reason is None and report is not None:
            self._by_name[name] = PublishedMatch(content.hex()[:32], path, stamp, report)
        else:
            _log.info("not published", file=name, reason=reason)
        self._arrange()

    async def _judged(self, content: bytes, data: bytes) -> Report:
        known = self._cache.get(content, "judge")
        if known is not None:
            with contextlib.suppress(msgspec.MsgspecError):
                return report_in(known)
        answer = await self._workers.ask("judge", data)
        self._cache.put(content, "judge", answer)
        return report_in(answer)

    def _arrange(self) -> None:
        order = sorted(self._by_name.values(), key=lambda each: (-each.at, each.id))
        self._by_id = {}
        for each in order:
            self._by_id.setdefault(each.id, each)  # equal files are one match
        self._order = list(self._by_id.values())
        self.changed += 1

    def _in_thread(self, job: Callable[[], Any]) -> Deferred[Any]:
        return deferToThreadPool(self._reactor, self._reactor.getThreadPool(), job)


def _listed(folder: Path, most: int) -> Iterator[tuple[str, Stamp]]:
    """The newest files of the folder, the newest first."""
    try:
        with os.scandir(folder) as entries:
            files = [
                (_stamp(entry.stat(follow_symlinks=False)), entry.name)
                for entry in entries
                if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return
    for stamp, name in sorted(files, key=lambda file: (-file[0][1], file[1]))[:most]:
        yield name, stamp


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_mtime_ns, found.st_size
