"""Routes of the player's own history: put a match away, or delete it.

Deleting takes a match off this machine: its file, its summary and what was worked out about it. Of a match among
peers only the file and its summary go, and only once nothing is left to be done for it. What this node signed there
stays, because others may hold the other half of a proof.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from msgspec import Struct

from kontor_games.net.api.http.api_errors import not_found, refused
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.record.match_files import LocalFiles, MatchFiles, about_path, page_path


class ArchiveAsk(Struct, forbid_unknown_fields=True):
    """Whether a match is put away."""

    archived: bool


class HistoryRoutes:
    """What a player does with matches of the past."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def routes(self) -> list[Route]:
        return [
            Route("POST", "matches/{id}/archive", self.archive, ArchiveAsk),
            Route("DELETE", "matches/{id}", self.delete),
        ]

    def archive(self, call: ApiCall) -> dict[str, Any]:
        about = self._about(call.path["id"])
        if about["status"] != "over":
            raise refused("only a match that is over can be put away; go on with this one, or delete it")
        self._hub.put_away.set(about["id"], call.body.archived, {each["id"] for each in self._hub.summaries()})
        self._hub.feed.add("matches", id=about["id"])
        return {"archived": about["id"] in self._hub.put_away}

    def delete(self, call: ApiCall) -> dict[str, Any]:
        about = self._about(call.path["id"])
        match, path = about["id"], self._hub.path_of(about["id"])
        if path is None:
            raise refused("this match has no file here: you only watch it")
        if about["kind"] == "net":
            _delete_shared(path, about["status"])
        else:
            if self._hub.lent.get(match):
                raise refused("guests play this match on their phones; end the party first")
            self._hub.let_go(match)
            _delete_local(path)
        self._hub.let_go(match)
        self._hub.put_away.set(match, False, {each["id"] for each in self._hub.summaries()})
        return {"deleted": match}

    def _about(self, match: str) -> dict[str, Any]:
        found = next((each for each in self._hub.summaries() if each["id"] == match), None)
        if found is None:
            raise not_found("such match")
        return found


def _delete_local(path: Path) -> None:
    """Everything that lies beside the file of a match on this machine, which is called after it."""
    LocalFiles(path).delete()
    for beside in path.parent.glob(f"{glob.escape(path.stem)}.*"):
        beside.unlink(missing_ok=True)


def _delete_shared(path: Path, status: str) -> None:
    """File and summary of a match among peers that is complete."""
    files = MatchFiles.beside(path)
    if status != "over":
        raise refused("this match goes on; leave it first")
    if not files.is_done:
        raise refused("this match is not complete yet: the others have still to sign its end")
    if files.handing_in.exists():
        raise refused("the file of this match has still to be handed in to the ladder")
    for each in (path, about_path(path), page_path(path)):
        each.unlink(missing_ok=True)
