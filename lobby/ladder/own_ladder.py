"""A ladder kept by hand: files in, a published folder out, one command at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.archive.asking import read_file
from kontor_games.net.system import filelock
from kontor_games.net.wire.identity import Signer, fingerprint, parse_fingerprint

from .ladder_desk import LadderDesk, ask_to_hide, put_in_queue
from .ladder_rules import LadderRules
from .manifest import page_in
from .published import FolderLadder

_PATIENCE = 0.2


class LadderInUse(StoreError):
    """Another process keeps this ladder."""


def count_files(folder: Path, files: Sequence[Path], keeper: Signer, title: str, jobs: int) -> dict[str, Any]:
    """Judge and count these files in this order, publish, and say what became of each."""
    contents = [read_file(str(path)) for path in files]  # before anything is changed
    with _desk(folder, keeper, title, jobs) as desk:
        states: dict[str, tuple[str, str]] = {}
        desk.on_decided = lambda file, state, reason: states.update({file: (state, reason)})
        digests = []
        for data in contents:
            digests.append(put_in_queue(folder, data, _now()))
            _work(desk)
        _work(desk)
        told = {
            file: (each["state"], each["reason"]) for each in desk.ladder.said()["files"] for file in [each["file"]]
        }
        said = [states.get(file, ("", "")) for file in digests]
        said = [
            told.get(file, state) if state[0] != "refused" else state for file, state in zip(digests, said, strict=True)
        ]
        return {
            "files": [
                {"path": str(path), "state": state, "reason": reason}
                for path, (state, reason) in zip(files, said, strict=True)
            ],
            "counted": desk.ladder.said()["counted"],
            "waiting": sum(state == "waiting" for state, _ in told.values()),
            "published": str(desk.published),
        }


def hide_name(folder: Path, who: str, keeper: Signer) -> None:
    """Remove the name of a key, given whole or as its fingerprint."""
    page = page_in(FolderLadder(folder / "published").manifest())
    keys = {row["key"] for board in page.said["boards"] for row in board["people"]}
    keys |= {key for file in page.said["files"] for key in file["keys"]}  # whose first match still waits
    wanted = who.lower()
    if wanted not in keys:
        mark = parse_fingerprint(who)
        wanted = next((key for key in sorted(keys) if fingerprint(bytes.fromhex(key)) == mark), "")
    if not wanted:
        raise ConfigError("nobody on this ladder has that key")
    ask_to_hide(folder, wanted, _now())
    with suppress(LadderInUse), _desk(folder, keeper, page.title, 1) as desk:  # whoever keeps it now does it
        _work(desk)


@contextmanager
def _desk(folder: Path, keeper: Signer, title: str, jobs: int) -> Iterator[LadderDesk]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        if not filelock.try_lock(lock):
            raise LadderInUse(f"another process keeps the ladder in {folder}; hand the files in at its lobby")
        rules = LadderRules(keeper.key.hex(), since=_now())
        desk = LadderDesk(folder, rules, keeper, title, jobs=jobs)
        try:
            yield desk
        finally:
            desk.close()


def _work(desk: LadderDesk) -> None:
    while not desk.is_idle():
        desk.work(_now(), _PATIENCE)
    desk.work(_now())


def _now() -> int:
    return int(time.time() * 1000)
