"""Routes of replays: match files to look at, ply by ply, and to verify."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.net.api.http.api_errors import bad_request, not_found
from kontor_games.net.api.http.router import ApiCall, Blob, Route, seat_number
from kontor_games.net.api.matches.hub import Hub, replay_id
from kontor_games.net.record.match_files import TRANSCRIPT, about_path, page_path, transcripts
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import UnreadableFile
from kontor_games.net.record.verify import verify
from kontor_games.net.system.private_file import write_private

from .replay_shelf import ReplayShelf, time_of
from .told_replay import told_lines, told_match, told_verdict

MAX_FILES: Final = 1000


class ReplayRoutes:
    """What can be asked about match files; uploads lie in `replays`, one's own finished matches in `matches`."""

    def __init__(self, hub: Hub, shelf: ReplayShelf) -> None:
        self._hub = hub
        self._shelf = shelf
        self._directory = shelf.uploads

    def routes(self) -> list[Route]:
        return [
            Route("GET", "replays", self.list),
            Route("POST", "replays", self.upload, upload=True),
            Route("GET", "replays/{id}", self.info),
            Route("GET", "replays/{id}/at/{ply}", self.at),
            Route("GET", "replays/{id}/file", self.file),
            Route("GET", "replays/{id}/page", self.page),
            Route("POST", "replays/{id}/verify", self.verify),
        ]

    def list(self, call: ApiCall) -> dict[str, Any]:
        files = [(path, "uploaded") for path in transcripts(self._directory)]
        files += [(path, "played") for path in transcripts(self._hub.directory)]
        found = sorted(((path, origin, time_of(path)) for path, origin in files), key=lambda each: -each[2])
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

        return self._shelf.in_thread(check).addBoth(_cleaned, new)

    def info(self, call: ApiCall) -> Any:
        path = self._shelf.path(call.path["id"])
        return self._shelf.alone(lambda: self._info(path))

    def file(self, call: ApiCall) -> Blob:
        path = self._shelf.path(call.path["id"])
        return Blob(path.read_bytes(), path.name)

    def at(self, call: ApiCall) -> Any:
        path = self._shelf.path(call.path["id"])
        asked = call.path["ply"]
        if not (asked.isascii() and asked.isdigit() and len(asked) < 7):
            raise bad_request("ply must be a number")
        seat = seat_number(call.query.get("seat", "none"))
        return self._shelf.alone(lambda: self._at(path, int(asked), seat))

    def verify(self, call: ApiCall) -> Any:
        path = self._shelf.path(call.path["id"])
        return self._shelf.in_thread(lambda: told_verdict(verify(path), path.name))

    def page(self, call: ApiCall) -> dict[str, str]:
        """Not a part of the rest: a lobby tells of its page after the match is over."""
        return {"page": _page(self._shelf.path(call.path["id"]))}

    def _info(self, path: Path) -> dict[str, Any]:
        return {"id": replay_id(path), **told_match(self._hub.wording, self._shelf.replay(path))}

    def _at(self, path: Path, ply: int, seat: int | None) -> dict[str, Any]:
        replay = self._shelf.replay(path)
        info = replay.info()
        if ply > info["plies"] or (seat is not None and seat >= len(info["seats"])):
            raise not_found("such ply or seat")
        return {
            "ply": ply,
            "view": replay.view(ply, seat),
            "digest": replay.digest(ply),
            "points": replay.points(ply),
            "log": told_lines(self._hub.wording, replay, seat)[ply - 1 : ply] if ply else [],
        }


def _page(path: Path) -> str:
    """Where everybody sees this match, as the lobby of its ladder said; empty if nowhere."""
    try:
        text = page_path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    return text if text.startswith(("http://", "https://")) and text.isascii() and text.isprintable() else ""


def _about(path: Path) -> dict[str, Any]:
    """Game and names, as they were written beside the file when it was finished or brought here."""
    try:
        about = json.loads(about_path(path).read_text(encoding="utf-8"))
        return {"game": str(about["game"]), "seats": [str(seat["name"]) for seat in about["seats"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"game": None, "seats": []}


def _cleaned(outcome: Any, path: Path) -> Any:
    path.unlink(missing_ok=True)
    return outcome
