"""The report of an archive as a page: what was found, refusals with their reasons, contradictions, people, files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..run_book import RunBook
from .html_parts import foot, head, isolated, said, table, tiles

MOST_ROWS = 20_000  # of one table: a browser has to hold them
_REFUSED = ("refuted", "unreadable", "cannot judge", "not judged")


def page(book: RunBook, summary: Mapping[str, Any]) -> Iterator[str]:
    """The page in pieces."""
    verdicts = summary["verdicts"]
    yield head("Match archive")
    yield "<h1>Match archive</h1>\n"
    if summary["told"] < summary["files"]:
        yield f"<p><b>Stopped early: {summary['told']:,} of {summary['files']:,} files were judged.</b></p>\n"
    folder = book.folder()
    if folder:
        yield f'<p class="soft">Names of files begin in <code>{isolated(folder)}</code>.</p>\n'
    yield f'<p class="soft">Judged by {said(summary["version"])}. Rules: {said(summary["rules"])}.</p>\n'
    yield tiles(
        [
            (summary["told"], "files"),
            (summary["matches"], "matches verified"),
            *((count, verdict) for verdict, count in sorted(verdicts.items())),
            (summary["clashes"], "pairs that contradict"),
            (summary["people"], "keys of players"),
        ]
    )
    refused = sum(verdicts.get(verdict, 0) for verdict in _REFUSED)
    if refused:
        note = _left_out(refused)
        rows = _first(_row(report, folder) for report in book.reports() if report["code"])
        yield from table("What does not verify, and why", ("file", "verdict", "reason", "game"), rows, note, seek=True)
    else:
        yield "<section><h2>What does not verify</h2><p>Nothing: every file holds.</p></section>\n"
    if summary["clashes"]:
        note = "Each file holds by itself; both together cannot be true."
        heads = ("file", "and file", "what is proven")
        pairs = ((one.removeprefix(folder), other.removeprefix(folder), text) for one, other, text in book.clashes())
        yield from table("Files that contradict each other", heads, _first(pairs), note)
    if summary["people"]:
        note = "A key is a person; a name is only a name. Matches are counted once, however many copies there are."
        yield from table("People", ("name", "fingerprint", "matches", "remark"), _first(_people(book)), note, seek=True)
    yield from _files(book, folder, summary["told"])
    yield foot()


def _files(book: RunBook, folder: str, told: int) -> Iterator[str]:
    heads = ("file", "verdict", "what holds, or why not", "game", "players", "plies", "same match as")
    rows = (
        (
            *_row(report, folder),
            ", ".join(report["players"]),
            report["plies"],
            report["copy_of"].removeprefix(folder),
        )
        for report in book.reports()
    )
    yield from table("All files", heads, _first(rows), _left_out(told), seek=True)


def _row(report: Mapping[str, Any], folder: str) -> tuple[Any, ...]:
    verdict = "contradicting" if report["contradicts"] else report["verdict"]
    reason = report["line"].removeprefix(report["verdict"]).removeprefix(":").strip()
    return report["path"].removeprefix(folder), (verdict, verdict), reason, report["game"]


def _people(book: RunBook) -> Iterator[tuple[Any, ...]]:
    for name, _, mark, matches, is_shared in book.people():
        yield name, mark, matches, "another key has used this name" if is_shared else ""


def _first(rows: Iterator[Any]) -> Iterator[Any]:
    for _, row in zip(range(MOST_ROWS), rows, strict=False):
        yield row


def _left_out(count: int) -> str:
    more = count - MOST_ROWS
    return f"The first {MOST_ROWS:,}; {more:,} more are in reports as CSV, JSON lines or Parquet." if more > 0 else ""
