"""Whole nodes as child processes that play one match; the test kills, restarts and commands them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kontor_games.clients.children import Children
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.verify import Report, verify
from kontor_games.net.system import child

Data = dict[str, Any]
NAMES = ("Anna", "Bruno", "Clara", "David", "Elsa")


class Party:
    """A match among child processes; remembers what each of them said about every ply."""

    def __init__(self, folder: Path, game: str, count: int, bot: str = "random", **options: Any) -> None:
        self.children = self._make_children(folder)
        self.names = list(NAMES[:count])
        self.folder = folder
        self.match = ""
        self.address: dict[str, tuple[str, str]] = {}  # name -> address, fingerprint
        self.plies: dict[int, set[tuple[int | None, str]]] = {}  # what was said about each ply, by anybody
        self.last: dict[str, Data] = {}  # the last link of the chain that each node told of
        self.completed: set[str] = set()
        self.ended: dict[str, str] = {}
        self.dead: set[int] = set()  # processes that the test killed itself
        self.refused: list[str] = []  # commands of ours
        self._bot = bot
        self._begun: set[str] = set()
        self.children.start(self.names[0], self._arguments(game, count, options))

    def _make_children(self, folder: Path) -> Any:
        command = [*child.python(), "-m", "kontor_games.clients.entry", "bot-node"]
        return Children(folder, command, child.environment())

    def _arguments(self, game: str, count: int, options: Data) -> list[str]:
        return ["--bot", self._bot, "--host", game, "--seats", str(count), "--options", json.dumps(options)]

    def next(self, patience: float = 60.0) -> tuple[str, Data]:
        """The next news, taken into account."""
        _, name, news = self.children.next(patience)
        match news["news"]:
            case "ready":
                self.address[name] = news["address"], news["fingerprint"]
                if name == self.names[0] and len(self.address) == 1:
                    self.invite()
            case "begun":
                self.match = news["match"]
                self._begun.add(name)
            case "ply":
                self.plies.setdefault(news["ply"], set()).add((news["seat"], news["text"]))
            case "link":
                self.last[name] = news
            case "ended":
                self.ended[name] = news["how"]
            case "completed":
                self.completed.add(name)
            case "error":
                self.refused.append(news["reason"])
            case "fault" | "diverged":
                self.troubled(name, news)
            case "exit":
                assert news["pid"] in self.dead, f"the node of {name} ended with code {news['code']}"
        return name, news

    def troubled(self, name: str, news: Data) -> None:
        """A node blames another, or differs from it: honest nodes with sound engines never do."""
        raise AssertionError(f"{name}: {news}")

    def invite(self) -> None:
        """The others join the first."""
        for other in self.names[1:]:
            self.children.start(other, ["--bot", self._bot, *self.at(self.names[0])])

    def at(self, name: str) -> list[str]:
        """How to reach a node."""
        address, mark = self.address[name]
        return ["--join", address, "--mark", mark]

    def until(self, is_so: Callable[[], bool], patience: float = 60.0) -> None:
        """Listen until something is so."""
        while not is_so():
            self.next(patience)

    def begin(self) -> None:
        """Listen until all nodes are in the match."""
        self.until(lambda: self._begun >= set(self.names))

    def kill(self, name: str) -> None:
        """kill -9"""
        self.dead.add(self.children.running[name].pid)
        self.children.kill(name)

    def restart(self, name: str) -> None:
        """Start it again: it finds its match by itself."""
        self.children.start(name, [])

    def finish(self) -> None:
        """Listen until every node has all final signatures, then end them in order."""
        self.until(lambda: self.completed >= set(self.names))
        self.stop()

    def stop(self) -> None:
        """End all nodes."""
        self.dead |= {child.pid for child in self.children.running.values()}
        self.children.stop()

    def reports(self) -> dict[str, Report]:
        """What verification says about each node's file."""
        return {name: verify(self.file(name)) for name in self.names}

    def file(self, name: str) -> Path:
        """The transcript of a node."""
        return MatchFiles.of(self.children.home(name) / "matches", bytes.fromhex(self.match)).transcript
