"""What operators can do: look, warn, mute, ban, close tables, announce. Each is one unit of work.

Whatever changes something is written down in the same unit of work: when, by whom, what, to whom and why. So the
operators of one lobby can see what the others did, also when it was done while no lobby ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.records import PRESENCE, QUEUE, REPORT, SANCTION, SEEN, TABLE, ReportRecord, Sanction
from kontor_games.lobby.model.sanctions import impose, key_id, network_id, people_here, people_in, warn
from kontor_games.lobby.model.stored_tables import close
from kontor_games.lobby.model.work import Work
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import Notice
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.text import why_not_chat

from .acquaintances import drop_report
from .processes import living_processes

MAX_LISTED = 500
MAX_REASON = 300
AUDIT = "audit"  # a topic that no table has: ids of tables are longer
CHANGES = ("warn", "mute", "ban", "lift", "close", "announce", "reload", "dismiss")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_HEX = re.compile(r"\A[0-9a-f]{64}\Z")

Answer = dict[str, Any]


async def perform(work: Work, ask: Answer) -> Answer:
    """Do what an operator asks for; KontorError says what is wrong with it."""
    name = str(ask.get("do", ""))
    if name not in _OPERATIONS:
        raise ConfigError(f"{name!r} is not an operation; use one of {', '.join(sorted(_OPERATIONS))}")
    answer = await _OPERATIONS[name](work, ask)
    return await record(work, ask, answer) if name in CHANGES else answer


async def record(work: Work, ask: Answer, answer: Answer) -> Answer:
    """Write down what an operator did."""
    work.add_line(AUDIT, json.dumps(deed(work.now, ask, answer)).encode(), MAX_LISTED)
    return answer


def deed(now: int, ask: Answer, answer: Answer) -> Answer:
    """One line of the audit log: JSON escapes whatever could steer a terminal or begin a line of its own."""
    target = next(
        (answer[word] for word in ("warned", "muted", "banned", "lifted", "closed", "dismissed") if word in answer),
        "all",
    )
    return {
        "at": now,
        "by": _short(ask.get("by")) or "unknown",
        "do": ask["do"],
        "target": target,
        "named": _short(ask.get("who") or ask.get("address") or ask.get("table") or ask.get("report")),
        "reason": _short(ask.get("reason") or ", ".join(answer.get("reloaded", ()))),
        "for": _short(ask.get("for")),
    }


def _short(text: object) -> str:
    return str(text or "")[:MAX_REASON]


async def _log(work: Work, ask: Answer) -> Answer:
    return {"log": [json.loads(line) for _, line in await work.store.tail(AUDIT, MAX_LISTED)]}


def parse_duration(text: str) -> int | None:
    """Milliseconds of `30m`, `2h`, `7d`; None for `forever`."""
    if text == "forever":
        return None
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if not found:
        raise ConfigError(f"{text[:40]!r} is not a duration; write 30m, 2h, 7d, 4w or forever")
    return int(found[1]) * _UNITS[found[2]] * 1000


async def _status(work: Work, ask: Answer) -> Answer:
    living = [process.name for process in await living_processes(work)]
    return {
        **({"processes": living} if living else {}),
        "people": await work.store.count(PRESENCE.name),
        "tables": await work.store.count(TABLE.name),
        "queue": await work.store.count(QUEUE.name),
        "sanctions": await work.store.count(SANCTION.name),
        "reports": await work.store.count(REPORT.name),
    }


async def _people(work: Work, ask: Answer) -> Answer:
    found = await work.page(PRESENCE, None, "", MAX_LISTED + 1)
    return {
        "more": len(found) > MAX_LISTED,
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
            for id, p in found[:MAX_LISTED]
        ],
    }


async def _tables(work: Work, ask: Answer) -> Answer:
    found = await work.page(TABLE, None, "", MAX_LISTED + 1)
    return {
        "more": len(found) > MAX_LISTED,
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
            for id, t in found[:MAX_LISTED]
        ],
    }


async def _sanctions(work: Work, ask: Answer) -> Answer:
    found = await work.page(SANCTION, None, "", MAX_LISTED + 1)
    listed = [
        {
            "id": id,
            "what": s.what,
            "name": await _name_of(work, id.rpartition(":")[2]),
            "reason": s.reason,
            "at": s.at,
            "until": s.until,
        }
        for id, s in found[:MAX_LISTED]
    ]
    return {"sanctions": listed, "more": len(found) > MAX_LISTED}


async def _name_of(work: Work, id: str) -> str:
    """The name of a key that was here during the last day, empty if it was not."""
    presence = await work.get(PRESENCE, id)
    seen = None if presence else await work.get(SEEN, id)
    return presence.name if presence else seen.name if seen else ""


async def _reports(work: Work, ask: Answer) -> Answer:
    found = await work.page(REPORT, None, "", MAX_LISTED + 1)
    listed = sorted((report for _, report in found[:MAX_LISTED]), key=lambda report: report.at)
    return {"reports": [_report_data(report) for report in listed], "more": len(found) > MAX_LISTED}


def _report_data(report: ReportRecord) -> Answer:
    return {
        "report": report.number,
        "key": report.key.hex(),
        "name": report.name,
        "by": report.by.hex(),
        "by_name": report.by_name,
        "reason": report.reason,
        "place": report.place,
        "at": report.at,
        "lines": [
            {"key": line.key.hex(), "name": line.name, "text": line.text, "at": line.at, "kept": line.is_kept}
            for line in report.lines
        ],
    }


async def _dismiss(work: Work, ask: Answer) -> Answer:
    """A report that was dealt with goes; what was done about it is in the log by itself."""
    number, after = str(ask.get("report", "")), ""
    while page := await work.page(REPORT, None, after, MAX_LISTED):
        for id, report in page:
            if report.number == number:
                await drop_report(work, id, report)
                return {"dismissed": number, "name": report.name}
        after = page[-1][0]
    raise ConfigError(f"there is no report {number[:40]!r}; kontor lobby admin reports lists them")


async def _warn(work: Work, ask: Answer) -> Answer:
    key = await _find(work, ask)
    presence = await work.get(PRESENCE, key.hex())
    await warn(work, key, _reason(ask), presence is not None and presence.away is None)
    return {"warned": key.hex(), "name": await _name_of(work, key.hex())}


async def _mute(work: Work, ask: Answer) -> Answer:
    key = await _find(work, ask)
    sanction = _sanction(work, "mute", ask)
    await impose(work, key_id("mute", key), sanction, [key])
    return {"muted": key.hex(), "name": await _name_of(work, key.hex()), "until": sanction.until}


async def _ban(work: Work, ask: Answer) -> Answer:
    if ask.get("address"):
        id = network_id(str(ask["address"]))
        sanction = _sanction(work, "ban", ask)
        keys = await people_in(work, str(ask["address"]))
        await impose(work, id, sanction, keys)
        return {"banned": id, "until": sanction.until, "sent away": len(keys)}
    key = await _find(work, ask)
    sanction = _sanction(work, "ban", ask)
    await impose(work, key_id("ban", key), sanction, [key])
    return {"banned": key_id("ban", key), "name": await _name_of(work, key.hex()), "until": sanction.until}


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
    keys = [presence.key for presence in await people_here(work)]
    work.tell(keys, Notice("announcement", _reason(ask)))
    return {"told": len(keys)}


def _reason(ask: Answer) -> str:
    reason = str(ask.get("reason", ""))
    problem = why_not_chat(reason)
    if problem or len(reason) > MAX_REASON:
        raise ConfigError(f"the person concerned reads the reason: {problem or 'it is too long'}")
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
    looks = skeleton(text)
    for key, name in await _named(work):
        if (len(text) >= 9 and fingerprint(key).startswith(text.lower())) or (text and skeleton(name) == looks):
            found[key] = name
    if not found:
        raise ConfigError(f"nobody called {text[:40]!r} was here during the last day; give the key in hex")
    if len(found) > 1:
        several = ", ".join(f"{name} {fingerprint(key)[:19]}" for key, name in list(found.items())[:5])
        raise ConfigError(f"{len(found)} keys match {text[:40]!r}: {several}; give more of the fingerprint")
    return next(iter(found))


async def _named(work: Work) -> list[tuple[bytes, str]]:
    """Keys and names of whoever is here, and of those who were within a day."""
    found = [(presence.key, presence.name) for presence in await people_here(work)]
    after = ""
    while page := await work.page(SEEN, None, after, MAX_LISTED):
        found += [(bytes.fromhex(id), seen.name) for id, seen in page]
        after = page[-1][0]
    return found


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
    "log": _log,
    "reports": _reports,
    "dismiss": _dismiss,
}
