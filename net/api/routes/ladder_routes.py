"""Routes of ladders: hand a match file in at the lobby that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from twisted.internet.defer import Deferred

from kontor_games.net.api.http.api_errors import bad_request
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.record.match_files import TRANSCRIPT
from kontor_games.net.record.transcript import MAX_FILE, UnreadableFile, open_file
from kontor_games.net.wire.ladder_messages import LadderWord


class HandedFile(Struct, forbid_unknown_fields=True):
    """A match file on this machine."""

    path: Annotated[str, Meta(min_length=1, max_length=4096)]


class LadderRoutes:
    """What can be asked about ladders."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def routes(self) -> list[Route]:
        return [Route("POST", "lobby/hand-in", self.hand_in, HandedFile)]

    def hand_in(self, call: ApiCall) -> Deferred[Any]:
        """The lobby's answer: whether the file is safe there, or was known before."""
        data = _content(call.body.path)

        def reached(room: LobbyRoom) -> Deferred[Any]:
            return room.hand_in(data).addCallback(_told)

        return self._network.lobby.room().addCallback(reached)


def _content(path: str) -> bytes:
    if not path.endswith(TRANSCRIPT):
        raise bad_request(f"a match file ends with {TRANSCRIPT}")
    try:
        with open_file(Path(path)) as file:
            return file.read(MAX_FILE)
    except (UnreadableFile, OSError) as error:
        raise bad_request(str(error)) from None


def _told(word: LadderWord) -> dict[str, str]:
    return {"state": word.state, "text": word.text, "page": word.page}
