"""One run over an archive: every file judged, compared with those before it, and taken down in the book.

Whoever stops listening (Ctrl-C) finds in the book all that was told so far, and in the cache all that was judged.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from kontor_games.engine.errors import StoreError
from kontor_games.net.record.transcript import UnreadableFile
from kontor_games.net.record.verify import VERIFIED, Report, not_judged, unreadable

from .asking import Asked, FileAsking, digest_of, read_file
from .duties import report_in
from .judge_pool import Judges
from .match_groups import MatchGroups
from .run_book import RunBook
from .verdict_cache import VerdictCache

Found = dict[str, Any]


class ArchiveRun:
    """Judges all files of a book."""

    def __init__(
        self,
        book: RunBook,
        judges: Judges,
        cache: VerdictCache,
        demand: Callable[[Found], Found],
        tick: Callable[[int, Counter[str]], None],
    ) -> None:
        self._book = book
        self._demand = demand
        self._asking = FileAsking(judges, cache, "judge", lambda done: tick(done, self.verdicts))
        self._groups = MatchGroups(book, self._read_again)
        self.verdicts: Counter[str] = Counter()

    def reports(self) -> Iterator[Found]:
        """One report per file, in their order, each compared with those before it; raises StoreError."""
        try:
            for asked in self._asking.answers(self._book.paths()):
                yield self._told(asked)
        except sqlite3.Error as error:  # its file grows with the archive
            raise StoreError(
                f"the notes of this run cannot be kept ({error}): is the disk for temporary files full? "
                "What was judged is remembered"
            ) from None

    def _told(self, asked: Asked) -> Found:
        report = _report(asked)
        if report.code == VERIFIED:
            report = report.beside(self._groups.add(asked.number, bytes.fromhex(report.match), asked.content))
        if report.code == VERIFIED and not report.copy_of and not report.contradicts:
            for peer in report.peers:
                self._book.met(peer)
        found = self._demand(report.as_dict())
        self.verdicts["contradicting" if found["contradicts"] else found["verdict"]] += 1
        self._book.put(asked.number, asked.content, found)
        return found

    def _read_again(self, number: int, content: bytes) -> bytes | None:
        try:
            data = read_file(self._book.path(number))
        except UnreadableFile:
            return None
        return data if digest_of(data) == content else None


def _report(asked: Asked) -> Report:
    if asked.answer is not None:
        return replace(report_in(asked.answer), path=asked.path)
    if asked.unreadable:
        return unreadable(asked.path, asked.unreadable)
    return not_judged(asked.path, asked.not_judged)
