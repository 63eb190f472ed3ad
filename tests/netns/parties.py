"""Nodes in namespaces: found on the local network, or met in a lobby."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kontor_games.clients.children import Children
from kontor_games.net.system import child
from tests.worlds.party import Data, Party

from .wires import Wires


class FarChildren(Children):
    """Node processes, each in the namespace of its name."""

    def __init__(self, folder: Path, wires: Wires) -> None:
        command = [*child.python(), "-m", "kontor_games.clients.entry", "bot-node"]
        super().__init__(folder, command, child.environment())
        self._node_command = command
        self._wires = wires

    def start(self, name: str, arguments: Sequence[str]) -> None:
        """Start it there; it listens on all its addresses."""
        self._command = [*self._wires.inside(name.lower()), *self._node_command]
        super().start(name, ["--bind", "", *arguments])


class FarParty(Party):
    """Each node in its own namespace, which has the node's name in small letters."""

    def __init__(self, wires: Wires, folder: Path, game: str, count: int, **options: Any) -> None:
        self._wires = wires
        self.paths: dict[str, dict[str, str]] = {}  # name -> peer -> path
        self.sight: dict[str, float] = {}  # seconds from a node's start until it saw a table on the local network
        self._started: dict[str, float] = {}
        super().__init__(folder, game, count, **options)

    def _make_children(self, folder: Path) -> Any:
        return FarChildren(folder, self._wires)

    def next(self, patience: float = 90.0) -> tuple[str, Data]:
        """The next news; who reaches whom how is kept."""
        name, news = super().next(patience)
        if news["news"] == "ready":
            self._started[name] = time.monotonic()
        elif news["news"] == "lan" and news["tables"] and name not in self.sight:
            now = time.monotonic()
            self.sight[name] = now - self._started.get(name, now)
        elif news["news"] == "peer":
            if news["linked"]:
                self.paths.setdefault(name, {})[news["peer"]] = news["path"]
            else:
                self.paths.get(name, {}).pop(news["peer"], None)
        return name, news


class LanParty(FarParty):
    """No lobby, no address, no configuration: the others find the table of the first on the local network."""

    def _arguments(self, game: str, count: int, options: Data) -> list[str]:
        return [*super()._arguments(game, count, options), "--lan"]

    def invite(self) -> None:
        """They look around."""
        for other in self.names[1:]:
            self.children.start(other, ["--bot", self._bot, "--lan"])


class LobbyFarParty(FarParty):
    """The nodes meet in a lobby at an address that all of them reach."""

    def __init__(self, wires: Wires, folder: Path, lobby: str, game: str, count: int, **options: Any) -> None:
        self._lobby = lobby
        self._code = ""
        super().__init__(wires, folder, game, count, **options)

    def _arguments(self, game: str, count: int, options: Data) -> list[str]:
        return [*super()._arguments(game, count, options), "--lobby", self._lobby, "--invite"]

    def next(self, patience: float = 90.0) -> tuple[str, Data]:
        """The next news; the invite code brings the others."""
        name, news = super().next(patience)
        if news["news"] == "card" and news["code"] and not self._code:
            self._code = news["code"]
            for other in self.names[1:]:
                self.children.start(other, ["--bot", self._bot, "--lobby", self._lobby, "--code", self._code])
        return name, news

    def invite(self) -> None:
        """They come when there is a code."""
