"""Bringing somebody who is connected up to date, after news was lost or their process counted as dead.

What they missed cannot be told again, but everything it was about is in the records: who they are here, bans, marks,
tables, the place in the queue.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from kontor_games.lobby.model.records import PRESENCE, PROFILE
from kontor_games.lobby.model.sanctions import ban_of
from kontor_games.lobby.model.work import Who, Work
from kontor_games.net.wire.lobby_messages import Marked, Marks, Notice

from .sign_in import come_back

Outcome = Literal["here", "again", "elsewhere", "banned"]


async def catch_up(work: Work, who: Who) -> Outcome:
    """Show everything as it is now; or say why the connection has to end: sign in again, elsewhere, banned."""
    presence = await work.get(PRESENCE, who.id)
    if presence is None:
        return "again"
    if presence.session != who.session:
        return "elsewhere"
    ban = await ban_of(work, who.key, who.address)
    if ban is not None:
        work.tell([who.key], Notice("ban", ban.reason, ban.until or 0), order="close")
        return "banned"
    if presence.away is not None:
        await work.put(PRESENCE, who.id, replace(presence, away=None, process=work.config.process))
    profile = await work.get(PROFILE, who.id)
    marks = tuple(Marked(key, mark) for key, mark in profile.marks) if profile else ()
    work.tell([who.key], Marks(marks), order="marks")
    await come_back(work, who)
    return "here"
