"""Routes of replays: match files to look at, ply by ply, and to verify."""

from __future__ import annotations

import contextlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from twisted.internet.threads import deferToThreadPool

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.net.api.http.api_errors import bad_request, not_found, refused
from kontor_games.net.api.http.router import ApiCall, Blob, Route, seat_number
from kontor_games.net.api.matches.hub import Hub, replay_id
from kontor_games.net.api.matches.log_lines import LogEntry, line, log_entry
from kontor_games.net.api.matches.shown import PERSON
from kontor_games.net.api.matches.wording import Audience, Wording
from kontor_games.net.record.match_files import TRANSCRIPT, about_path, transcripts
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import UnreadableFile
from kontor_games.net.record.verify import verify
from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.messages import HUMAN

KEPT: Final = 4  # replays in memory
MAX_FILES: Final = 1000
T = TypeVar("T")


class ReplayRoutes:
    """What can be asked about match files; uploads lie in `replays`, one's own finished matches in `matches`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._directory = hub.home / "replays"
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = Lock()
        self._open: OrderedDict[str, Replay] = OrderedDict()

    def routes(self) -> list[Route]:
        return [
            Route("GET", "replays", self.list),
            Route("POST", "replays", self.upload, upload=True),
            Route("GET", "replays/{id}", self.info),
            Route("GET", "replays/{id}/at/{ply}", self.at),
            Route("GET", "replays/{id}/file", self.file),
            Route("POST", "replays/{id}/verify", self.verify),
        ]

    def list(self, call: ApiCall) -> dict[str, Any]:
        files = [(path, "uploaded") for path in transcripts(self._directory)]
        files += [(path, "played") for path in transcripts(self._hub.directory)]
        found = sorted(((path, origin, _time(path)) for path, origin in files), key=lambda each: -each[2])
        return {
            "replays": [
                {"id": replay_id(path), "name": path.stem, "origin": origin, "updated": updated, **_about(path)}
                for path, origin, updated in found[:MAX_FILES]
            ]
        }

    def upload(self, call: ApiCall) -> Any:
        assert call.upload is not None
        new = self._directory / f".upload-{os.urandom(8).hex()}"
        digest = sha256()
        try:
            with new.open("xb") as file:
                while piece := call.upload.read(1 << 16):
                    digest.update(piece)
                    file.write(piece)
        except OSError as error:
            new.unlink(missing_ok=True)
            raise StoreError(f"the file cannot be stored: {error.strerror}") from None
        path = self._directory / f"{digest.hexdigest()[:24]}{TRANSCRIPT}"

        def check() -> dict[str, Any]:
            try:
                info = Replay(new).info()
                about = json.dumps({"game": info["game"], "seats": info["seats"]})
                write_private(about_path(path), about)
            except UnreadableFile as error:
                raise bad_request(str(error).partition(": ")[2]) from None
            except KontorError:
                pass  # it may still be verified, which says what is wrong
            os.replace(new, path)
            return {"id": replay_id(path)}

        return self._in_thread(check).addBoth(_cleaned, new)

    def info(self, call: ApiCall) -> Any:
        path = self._path(call)
        return self._in_thread(lambda: self._alone(lambda: self._info(path)))

    def file(self, call: ApiCall) -> Blob:
        path = self._path(call)
        return Blob(path.read_bytes(), path.name)

    def at(self, call: ApiCall) -> Any:
        path = self._path(call)
        asked = call.path["ply"]
        if not (asked.isascii() and asked.isdigit() and len(asked) < 7):
            raise bad_request("ply must be a number")
        seat = seat_number(call.query.get("seat", "none"))
        return self._in_thread(lambda: self._alone(lambda: self._at(path, int(asked), seat)))

    def verify(self, call: ApiCall) -> Any:
        path = self._path(call)
        return self._in_thread(lambda: _verdict(path))

    def _path(self, call: ApiCall) -> Path:
        """The file with this id."""
        wanted = call.path["id"]
        for folder in (self._directory, self._hub.directory):
            for path in transcripts(folder):
                if replay_id(path) == wanted:
                    return path
        raise not_found("such replay")

    def _replay(self, path: Path) -> Replay:
        key = f"{path} {_time(path)}"
        replay = self._open.pop(key, None)
        if replay is None:
            try:
                replay = Replay(path)
            except KontorError as error:
                raise refused(str(error).replace(str(path), path.name)) from None
        self._open[key] = replay
        while len(self._open) > KEPT:
            self._open.popitem(last=False)
        return replay

    def _info(self, path: Path) -> dict[str, Any]:
        replay = self._replay(path)
        info = replay.info()
        lines = _lines(self._hub.wording, replay, None)
        turns = [{name: each[name] for name in ("ply", "seat", "text", "say", "turn")} for each in lines]
        return {
            "id": replay_id(path),
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

    def _at(self, path: Path, ply: int, seat: int | None) -> dict[str, Any]:
        replay = self._replay(path)
        info = replay.info()
        if ply > info["plies"] or (seat is not None and seat >= len(info["seats"])):
            raise not_found("such ply or seat")
        return {
            "ply": ply,
            "view": replay.view(ply, seat),
            "digest": replay.digest(ply),
            "points": replay.points(ply),
            "log": _lines(self._hub.wording, replay, seat)[ply - 1 : ply] if ply else [],
        }

    def _alone(self, job: Callable[[], T]) -> T:
        """Replays keep a place in their file: one thread at a time."""
        with self._lock:
            return job()

    def _in_thread(self, job: Callable[[], T]) -> Any:
        reactor = self._hub.reactor
        return deferToThreadPool(reactor, reactor.getThreadPool(), job)


@lru_cache(KEPT)
def _entries(replay: Replay) -> list[LogEntry]:
    """The log of a replay."""
    entries: list[LogEntry] = []
    for ply in replay.plies:
        entries.append(log_entry(replay.game, ply, entries[-1] if entries else None))
    return entries


def _lines(wording: Wording, replay: Replay, seat: int | None) -> list[dict[str, Any]]:
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


def _verdict(path: Path) -> dict[str, Any]:
    report = verify(path).as_dict()
    status = {"cannot judge": "unjudged"}.get(report["verdict"], report["verdict"])
    if status == "verified" and not report["sealed"]:
        status = "consistent"  # a local match follows the rules, but nobody signed it
    line = str(report["line"]).replace(str(path), path.name)
    return {
        "status": status,
        "details": [line, *report["notes"]],
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


def _about(path: Path) -> dict[str, Any]:
    """Game and names, as they were written beside the file when it was finished or brought here."""
    try:
        about = json.loads(about_path(path).read_text(encoding="utf-8"))
        return {"game": str(about["game"]), "seats": [str(seat["name"]) for seat in about["seats"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"game": None, "seats": []}


def _time(path: Path) -> int:
    with contextlib.suppress(OSError):
        return int(path.stat().st_mtime)
    return 0


def _cleaned(outcome: Any, path: Path) -> Any:
    path.unlink(missing_ok=True)
    return outcome
