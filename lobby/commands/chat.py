"""Chat at tables and in the hall; lines are kept for those who come later."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from kontor_games.lobby.model.sanctions import refuse_muted
from kontor_games.lobby.model.stored_tables import table_for
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.lobby_messages import HALL_PLACE, Person, RawLines, Recall, Said, Say, encode
from kontor_games.net.wire.text import why_not_chat

MAX_RECALL: Final = 48 * 1024  # bytes of lines in one answer


async def say(work: Work, who: Who, ask: Say) -> None:
    """Say a line to everybody at the table or in the hall."""
    if reason := why_not_chat(ask.text):
        raise RequestRefused("chat", reason)
    await refuse_muted(work, who.key)
    payload = encode(Said(ask.place, Person(who.key, who.name, who.mark), ask.text, work.now))
    if ask.place == HALL_PLACE:
        work.add_line(HALL_PLACE, payload, work.config.hall_lines)
        work.tell_hall("lines", "", payload, who.key)
        return
    record = await table_for(work, ask.place, who)
    work.add_line(record.id, payload, work.config.table_lines)
    work.tell_packed([member.key for member in record.members if member.lost_at is None], payload, who.key)


async def recall(work: Work, who: Who, ask: Recall) -> RawLines:
    """The last lines of a table or of the hall, as many as fit into one answer."""
    if ask.place == HALL_PLACE:
        limit = work.config.hall_lines
    else:
        await table_for(work, ask.place, who)
        limit = work.config.table_lines
    lines: list[Raw] = []
    size = 0
    for _, data in reversed(await work.store.tail(ask.place, limit)):
        size += len(data)
        if size > MAX_RECALL:
            break
        lines.append(Raw(data))
    return RawLines(ask.place, tuple(reversed(lines)))
