"""What operators can do: look, warn, mute, ban, close tables, announce. Each is one unit of work."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from engine.errors import ConfigError
from net.identity import fingerprint
from net.lobby_messages import Notice
from net.text import why_not_chat

from .keeper import close
from .names import skeleton
from .records import PRESENCE, QUEUE, SANCTION, SEEN, TABLE, Sanction
from .sanctions import impose, key_id, network_id, warn
from .work import Work

MAX_LISTED = 500
MAX_REASON = 300
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_HEX = re.compile(r"\A[0-9a-f]{64}\Z")

Answer = dict[str, Any]


async def perform(work: Work, ask: Answer) -> Answer:
    """Do what an operator asks for; KontorError says what is wrong with it."""
    name = str(ask.get("do", ""))
    if name not in _OPERATIONS:
        raise ConfigError(f"there is no operation {name!r}; there are {', '.join(sorted(_OPERATIONS))}")
    return await _OPERATIONS[name](work, ask)


def parse_duration(text: str) -> int | None:
    """Milliseconds of `30m`, `2h`, `7d`; None for `forever`."""
    if text == "forever":
        return None
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if not found:
        raise ConfigError(f"{text[:40]!r} is no duration; write 30m, 2h, 7d, 4w or forever")
    return int(found[1]) * _UNITS[found[2]] * 1000


async def _status(work: Work, ask: Answer) -> Answer:
    return {
        "people": await work.store.count(PRESENCE.name),
        "tables": await work.store.count(TABLE.name),
        "queue": await work.store.count(QUEUE.name),
        "sanctions": await work.store.count(SANCTION.name),
    }


async def _people(work: Work, ask: Answer) -> Answer:
    found = await work.page(PRESENCE, None, "", MAX_LISTED)
    return {
        "people": [
            {
                "key": id,
                "name": p.name,
                "fingerprint": fingerprint(p.key),
                "mark": p.mark,
                "address": p.address,
                "here": p.away is None,
                "since": p.since,
            }
            for id, p in found
        ]
    }


async def _tables(work: Work, ask: Answer) -> Answer:
    found = await work.page(TABLE, None, "", MAX_LISTED)
    return {
        "tables": [
            {
                "table": id,
                "game": t.game,
                "phase": t.phase,
                "visibility": t.visibility,
                "note": t.note,
                "people": [member.name for member in t.members],
                "since": t.since,
            }
            for id, t in found
        ]
    }


async def _sanctions(work: Work, ask: Answer) -> Answer:
    found = await work.page(SANCTION, None, "", MAX_LISTED)
    listed = [{"id": id, "what": s.what, "reason": s.reason, "at": s.at, "until": s.until} for id, s in found]
    return {"sanctions": listed}


async def _warn(work: Work, ask: Answer) -> Answer:
    key = await _find(work, ask)
    presence = await work.get(PRESENCE, key.hex())
    await warn(work, key, _reason(ask), presence is not None and presence.away is None)
    return {"warned": key.hex()}


async def _mute(work: Work, ask: Answer) -> Answer:
    key = await _find(work, ask)
    sanction = _sanction(work, "mute", ask)
    await impose(work, key_id("mute", key), sanction, key)
    return {"muted": key.hex(), "until": sanction.until}


async def _ban(work: Work, ask: Answer) -> Answer:
    if ask.get("address"):
        id = network_id(str(ask["address"]))
        sanction = _sanction(work, "ban", ask)
        await impose(work, id, sanction, None)
        return {"banned": id, "until": sanction.until}
    key = await _find(work, ask)
    sanction = _sanction(work, "ban", ask)
    await impose(work, key_id("ban", key), sanction, key)
    return {"banned": key_id("ban", key), "until": sanction.until}


async def _lift(work: Work, ask: Answer) -> Answer:
    if ask.get("address"):
        ids = [network_id(str(ask["address"]))]
    else:
        key = await _find(work, ask)
        ids = [key_id("ban", key), key_id("mute", key)]
    lifted = [id for id in ids if await work.get(SANCTION, id) is not None]
    for id in lifted:
        await work.delete(SANCTION, id)
    return {"lifted": lifted}


async def _close(work: Work, ask: Answer) -> Answer:
    record = await work.get(TABLE, str(ask.get("table", "")))
    if record is None:
        raise ConfigError("there is no such table")
    reason = f"closed by the operators: {_reason(ask)}"
    await close(work, record, reason, [member.key for member in record.members])
    return {"closed": record.id}


async def _announce(work: Work, ask: Answer) -> Answer:
    text = _reason(ask)
    keys: list[bytes] = []
    after = ""
    while page := await work.page(PRESENCE, None, after, MAX_LISTED):
        keys += [p.key for _, p in page if p.away is None]
        after = page[-1][0]
    work.tell(keys, Notice("announcement", text))
    return {"told": len(keys)}


def _reason(ask: Answer) -> str:
    reason = str(ask.get("reason", ""))
    problem = why_not_chat(reason)
    if problem or len(reason) > MAX_REASON:
        raise ConfigError(f"the person concerned will read the reason: {problem or 'it is too long'}")
    return reason


def _sanction(work: Work, what: Any, ask: Answer) -> Sanction:
    length = parse_duration(str(ask.get("for", "1d")))
    return Sanction(what, _reason(ask), work.now, None if length is None else work.now + length)


async def _find(work: Work, ask: Answer) -> bytes:
    """The key that an operator means: in hex, by its fingerprint's beginning, or by a name seen within a day."""
    text = str(ask.get("who", "")).strip()
    if _HEX.match(text.lower()):
        return bytes.fromhex(text)
    found: dict[bytes, str] = {}
    after = ""
    while page := await work.page(SEEN, None, after, MAX_LISTED):
        after = page[-1][0]
        for id, seen in page:
            key = bytes.fromhex(id)
            by_print = len(text) >= 9 and fingerprint(key).startswith(text.lower())
            if by_print or (text and skeleton(seen.name) == skeleton(text)):
                found[key] = seen.name
    if not found:
        raise ConfigError(f"nobody called {text[:40]!r} was here within a day; give the key in hex")
    if len(found) > 1:
        several = ", ".join(f"{name} {fingerprint(key)[:19]}" for key, name in list(found.items())[:5])
        raise ConfigError(f"{len(found)} keys fit {text[:40]!r}: {several}; give more of the fingerprint")
    return next(iter(found))


_OPERATIONS: dict[str, Callable[[Work, Answer], Awaitable[Answer]]] = {
    "status": _status,
    "people": _people,
    "tables": _tables,
    "sanctions": _sanctions,
    "warn": _warn,
    "mute": _mute,
    "ban": _ban,
    "lift": _lift,
    "close": _close,
    "announce": _announce,
}
