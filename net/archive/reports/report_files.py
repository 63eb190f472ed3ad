"""Reports of a whole archive as files: a page (HTML), a table (CSV, Parquet) or one JSON object per line.

Nothing in them depends on who judged, how fast or when: the same files give the same bytes, on one machine or many.
They are written from the book, row by row, and take their name only when they are whole.
"""

from __future__ import annotations

import csv
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from kontor_games.engine.errors import ConfigError, StoreError

from ..run_book import RunBook
from .report_page import page

COLUMNS = {  # name: type of the column in Parquet
    "path": "string",
    "verdict": "string",
    "code": "int8",
    "reason": "string",
    "game": "string",
    "match": "string",
    "plies": "int32",
    "players": "string",
    "keys": "string",
    "sealed": "bool_",
    "finished": "bool_",
    "final": "bool_",
    "winners": "string",
    "fault": "string",
    "copy_of": "string",
    "contradicts": "string",
    "notes": "string",
}
_GROUP = 5_000  # rows that are in memory at once


def why_not_report(path: str) -> str | None:
    """Why no report can be written there, said before the work begins; None if it can."""
    target = Path(path)
    if target.suffix not in _WRITERS:
        return f"{path}: a report is called .html, .csv, .jsonl or .parquet"
    if reason := why_not_page(path):
        return reason
    if target.suffix == ".parquet":
        try:
            parquet()
        except ConfigError as error:
            return str(error)
    return None


def why_not_page(path: str) -> str | None:
    """Why no page can be written there, whatever it is called; None if it can."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        return f"{path}: there is no folder {folder}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"{path}: {folder} cannot be written"


def write_report(path: Path, book: RunBook, summary: Mapping[str, Any]) -> None:
    """Write the report; raises StoreError."""
    _whole(path, lambda part: _WRITERS[path.suffix](part, book, summary))


def _whole(path: Path, write: Callable[[Path], None]) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        write(part)
        part.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_page(path: Path, parts: Iterable[str]) -> None:
    """Write a page whole or not at all; raises StoreError."""
    _whole(path, lambda part: _html_of(part, parts))


def row(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report in one line of a table."""
    result = report["result"]
    winners = [] if result is None else [report["players"][seat] for seat in result["winners"]]
    return {
        "path": text(report["path"]),
        "verdict": report["verdict"],
        "code": report["code"],
        "reason": text(report["line"].removeprefix(report["verdict"]).removeprefix(":").strip()),
        "game": report["game"],
        "match": report["match"],
        "plies": report["plies"],
        "players": _listed(report["players"]),
        "keys": _listed(peer["key"] for peer in report["peers"]),
        "sealed": report["sealed"],
        "finished": report["finished"],
        "final": report["final"],
        "winners": _listed(winners),
        "fault": report["fault"],
        "copy_of": text(report["copy_of"]),
        "contradicts": _listed(f"{other['path']}: {other['text']}" for other in report["contradicts"]),
        "notes": _listed(report["notes"]),
    }


def text(words: str) -> str:
    """Text that can be written; what is not text is spelled out."""
    return words.encode("utf-8", "backslashreplace").decode()


def _listed(words: Iterable[str]) -> str:
    return "; ".join(map(text, words))


def _html(path: Path, book: RunBook, summary: Mapping[str, Any]) -> None:
    _html_of(path, page(book, summary))


def _html_of(path: Path, parts: Iterable[str]) -> None:
    with _new(path) as file:
        file.writelines(map(text, parts))


def _csv(path: Path, book: RunBook, summary: Mapping[str, Any]) -> None:
    with _new(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([inert(value) for value in row(report).values()] for report in book.reports())


def inert(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula: names of files and players come from strangers."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else value


def _jsonl(path: Path, book: RunBook, summary: Mapping[str, Any]) -> None:
    with _new(path) as file:
        file.writelines(json.dumps(report) + "\n" for report in book.reports())


def _parquet(path: Path, book: RunBook, summary: Mapping[str, Any]) -> None:
    write_table(path, COLUMNS, map(row, book.reports()))


def write_table(path: Path, columns: Mapping[str, str], rows: Iterator[Mapping[str, Any]]) -> int:
    """Rows as a Parquet file, some thousands in memory at a time; how many there were."""
    arrow, tables = import_module("pyarrow"), parquet()
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in columns.items()])
    count = 0
    with tables.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := [each for _, each in zip(range(_GROUP), rows, strict=False)]:
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def parquet() -> Any:
    """The library for Parquet, which is not everybody's."""
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise ConfigError("Parquet needs a further package: pip install 'kontor-games[parquet]'") from None


def _new(path: Path) -> IO[str]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8", newline="")


_WRITERS: dict[str, Callable[[Path, RunBook, Mapping[str, Any]], None]] = {
    ".html": _html,
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
