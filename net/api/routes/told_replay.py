"""What is told about a match file: its course in turns and sentences, and its verdict, for the node and for a lobby."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from kontor_games.net.api.matches.log_lines import LogEntry, line, log_entry
from kontor_games.net.api.matches.shown import PERSON
from kontor_games.net.api.matches.wording import Audience, Wording
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.verify import Report
from kontor_games.net.wire.messages import HUMAN

KEPT: Final = 4  # replays whose log stays in memory


def told_match(wording: Wording, replay: Replay) -> dict[str, Any]:
    """What does not change while stepping through a match: who, how long, turn by turn, and how it ended."""
    info = replay.info()
    lines = told_lines(wording, replay, None)
    turns = [{name: each[name] for name in ("ply", "seat", "text", "say", "turn")} for each in lines]
    return {
        "game": info["game"],
        "match": info["match"],
        "options": info["options"],
        "seats": [{**seat, "kind": PERSON if seat["kind"] == HUMAN else seat["kind"]} for seat in info["seats"]],
        "plies": info["plies"],
        "turns": turns,
        "chapters": _chapters(_entries(replay), turns),
        "points": [replay.points(ply) for ply in range(info["plies"] + 1)],
        "opened": info["open"],
        "finished": info["finished"],
        "result": replay.result(),
    }


@lru_cache(KEPT)
def _entries(replay: Replay) -> list[LogEntry]:
    """The log of a replay."""
    entries: list[LogEntry] = []
    for ply in replay.plies:
        entries.append(log_entry(replay.game, ply, entries[-1] if entries else None))
    return entries


def told_lines(wording: Wording, replay: Replay, seat: int | None) -> list[dict[str, Any]]:
    """The log of a replay, as a seat reads it (None: everybody)."""
    info = replay.info()
    to = Audience(info["game"], tuple(each["name"] for each in info["seats"]), seat)
    return [line(wording, to, entry) for entry in _entries(replay)]


def _chapters(entries: list[LogEntry], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns of a match: the first ply of each, whose it is, and what was done in it; chance is left out."""
    chapters: list[dict[str, Any]] = []
    for entry, told in zip(entries, lines, strict=True):
        if not chapters or entry.turn != chapters[-1]["turn"]:
            chapters.append({"turn": entry.turn, "ply": entry.ply, "seat": entry.whose, "say": ""})
        if entry.seat is not None and told["say"]:
            chapters[-1]["say"] = f"{chapters[-1]['say']} {told['say']}".strip()
    return chapters


def told_verdict(found: Report, name: str) -> dict[str, Any]:
    """A verdict as clients show it, in the words of `kontor verify`; the file is called `name` in it."""
    report = found.as_dict()
    status = {"cannot judge": "unjudged"}.get(report["verdict"], report["verdict"])
    if status == "verified" and not report["sealed"]:
        status = "consistent"  # a local match follows the rules, but nobody signed it
    line = str(report["line"])
    return {
        "status": status,
        "details": [line.replace(report["path"], name) if report["path"] else line, *report["notes"]],
        "players": [
            {"names": peer["names"], "fingerprint": peer["fingerprint"], "signed": peer["signed"]}
            for peer in report["peers"]
        ],
        "fault": report["fault"],
        "plies": report["plies"],
        "finished": report["finished"],
        "differs_at": report["differs_at"],
        "result": report["result"],
    }
