"""A store that forgets everything when the process ends: for tests, and for a lobby of one evening."""

from __future__ import annotations

from collections.abc import Sequence

from kontor_games.engine.errors import LocalError

from .base import (
    Allowance,
    Batch,
    Conflict,
    Counts,
    Level,
    Listener,
    LocalBuckets,
    News,
    OnGap,
    Page,
    Record,
    why_not_batch,
)


class MemoryStore:
    """Records in dictionaries."""

    is_shared = False
    skew = 0.0

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Record]] = {}
        self._counts = Counts()
        self._lines: dict[str, list[tuple[int, bytes]]] = {}
        self._listeners: list[Listener] = []
        self._version = 0
        self._buckets = LocalBuckets()

    async def get(self, kind: str, id: str) -> Record | None:
        return self._records.get(kind, {}).get(id)

    async def scan(self, kind: str, group: str | None = None, after: str = "", limit: int = 100) -> Page:
        found = [
            (id, record)
            for id, record in self._records.get(kind, {}).items()
            if id > after and (group is None or record.group == group)
        ]
        return sorted(found)[:limit]

    async def due(self, now: int, limit: int = 100) -> list[tuple[str, str]]:
        found = [
            (record.expires, kind, id)
            for kind, records in self._records.items()
            for id, record in records.items()
            if record.expires is not None and record.expires <= now
        ]
        return [(kind, id) for _, kind, id in sorted(found)[:limit]]

    async def count(self, kind: str, group: str | None = None) -> int:
        return self._counts.count(kind, group)

    async def groups(self, kind: str) -> dict[str, int]:
        return self._counts.groups(kind)

    async def tail(self, topic: str, limit: int) -> list[tuple[int, bytes]]:
        return self._lines.get(topic, [])[-limit:]

    async def commit(self, batch: Batch) -> None:
        reason = why_not_batch(batch)
        if reason:
            raise LocalError(reason)
        for (kind, id), version in batch.checks.items():
            record = self._records.get(kind, {}).get(id)
            if (record.version if record else 0) != version:
                raise Conflict(f"{kind} {id} changed meanwhile")
        self._apply(batch)
        self._publish(batch.news)

    def _apply(self, batch: Batch) -> None:
        for kind, id in batch.deletes:
            self._remove(kind, id)
        for put in batch.puts:
            self._remove(put.kind, put.id)
            self._version += 1
            self._records.setdefault(put.kind, {})[put.id] = Record(put.data, self._version, put.group, put.expires)
            self._counts.change(put.kind, put.group, 1)
        for topic in batch.dropped:
            self._lines.pop(topic, None)
        for line in batch.lines:
            lines = self._lines.setdefault(line.topic, [])
            lines.append((lines[-1][0] + 1 if lines else 1, line.data))
            del lines[: -line.keep]

    def _remove(self, kind: str, id: str) -> None:
        record = self._records.get(kind, {}).pop(id, None)
        if record:
            self._counts.change(kind, record.group, -1)

    def _publish(self, news: list[News]) -> None:
        if news:
            for listener in self._listeners:
                listener(news)

    async def take(self, asks: Sequence[Allowance], now: int) -> list[Level]:
        return self._buckets.take(asks, now)

    async def give_back(self, asks: Sequence[Allowance]) -> None:
        self._buckets.give_back(asks)

    async def kinds(self) -> list[str]:
        return sorted(kind for kind, records in self._records.items() if records)

    async def topics(self) -> list[str]:
        return sorted(self._lines)

    def subscribe(self, listener: Listener, on_gap: OnGap | None = None) -> None:
        """`on_gap` is never called: nobody else writes here, and nothing is told twice or not at all."""
        self._listeners.append(listener)

    async def close(self) -> None:
        self._listeners.clear()
