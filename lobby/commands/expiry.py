"""What happens when a record's time is over; any process may do it, and only one of them succeeds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from kontor_games.lobby.model.records import (
    KNOWN,
    NAME,
    OFFER,
    PRESENCE,
    PROCESS,
    PROFILE,
    QUEUE,
    RELAY_USE,
    REPORT,
    REPORT_KEPT,
    SANCTION,
    SEEN,
    TABLE,
    RecordKind,
)
from kontor_games.lobby.model.stored_tables import close, has_game, step
from kontor_games.lobby.model.work import Work
from kontor_games.net.wire.lobby_messages import Person, encode

from .acquaintances import drop_report, stop_watching
from .queue import dissolve, drop_entry, offer_expired


async def expire(work: Work, kind: str, id: str) -> None:
    """Do what is due for one record; nothing if somebody changed it meanwhile."""
    await _EXPIRY[kind](work, id)


async def _presence(work: Work, id: str) -> None:
    presence = await work.get(PRESENCE, id)
    if presence is not None and presence.away is not None and presence.away <= work.now:
        await work.delete(PRESENCE, id)
        await stop_watching(work, presence)
        if presence.appears == "everybody":
            work.tell_hall("people", id, encode(Person(presence.key, presence.name, presence.mark, False)))


async def _report(work: Work, id: str) -> None:
    report = await work.get(REPORT, id)
    if report is not None and report.at + REPORT_KEPT <= work.now:
        await drop_report(work, id, report)


async def _table(work: Work, id: str) -> None:
    record = await work.get(TABLE, id)
    if record is None:
        return
    if not has_game(work, record):
        await close(work, record, f"this lobby no longer has {record.game}", [m.key for m in record.members])
    elif record.ends <= work.now:
        await close(work, record, "nobody used the table for a long time", [m.key for m in record.members])
    elif record.wake_at is not None and record.wake_at <= work.now:
        await step(work, record, lambda table: table.tick(work.now / 1000))


async def _queue(work: Work, id: str) -> None:
    entry = await work.get(QUEUE, id)
    if entry is None or entry.away is None or entry.away > work.now:
        return
    offer = await work.get(OFFER, entry.offer) if entry.offer else None
    if offer is not None:
        await dissolve(work, offer, {entry.key}, "one of the players is gone")
    else:
        await drop_entry(work, entry)


def _forget(kind: RecordKind[Any]) -> Callable[[Work, str], Awaitable[None]]:
    async def forget(work: Work, id: str) -> None:
        record = await work.get(kind, id)
        expires = None if record is None else kind.expires(record)
        if expires is not None and expires <= work.now:
            await work.delete(kind, id)

    return forget


_EXPIRY: dict[str, Callable[[Work, str], Awaitable[None]]] = {
    PRESENCE.name: _presence,
    TABLE.name: _table,
    QUEUE.name: _queue,
    OFFER.name: offer_expired,
    REPORT.name: _report,
    **{kind.name: _forget(kind) for kind in (NAME, PROFILE, SEEN, SANCTION, RELAY_USE, KNOWN, PROCESS)},
}
