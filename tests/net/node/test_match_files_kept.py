"""A full disk costs the matches of a node nothing that cannot be made good, and a power cut no match that has begun."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock

from kontor_games.engine.errors import StoreError
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.lockstep.effects import Completed, Effect, Ended
from kontor_games.net.node.handing_in_matches import Errand
from kontor_games.net.node.node_matches import NodeMatches
from kontor_games.net.node.node_news import MatchBegun, MatchEnded, News
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.wire.ladder_messages import lobby_clause
from kontor_games.net.wire.messages import Clauses
from tests.worlds.world import identity, make_terms

ORIGIN = Origin("lobby.example:7460", b"k" * 32, "Ann", "T" * 16)
RATED = Clauses(rated=lobby_clause(b"k" * 32))


class PlayedMatch:
    """A match as its node sees it; `is_full`: its disk takes no transcript."""

    def __init__(self, folder: Path) -> None:
        self.id = b"m" * 32
        self.files = MatchFiles.of(folder, self.id)
        keys = [identity(number).key for number in range(2)]
        peers = [SimpleNamespace(key=key) for key in keys]
        terms = SimpleNamespace(peers=peers, clauses=RATED, index_of=keys.index)
        self.session = SimpleNamespace(ledger=SimpleNamespace(terms=terms))
        self.is_full = False
        self.tell: Callable[[Effect], None] = lambda effect: None

    def subscribe(self, on_effect: Callable[[Effect], None]) -> None:
        self.tell = on_effect

    def write_transcript(self) -> None:
        if self.is_full:
            raise StoreError("no space left")
        self.files.transcript.write_bytes(b"the file")

    def start(self) -> None:
        """Nothing is to be done."""

    linked = stop = lambda self, *_: None


class Hall:
    """A node's lobbies; remembers what they were told of matches."""

    def __init__(self) -> None:
        self.seen = None
        self.told: list[str] = []
        self.over = lambda origin, match: self.told.append("over")
        self.finished = lambda origin, match, how: self.told.append(how)

    def origin_of(self, table: str) -> Origin:
        return ORIGIN

    def open_again(self, origin: Origin) -> Hall:
        return self


class Evening:
    """A node with one match."""

    def __init__(self, folder: Path) -> None:
        self.hall, self.news = Hall(), list[News]()
        mesh: Any = SimpleNamespace(want=lambda *_: None, linked=(), proven=lambda peer: ())
        hall: Any = self.hall
        self.matches = NodeMatches(Clock(), folder, identity(0), mesh, hall, self.news.append)
        self.match: Any = PlayedMatch(folder)

    def begin(self) -> None:
        self.matches.run(self.match, "T" * 16, {})


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def refuse(*_: object) -> None:
    raise StoreError("no space left")


def test_a_match_is_done_only_when_its_file_is_on_the_disk(evening: Evening) -> None:
    """Nobody takes up a match that is done: a file that was not written by then would never be."""
    evening.begin()
    match = evening.match
    match.is_full = True
    match.tell(Ended("played"))
    match.tell(Completed())
    assert not match.files.is_done and not match.files.transcript.exists()
    assert MatchEnded(match.id) in evening.news and evening.hall.told == ["over", "complete"]
    match.is_full = False
    match.tell(Completed())  # after a restart
    assert match.files.is_done and match.files.transcript.exists()


def test_a_match_whose_lobby_cannot_be_written_down_begins(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was agreed, and the others wait."""
    monkeypatch.setattr(Origin, "write", refuse)
    evening.begin()
    assert evening.news == [MatchBegun(evening.match.id, "T" * 16)]
    assert evening.matches.played == {evening.match.id: evening.match}
    assert evening.matches.origin_of(evening.match.id) == ORIGIN


def test_a_note_for_the_ladder_that_cannot_be_written_keeps_nothing_else_from_being_done(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening.begin()
    monkeypatch.setattr(Errand, "write", refuse)
    evening.match.tell(Ended("played"))
    evening.match.tell(Completed())
    assert evening.match.files.is_done
    assert MatchEnded(evening.match.id) in evening.news and evening.hall.told == ["over", "complete"]


def test_the_names_of_a_matchs_files_are_on_the_disk_before_it_says_anything(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut that took them away would have the match begun again, with another secret and another key."""
    synced: list[set[str]] = []
    sync = os.fsync

    def seen(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode) and os.path.samestat(os.fstat(handle), tmp_path.stat()):
            synced.append({path.suffix for path in tmp_path.iterdir()})
        sync(handle)

    monkeypatch.setattr(os, "fsync", seen)
    raw = make_terms("hansa", 2)
    match = evening.matches.begin("T" * 16, raw, tuple(identity(number).sign("terms", raw) for number in range(2)), {})
    assert match is not None
    match.stop()
    assert synced == [{".secret", ".signed", ".journal"}]
