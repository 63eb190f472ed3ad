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


class MatchArchive(Protocol):
    """Many match files, judged together."""

    total: int

    def verify(
        self,
        jobs: int | None = None,
        cache: str | None = None,
        demand: Callable[[Data], Data] = lambda report: report,
        tick: Callable[[int, Mapping[str, int]], None] = lambda done, verdicts: None,
        time_limit: float | None = None,
        cluster: str | None = None,
        warn: Callable[[str], None] = lambda words: None,
    ) -> Iterator[Data]:
        """Reports in the order of the files, as `demand` makes them; `tick` hears how many files are judged."""

    def why_not_report(self, path: str) -> str | None:
        """Why no report can be written there; None if it can."""

    def write_report(self, path: str) -> None:
        """What was found so far, as a file; its ending says what kind."""

    def why_not_stats(self, path: str) -> str | None:
        """Why no page with statistics can be written there; None if it can."""

    def why_not_export(self, folder: str) -> str | None:
        """Why no tables can be written into a folder; None if they can."""

    def stats(self, tick: Callable[[int, int], None]) -> Data:
        """What all verified matches come to: games, people, left_out; `tick` hears how many of how many are done."""

    def write_stats(self, path: str, stats: Data) -> None:
        """Statistics as a page with plots."""

    def export(self, folder: str, tick: Callable[[int, int], None]) -> int:
        """All verified matches as tables in a folder; how many there were."""

    def summary(self) -> Data:
        """What was found so far: files, told, verdicts, matches, people, names, clashes, known."""

    def close(self) -> None: ...


class EventBook(Protocol):
    """An event in its folder; looking also works with a copy of its event.txt."""

    def add(self, key: str, name: str) -> None: ...
    def drop(self, who: str) -> str:
        """By name or the beginning of a key; the name."""

    def draw(self, anyway: bool) -> int:
        """The number of the round that was drawn."""

    def end(self, anyway: bool) -> None: ...
    def hand_in(self, paths: Sequence[str], cache: str | None, tick: Callable[[int, int], None]) -> Iterator[Data]:
        """For each file: path, round, table, fault (empty: it counts), text."""

    def shown(self) -> Data:
        """settings, declared, title, players, rounds, standings, tie_breaks, missing, is_over, records, tip."""

    def invitation(self, key: str) -> Data:
        """The table of this key in the round under way."""

    def write_page(self, path: Path) -> None: ...
    def write_csv(self, path: Path) -> None: ...
    def check(self, cache: str | None, older: Path | None, tick: Callable[[int, int], None]) -> Data:
        """code, faults, not_judged, notes, has_files, event."""


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

    def analyse(self, path: str, budget: int | None, jobs: int | None, progress: Callable[[int, int], None]) -> Data:
        """What an expert thinks of the match: curve, decisions, and the match's own info, turns and result.

        Without a budget: the one of the analysis that was begun before, or the usual one.
        """

    def verify(self, path: str, progress: Callable[[int, int], None] | None) -> Data: ...

    def check_ladder(self, place: str, jobs: int, key: str | None, tick: Callable[[int, int], None]) -> Data:
        """What computing a published ladder again has found: code, title, keeper, figures, differences."""

    def ladder_page(self, place: str) -> Data:
        """What a published ladder says, signed by its keeper."""

    def count_files(self, folder: str, files: Sequence[str], title: str, jobs: int) -> Data:
        """Hand files to the ladder in a folder, kept with this node's key: files (path, state, reason), counted, …"""

    def hide_name(self, folder: str, key: str) -> None:
        """Remove a person's name from that ladder."""

    def archive(self, names: Sequence[str]) -> MatchArchive:
        """The match files of these names: files as they are, folders with all match files in them."""

    def new_tournament(self, folder: Path, wish: Mapping[str, Any]) -> None:
        """Declare an event in a new folder, signed with this user's key."""

    def tournament(self, path: Path) -> EventBook: ...

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
