"""A whole archive for whoever asks: judged on this machine or by a cluster, then summed up and reported."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kontor_games.engine import load as load_game
from kontor_games.net.system.version import version

from .archive_run import ArchiveRun
from .asking import FileAsking
from .judge_cluster import JudgeCluster
from .judge_identity import identity_mark, judge_identity
from .judge_pool import TIME_LIMIT, JudgePool, Judges
from .match_rows import Description, description_in
from .match_stats import MatchStats
from .reports.exporting import Export, why_not_export
from .reports.report_files import why_not_page, why_not_report, write_page, write_report
from .reports.stats_page import stats_page
from .run_book import RunBook
from .verdict_cache import VerdictCache


class Archive:
    """The files of some folders; close it when it has told everything, or earlier."""

    def __init__(self, names: Sequence[str]) -> None:
        self._book = RunBook()
        self.total = self._book.list_files(names)
        self._judges: Judges | None = None
        self._cache: VerdictCache | None = None

    def verify(
        self,
        jobs: int | None = None,
        cache: str | None = None,
        demand: Callable[[dict[str, Any]], dict[str, Any]] = lambda report: report,
        tick: Callable[[int, Counter[str]], None] = lambda done, verdicts: None,
        time_limit: float | None = None,
        cluster: str | None = None,
        warn: Callable[[str], None] = lambda words: None,
    ) -> Iterator[dict[str, Any]]:
        """Reports in the order of the files; `demand` may turn them into refusals, `tick` hears how far it has come."""
        limit = time_limit or TIME_LIMIT
        if cluster is None:
            self._judges = JudgePool(max(1, min(jobs or os.cpu_count() or 1, self.total)), limit=limit)
        else:
            self._judges = JudgeCluster(cluster, jobs, warn, limit)
        self._cache = VerdictCache(None if cache is None else Path(cache), identity_mark(judge_identity()))
        return ArchiveRun(self._book, self._judges, self._cache, demand, tick).reports()

    def described(self, tick: Callable[[int, int], None] = lambda done, total: None) -> Iterator[Description]:
        """Every match that was verified, once, by the file that tells most of it.

        Matches of which files tell two courses are left out: which of them was played is not known.
        """
        assert self._judges is not None and self._cache is not None
        files = list(self._book.tellers())
        asking = FileAsking(self._judges, self._cache, "describe", lambda done: tick(done, len(files)))
        for asked in asking.answers((number, self._book.path(number)) for number in files):
            if asked.answer is not None:
                yield description_in(asked.answer)

    def stats(self, tick: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Any]:
        """What all verified matches come to."""
        found = MatchStats()
        for told in self.described(tick):
            found.add(told)
        matches = self._book.count("(distinct match) from stories")
        counted = sum(game.matches for game in found.games.values())
        return {**found.as_dict(), "left_out": matches - counted}

    def write_stats(self, path: str, stats: dict[str, Any]) -> None:
        """Statistics as a page."""
        titles = {game: load_game(game).title for game in stats["games"]}
        write_page(Path(path), stats_page(stats, titles))

    def export(self, folder: str, tick: Callable[[int, int], None] = lambda done, total: None) -> int:
        """All verified matches as tables; how many matches there were."""
        count = 0
        with Export(Path(folder)) as tables:
            for told in self.described(tick):
                tables.add(told)
                count += 1
        return count

    def summary(self) -> dict[str, Any]:
        """What was found so far."""
        assert self._cache is not None
        verdicts = self._book.verdicts()
        return {
            "files": self.total,
            "told": sum(verdicts.values()),
            "verdicts": dict(verdicts),
            "matches": self._book.count("(distinct match) from stories"),
            "people": self._book.count("(distinct key) from people"),
            "names": [name for name, *_, is_shared in self._book.people() if is_shared],
            "clashes": self._book.count("(*) from clashes"),
            "known": self._cache.hits,
            "version": f"kontor {version()}",
            "rules": judge_identity()["rules"],
        }

    @staticmethod
    def why_not_stats(path: str) -> str | None:
        """Why no page with statistics can be written there; None if it can."""
        return why_not_page(path)

    @staticmethod
    def why_not_export(folder: str) -> str | None:
        """Why no tables can be written into a folder; None if they can."""
        return why_not_export(Path(folder))

    @staticmethod
    def why_not_report(path: str) -> str | None:
        """Why no report can be written there; None if it can."""
        return why_not_report(path)

    def write_report(self, path: str) -> None:
        """What was found so far, as a file; its ending says what kind."""
        write_report(Path(path), self._book, self.summary())

    def close(self) -> None:
        """End all processes; what was judged stays in the cache."""
        if self._judges is not None:
            self._judges.close()
        if self._cache is not None:
            self._cache.close()
        self._book.close()
