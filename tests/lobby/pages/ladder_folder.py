"""A folder as a ladder publishes it (docs/ladder.md), for pages that show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kontor_games.net.archive.asking import digest_of
from kontor_games.net.record.verify import verify

from .served import FILES

KEEPER = "ab" * 32
STRANGER = "cd" * 32  # somebody whose name was removed


def row(rank: int, key: str, name: str, points: int, matches: int, **more: Any) -> dict[str, Any]:
    return {
        "rank": rank, "key": key, "fingerprint": "not read", "name": name, "points": points, "mu": 1, "sigma": 1,
        "matches": matches, "won": matches // 2, "provisional": matches < 10, "marks": {}, **more,
    }  # fmt: skip


def make_ladder(folder: Path, anna: str = "Anna", title: str = "Contor") -> tuple[str, str]:
    """A ladder with one published match; Anna's key, and the digest of the file."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    report = verify(FILES / "hansa-3.kontor")
    data = (FILES / "hansa-3.kontor").read_bytes()
    digest = digest_of(data).hex()
    (folder / "files" / f"{digest}.kontor").write_bytes(data)
    keys = [str(peer["key"]) for peer in report.peers]
    people = [row(1, keys[0], anna, 1234, 12, marks={"vanished": 2}), row(2, STRANGER, "", 900, 3)]
    board = {"season": 2, "list": "open", "game": "hansa", "players": 3, "people": people}
    old = {**board, "season": 1, "list": "lan", "people": [row(1, keys[1], "Bruno", 1000, 10)]}
    counted = {
        "file": digest, "match": report.match, "list": "open", "game": "hansa", "keys": keys, "state": "counted",
        "at": 1794984621000, "reason": "", "places": [1, 2, 3],
    }  # fmt: skip
    gone = {**counted, "file": "ee" * 32, "state": "refused", "reason": "the same people <b>again</b>", "places": []}
    twice = [
        {"match": report.match, "key": keys[1], "name": "Bruno", "kind": kind, "files": [digest, "ee" * 32]}
        for kind in ("final", "frame")
    ]
    said = {"model": "x", "season": 2, "counted": 1, "boards": [old, board], "files": [gone, counted], "named": twice}
    page = {
        "title": title, "rules": {"keeper": KEEPER, "season_days": 91}, "as_of": 1794984621000, "book": [],
        "withdrawn": {}, "refused": [], "said": said, "format": 1,
    }  # fmt: skip
    (folder / "ladder.json").write_text(json.dumps({"ladder": page, "signature": "00" * 64}), encoding="utf-8")
    return keys[0], digest
