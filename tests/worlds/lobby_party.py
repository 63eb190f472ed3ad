"""Nodes as child processes that meet in a real lobby and play there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.lobby.child import LobbyProcess

from .party import LOOK_SECONDS, PATIENCE, Data, Party


class InLobby(Party):
    """The first node makes a table with an invite code, the others come with the code."""

    lobby_address = ""
    code = ""

    def open(self) -> None:
        """The first node starts and opens a table, whose code the lobby tells."""
        self._wish |= {"where": "lobby", "visibility": "invite"}
        super().open()
        until = time.monotonic() + PATIENCE
        while not self.code or self.code == self.table:
            assert time.monotonic() < until, "the lobby told no code"
            time.sleep(LOOK_SECONDS / 5)
            self.code = self.nodes[self.names[0]].get(f"tables/{self.table}")["code"] or ""

    def _prepare(self, name: str) -> None:
        self.nodes[name].put("settings", {"name": name, "lobby": self.lobby_address})

    def _come(self, name: str) -> None:
        self.nodes[name].post("join", {"code": self.code})


class LobbyParty(InLobby):
    """In a lobby that is a child process of the test."""

    def __init__(self, folder: Path, lobby: LobbyProcess, game: str, count: int, **options: Any) -> None:
        self.lobby_address = f"127.0.0.1:{lobby.port}"
        self.words: dict[str, list[str]] = {}  # the six words that each node showed before it agreed
        super().__init__(folder, game, count, **options)

    def heard(self, name: str, event: Data) -> None:
        """A node told something; the words are kept."""
        super().heard(name, event)
        if event["kind"] == "table" and "signed" in event:
            self.words[name] = event["words"]
