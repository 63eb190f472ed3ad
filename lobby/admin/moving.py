"""Moves a lobby from one store to another, whole: records with their groups and times, and lists of lines.

The source is only read. The target must be empty, and nobody may use either meanwhile: SQLite's file is locked by a
running lobby, and in Redis a process that lives has a record. What was copied is read back and compared; a move that
was interrupted leaves the source as it was, and the target is emptied by hand before the next attempt.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.records import LEASE, PROCESS
from kontor_games.lobby.store.base import Batch, Put, Record, Store, TopicLine

AT_ONCE = 100  # records in one commit
MOST_LINES = 10_000  # of one list; lobbies keep a few hundred
_OF_THE_MOMENT = (PROCESS.name, LEASE.name)  # what running processes say of themselves


@dataclass(frozen=True, slots=True)
class MovedLobby:
    """What was copied and found again."""

    records: int
    lines: int


async def move(source: Store, target: Store, now: int, tell: Callable[[int], None] = lambda done: None) -> MovedLobby:
    """Copy everything; ConfigError says why that must not be. `tell` hears how many records are copied."""
    for store, what in ((source, "the store to move from"), (target, "the store to move to")):
        await _refuse_running(store, what, now)
    if any(kind not in _OF_THE_MOMENT for kind in await target.kinds()) or await target.topics():
        raise ConfigError("the store to move to is not empty; a lobby moves only into an empty one")
    records = lines = 0
    for kind in await source.kinds():
        if kind in _OF_THE_MOMENT:
            continue
        async for page in _pages(source, kind):
            await target.commit(
                Batch(
                    {(kind, id): 0 for id, _ in page},
                    [Put(kind, id, record.data, record.group, record.expires) for id, record in page],
                )
            )
            records += len(page)
            tell(records)
    for topic in await source.topics():
        said = [data for _, data in await source.tail(topic, MOST_LINES)]
        for start in range(0, len(said), AT_ONCE):
            part = [TopicLine(topic, data, MOST_LINES) for data in said[start : start + AT_ONCE]]
            await target.commit(Batch(lines=part))
        lines += len(said)
    await _compare(source, target)
    return MovedLobby(records, lines)


async def _refuse_running(store: Store, what: str, now: int) -> None:
    found = [PROCESS.decode(record.data) for _, record in await store.scan(PROCESS.name)]
    living = [process.name for process in found if process.until > now]
    if living:
        raise ConfigError(f"{what} is in use by {', '.join(living)}; stop the lobby first")


async def _pages(store: Store, kind: str) -> AsyncIterator[list[tuple[str, Record]]]:
    after = ""
    while page := await store.scan(kind, None, after, AT_ONCE):
        yield page
        after = page[-1][0]


async def _compare(source: Store, target: Store) -> None:
    for kind in await source.kinds():
        if kind in _OF_THE_MOMENT:
            continue
        async for page in _pages(source, kind):
            for id, record in page:
                there = await target.get(kind, id)
                if there is None or there._replace(version=0) != record._replace(version=0):
                    raise ConfigError(f"{kind} {id} is not in the new store as it was in the old one; do not use it")
    for topic in await source.topics():
        if _said(await source.tail(topic, MOST_LINES)) != _said(await target.tail(topic, MOST_LINES)):
            raise ConfigError(f"the lines of {topic} are not in the new store as in the old one; do not use it")


def _said(tail: list[tuple[int, bytes]]) -> list[bytes]:
    return [data for _, data in tail]
