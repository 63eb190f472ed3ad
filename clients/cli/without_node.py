"""What the terminal client does without the node, behind protocols: bots alone, files, demonstrations; docs/adr/0011.

The entry point hands in the implementation. Everything else goes through the node's local API (node_client.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from kontor_games.clients.node.node_link import Asking
from kontor_games.clients.values import Data


class MatchOfBots(Protocol):
    """A match of bots in this process."""

    @property
    def is_over(self) -> bool: ...
    def info(self) -> Data:
        """game, title, path, options, seats: [{name, kind}]."""

    def result(self) -> Data | None: ...
    def view(self, seat: int | None) -> Data: ...
    def advance(self) -> list[Data]:
        """One step; what happened: {ply, seat, text, chance, events}."""

    def close(self) -> None:
        """Let go of the match; it is saved."""


class ReplayFile(Protocol):
    """A match to look at."""

    def info(self) -> Data: ...
    def view(self, ply: int, seat: int | None) -> Data: ...
    def digest(self, ply: int) -> str: ...
    def log(self) -> list[Data]: ...
    def result(self) -> Data | None: ...


class Services(Protocol):
    """What the commands need; errors are raised as exceptions whose text is meant for people."""

    def games(self) -> list[Data]:
        """id, title, seats, rules_version, options: [{id, default, allowed, text}]."""

    def bot_kinds(self) -> Sequence[str]:
        """The first is what `bot` means."""

    def new_match(
        self,
        game: str,
        options: Mapping[str, Any],
        seats: Sequence[tuple[str, str]],
        seed: str | None,
        path: str | None,
    ) -> MatchOfBots:
        """Begin a match, or go on with the unfinished one at `path`."""

    def open_replay(self, path: str) -> ReplayFile: ...

    def verify(self, path: str, progress: Callable[[int, int], None] | None) -> Data: ...

    def verify_many(self, paths: Sequence[str], workers: int | None) -> Iterator[Data]:
        """Reports in the order of the files; on all cores unless `workers` says otherwise."""

    def nodes(self, folder: Path) -> Nodes:
        """Nodes as child processes, with their homes in `folder`."""


class Nodes(Protocol):
    """Nodes that run as child processes of this one, by name; each is asked through its API."""

    Silent: type[Exception]

    def __getitem__(self, name: str) -> Asking: ...
    def home(self, name: str) -> Path: ...
    def start(self, *names: str) -> None: ...
    def next(self, patience: float) -> tuple[str, Data]:
        """The next event and its node; raises Silent if there is none in time."""

    def stop(self) -> None: ...
