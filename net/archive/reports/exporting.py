"""Verified matches as tables for other programs: three Parquet files in a folder, one row per match, seat and ply.

Rows are written as they come, some thousands at a time; a folder gets its files only when all three are whole.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from kontor_games.engine.errors import ConfigError, StoreError

from ..match_rows import Description, MatchRow, PlyRow, SeatRow
from .report_files import parquet, text

TABLES: dict[str, type[msgspec.Struct]] = {"matches": MatchRow, "seats": SeatRow, "plies": PlyRow}
_KINDS = {str: "string", int: "int32", bool: "bool_"}
_GROUP = 20_000  # rows that wait in memory


def why_not_export(folder: Path) -> str | None:
    """Why no tables can be written into this folder, said before the work begins; None if they can."""
    try:
        parquet()
    except ConfigError as error:
        return str(error)
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not there.is_dir():
        return f"{there} is not a folder"
    return None if os.access(there, os.W_OK | os.X_OK) else f"{there} cannot be written"


class Export:
    """Writes descriptions into a folder; leaving it by an exception leaves the folder as it was."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arrow, self._parquet = _arrow(), parquet()
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self._writers: dict[str, Any] = {}
        self._parts: dict[str, Path] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Export:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, row in TABLES.items():
                self._parts[name] = self._folder / f".{name}.{secrets.token_hex(4)}"
                writer = self._parquet.ParquetWriter(self._parts[name], self._schema(row), compression="zstd")
                self._writers[name] = self._stack.enter_context(writer)
        except OSError as error:
            raise StoreError(f"{self._folder}: {error.strerror}") from None
        return self

    def add(self, told: Description) -> None:
        """The rows of one match."""
        for name, rows in (("matches", [told.match]), ("seats", told.seats), ("plies", told.plies)):
            self._rows[name] += [_written(row) for row in rows]
            if len(self._rows[name]) >= _GROUP:
                self._flush(name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for name in TABLES:
                    self._flush(name)
            self._stack.close()
            if kind is None:
                for name, part in self._parts.items():
                    part.replace(self._folder / f"{name}.parquet")
        except OSError as failed:
            raise StoreError(f"{self._folder}: {failed.strerror}") from None
        finally:
            for part in self._parts.values():
                with suppress(OSError):
                    part.unlink(missing_ok=True)

    def _flush(self, name: str) -> None:
        rows, self._rows[name] = self._rows[name], []
        self._writers[name].write_table(self._arrow.Table.from_pylist(rows, schema=self._schema(TABLES[name])))

    def _schema(self, row: type[msgspec.Struct]) -> Any:
        return self._arrow.schema([(name, getattr(self._arrow, kind)()) for name, kind in columns(row)])


def columns(row: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    """Names and Arrow types of a table's columns."""
    for field in msgspec.structs.fields(row):
        kind = next(each for each in _KINDS if each is field.type or each in getattr(field.type, "__args__", ()))
        yield field.name, _KINDS[kind]


def _written(row: msgspec.Struct) -> dict[str, Any]:
    return {
        name: text(value) if isinstance(value, str) else value for name, value in msgspec.structs.asdict(row).items()
    }


def _arrow() -> Any:
    parquet()  # says what to install
    return import_module("pyarrow")
