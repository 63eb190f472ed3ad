"""Nodes as child processes that meet in a real lobby and play there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lobby.child import LobbyProcess

from .party import Data, Party


class LobbyParty(Party):
    """The first node makes a table with an invite code, the others come with the code."""

    def __init__(self, folder: Path, lobby: LobbyProcess, game: str, count: int, **options: Any) -> None:
        self._lobby = lobby
        self.code = ""
        self.words: dict[str, str] = {}  # the six words that each node showed before it agreed
        super().__init__(folder, game, count, **options)

    def there(self) -> list[str]:
        """How a node finds the lobby."""
        return ["--lobby", f"127.0.0.1:{self._lobby.port}"]

    def _arguments(self, game: str, count: int, options: Data) -> list[str]:
        return [*super()._arguments(game, count, options), *self.there(), "--invite"]

    def next(self, patience: float = 60.0) -> tuple[str, Data]:
        """The next news; the invite code brings the others."""
        name, news = super().next(patience)
        match news["news"]:
            case "card" if news["code"] and not self.code:
                self.code = news["code"]
                for other in self.names[1:]:
                    self.children.start(other, ["--bot", self._bot, *self.there(), "--code", self.code])
            case "signed":
                self.words[name] = news["words"]
        return name, news

    def invite(self) -> None:
        """They come when there is a code."""
