"""What everybody may see of the hall: public tables, who hosts and sits there, as the list inside the lobby shows them.

Unlisted tables, tables by invitation, chat, keys and addresses are not told at all, and a name only if its owner
appears to everybody: whoever never said so sits there without a name. The answer is made at most
every `EVERY` seconds, whoever asks how often: a thousand visitors cost the store what one does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from twisted.internet.defer import Deferred

from kontor_games.lobby.model.records import PRESENCE, TABLE, TableRecord
from kontor_games.lobby.model.stored_tables import row_of
from kontor_games.lobby.model.work import Work

EVERY: Final = 2.0  # seconds
MAX_TABLES: Final = 200
_PAGE: Final = 100


class PublicHall:
    """The hall as it was a moment ago."""

    def __init__(self, reactor: Any, work: Callable[[], Work], titles: Mapping[str, str]) -> None:
        self._reactor = reactor
        self._work = work
        self._titles = titles
        self._tables: list[dict[str, Any]] = []
        self._made = float("-inf")
        self._making: list[Deferred[None]] | None = None

    async def tables(self) -> list[dict[str, Any]]:
        """Public tables, the newest first."""
        if self._reactor.seconds() - self._made >= EVERY:
            await self._refresh()
        return self._tables

    async def _refresh(self) -> None:
        if self._making is not None:  # somebody else has just asked
            ready: Deferred[None] = Deferred()
            self._making.append(ready)
            await ready
            return
        self._making = []
        try:
            self._tables = await self._read()
            self._made = self._reactor.seconds()
        finally:
            waiting, self._making = self._making, None
            for ready in waiting:
                ready.callback(None)

    async def _read(self) -> list[dict[str, Any]]:
        work = self._work()
        found: list[TableRecord] = []
        after = ""
        while len(found) < MAX_TABLES:
            page = await work.page(TABLE, "public", after, _PAGE)
            found += [record for _, record in page if record.members and record.is_listed and record.phase != "closed"]
            if len(page) < _PAGE:
                break
            after = page[-1][0]
        newest = sorted(found, key=lambda record: -record.since)[:MAX_TABLES]
        keys = {member.key for record in newest for member in record.members}
        seen = {key for key in sorted(keys) if await _appears(work, key)}
        return [self._told(record, seen) for record in newest]

    def _told(self, record: TableRecord, seen: set[bytes]) -> dict[str, Any]:
        row = row_of(record)
        is_seen = row.host.key in seen
        return {
            "game": row.game,
            "title": self._titles.get(row.game, row.game),
            "status": "playing" if row.phase == "started" else "open",
            "host": {"name": row.host.name if is_seen else "", "mark": row.host.mark if is_seen else ""},
            "seats": [None if seat is None else seat.name if seat.peer in seen else "" for seat in record.seats],
            "note": row.note,
            "watchable": row.spectators,
            "since": row.since // 1000,
        }


async def _appears(work: Work, key: bytes) -> bool:
    presence = await work.get(PRESENCE, key.hex())
    return presence is not None and presence.appears == "everybody"
