"""The book of one run over an archive: its files in order, what was found in each, who played, who contradicts whom.

It lies in a file without a name, so that memory stays flat however large the archive is, and nothing is left behind
however the run ends. Paths are kept as the system has them, which need not be text.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from kontor_games.net.record.match_files import TRANSCRIPT

_TABLES = """
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -8000;
create table found (place blob, path blob, primary key (place, path)) without rowid;
create table files (number integer primary key, path blob, content blob, verdict text, report text);
create table stories (
    match blob, place integer, label integer, content blob, story blob, primary key (match, place)) without rowid;
create table clashes (
    later integer, earlier integer, twice text, text text, primary key (later, earlier)) without rowid;
create index clashes_earlier on clashes (earlier);
create table people (
    key text, name text, fingerprint text, matches integer, primary key (key, name)) without rowid;
create index people_names on people (name, key);
"""


class RunBook:
    """One run's files, reports and findings, in a temporary database."""

    def __init__(self) -> None:
        self.store = sqlite3.connect("")  # a file that SQLite makes and removes itself
        self.store.executescript(_TABLES)

    def close(self) -> None:
        self.store.close()

    def list_files(self, names: Iterable[str]) -> int:
        """Take down the files that are meant: files as they are named, folders with all match files in them."""
        for number, name in enumerate(names):
            rows = ((_sort_key(number, path), os.fsencode(path)) for path in _match_files(name))
            self.store.executemany("insert or ignore into found values (?, ?)", rows)
        self.store.execute(
            "insert into files (number, path) select row_number() over (order by place, path) - 1, path from found"
        )
        self.store.execute("delete from found")
        count: int = self.store.execute("select count(*) from files").fetchone()[0]
        return count

    def paths(self) -> Iterator[tuple[int, str]]:
        """All files in their order."""
        number = -1
        while rows := self.store.execute(
            "select number, path from files where number > ? order by number limit 500", (number,)
        ).fetchall():
            for number, path in rows:
                yield number, os.fsdecode(path)

    def path(self, number: int) -> str:
        """What a file is called."""
        return os.fsdecode(self.store.execute("select path from files where number = ?", (number,)).fetchone()[0])

    def folder(self) -> str:
        """The folder that all files lie in, with a separator at its end; empty if there is none."""
        ends = self.store.execute("select min(path), max(path) from files").fetchone()
        folders = (os.fsdecode(path or b"").split(os.sep)[:-1] for path in ends)
        shared = takewhile(lambda both: both[0] == both[1], zip(*folders, strict=False))
        return "".join(one + os.sep for one, _ in shared)

    def put(self, number: int, content: bytes, report: dict[str, Any]) -> None:
        """Take down what was found in a file."""
        self.store.execute(
            "update files set content = ?, verdict = ?, report = ? where number = ?",
            (content, report["verdict"], json.dumps(report), number),
        )

    def clash(self, later: int, earlier: int, twice: Any, text: str) -> None:
        """Two files contradict each other."""
        self.store.execute(
            "insert or ignore into clashes values (?, ?, ?, ?)", (later, earlier, json.dumps(twice), text)
        )

    def met(self, peer: dict[str, Any]) -> None:
        """Somebody played one more match, under these names."""
        for name in peer["names"]:
            self.store.execute(
                "insert into people values (?, ?, ?, 1) on conflict do update set matches = matches + 1",
                (peer["key"], name, peer["fingerprint"]),
            )

    def reports(self) -> Iterator[dict[str, Any]]:
        """What was found in each file so far, with all files that contradict it, before and after."""
        for number, text in self.store.execute("select number, report from files where report is not null"):
            report = json.loads(text)
            rows = self.store.execute(
                "select earlier, twice, text from clashes where later = ?1 union all "
                "select later, twice, text from clashes where earlier = ?1 order by 1",
                (number,),
            ).fetchall()
            report["contradicts"] = [
                {"path": self.path(other), "twice": json.loads(twice), "text": words} for other, twice, words in rows
            ]
            yield report

    def tellers(self) -> Iterator[int]:
        """For each match of which one course is told: the file that tells most of it."""
        rows = self.store.execute("select min(label) from stories group by match having count(*) = 1 order by 1")
        yield from (number for (number,) in rows)

    def clashes(self) -> Iterator[tuple[str, str, str]]:
        """Pairs of files that contradict each other, and how."""
        for earlier, later, text in self.store.execute("select earlier, later, text from clashes order by 1, 2"):
            yield self.path(earlier), self.path(later), text

    def verdicts(self) -> Counter[str]:
        """How many files came to what; of two that contradict each other both are «contradicting»."""
        rows = self.store.execute(
            "select case when number in (select later from clashes union select earlier from clashes) "
            "then 'contradicting' else verdict end, count(*) from files where report is not null group by 1"
        )
        return Counter(dict(rows.fetchall()))

    def people(self) -> Iterator[tuple[str, str, str, int, bool]]:
        """Name, key, fingerprint, matches, and whether other keys have used the same name."""
        yield from (
            (name, key, mark, matches, bool(shared))
            for name, key, mark, matches, shared in self.store.execute(
                "select name, key, fingerprint, matches, exists (select 1 from people as other "
                "where other.name = people.name and other.key != people.key) from people order by name, key"
            )
        )

    def count(self, query: str) -> int:
        """A number of things: `query` is what follows «select count»."""
        found: int = self.store.execute(f"select count{query}").fetchone()[0]
        return found


def _sort_key(number: int, path: str) -> bytes:
    """Arguments in their order, files of a folder by the parts of their paths."""
    return number.to_bytes(4, "big") + os.fsencode(path).replace(os.fsencode(os.sep), b"\0")


def _match_files(name: str) -> Iterator[str]:
    if not os.path.isdir(name):
        yield name
        return
    closed: list[str] = []  # folders that cannot be looked into: each is told as a file that cannot be read
    for folder, _, files in os.walk(name, onerror=lambda error: closed.append(str(error.filename))):
        yield from (os.path.join(folder, file) for file in files if file.endswith(TRANSCRIPT))
        yield from closed
        closed.clear()
    yield from closed
