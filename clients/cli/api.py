"""All that the terminal client knows of a match: plain data (dicts, lists, numbers, texts) behind three protocols.

The entry point hands in an implementation; today the local one, later the node's local API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

Data = dict[str, Any]


class Match(Protocol):
    """A match being played at this screen."""

    def info(self) -> Data:
        """game, title, match, path, options, seats: [{name, kind}], forms."""

    def status(self) -> Data:
        """ply, seat, kind (`person`, `auto`, `over`), draft: [text], closed, result."""

    def view(self, seat: int | None) -> Data:
        """What this seat sees, drafted actions included."""

    def menu(self) -> list[Data]:
        """What the person to act may do: {n, text, target}."""

    def draft(self, text: str) -> str | None:
        """Draft what was typed; the reason if it is refused."""

    def undo(self) -> bool:
        """Take back the last drafted action."""

    def commit(self) -> list[Data]:
        """Make the draft final; what happened."""

    def advance(self) -> list[Data]:
        """One step that no person decides; what happened."""

    def log(self) -> list[Data]:
        """All that happened: {ply, seat, text, chance, events}."""

    def close(self) -> None:
        """Let go of the match; it is saved."""


class Replay(Protocol):
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
    ) -> Match:
        """Begin a match, or go on with the unfinished one at `path`."""

    def resume_match(self, path: str) -> Match: ...

    def open_replay(self, path: str) -> Replay: ...

    def verify(self, path: str, progress: Callable[[int, int], None] | None) -> Data: ...

    def verify_many(self, paths: Sequence[str], workers: int | None) -> Iterator[Data]:
        """Reports in the order of the files; on all cores unless `workers` says otherwise."""

    def nodes(self, folder: Path) -> Nodes:
        """Nodes as child processes, with their homes in `folder`."""

    def identity(self, home: Path | None) -> Data:
        """fingerprint, words, path of this node's key."""

    def with_node(
        self,
        client: Callable[[NodeClient], int],
        sink: Callable[[Data], None],
        home: Path | None,
        bind: str,
        port: int,
        lan: bool = False,
    ) -> int:
        """Run a node, and `client` in a thread beside it; news go to `sink`. Returns the client's exit code."""

    def default_lobby(self, home: Path | None) -> str:
        """The lobby in the settings, empty if there is none."""

    def health(self, bind: str) -> Data:
        """versions: {name: number}, multicast: seconds or None."""


class NetMatch(Match, Protocol):
    """A match with other machines; `info` has words and recovery besides."""

    def standing(self) -> Data:
        """missing: [name], votes: {name: [name]}, stopped."""

    def peers(self) -> int:
        """How many nodes are still at the table."""

    def chat(self, text: str) -> None: ...
    def bye(self) -> None: ...
    def vote(self, names: list[str]) -> None: ...


class NodeClient(Protocol):
    """A node in this process; the calls block until it has answered."""

    def me(self) -> Data:
        """fingerprint, words, addresses."""

    def host(self, game: str, options: Mapping[str, Any], seats: int, recovery: str, spectators: bool) -> str: ...
    def meet(self, address: str, mark: str | None) -> Data: ...
    def enter(self, peer: str, table: str, *addresses: str) -> None: ...
    def lan_tables(self) -> list[Data]: ...
    def lan_trouble(self) -> str | None: ...
    def lobby(self, address: str, name: str, mark: str | None) -> Data: ...
    def lobby_tables(self, lobby: str) -> list[Data]: ...
    def host_in_lobby(
        self,
        lobby: str,
        game: str,
        options: Mapping[str, Any],
        seats: int,
        recovery: str,
        spectators: bool,
        visibility: str,
    ) -> Data: ...
    def enter_in_lobby(self, lobby: str, code: str) -> str: ...
    def queue(self, lobby: str, games: Sequence[str], seats: Sequence[int]) -> None: ...
    def unqueue(self, lobby: str) -> None: ...
    def reply(self, lobby: str, offer: str, yes: bool) -> None: ...
    def grid(self) -> list[Data]: ...
    def sit(self, table: str, seat: int, name: str, kind: str) -> None: ...
    def leave(self, table: str) -> None: ...
    def ready(self, table: str) -> None: ...
    def matches(self) -> list[Data]: ...
    def watch(self, match: str, peer: str, address: str) -> None: ...
    def match(self, match: str) -> NetMatch | None: ...


class Nodes(Protocol):
    """Nodes that run as child processes of this one."""

    Silent: type[Exception]

    def home(self, name: str) -> Path: ...
    def start(self, name: str, arguments: Sequence[str]) -> None: ...
    def next(self) -> tuple[float, str, Data]: ...
    def stop(self) -> None: ...
