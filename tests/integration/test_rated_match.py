"""A rated match from the table to the ladder: nodes and a lobby, each a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from kontor_games.clients.entry import kontor
from kontor_games.lobby.ladder.manifest import page_in
from kontor_games.lobby.ladder.published import FolderLadder
from tests.lobby.child import LobbyProcess
from tests.worlds.lobby_party import LobbyParty
from tests.worlds.party import PATIENCE


class RatedParty(LobbyParty):
    """A party whose table is rated."""

    def open(self) -> None:
        self._wish["rated"] = True
        super().open()


class RatedEvening:
    """A lobby that keeps a ladder, on which programs count too, and two nodes that play for it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._settings = folder, folder / "lobby.toml"
        self._settings.write_text("[ladder]\nenabled = true\nprograms = true\n")
        self.lobby = self._start(0)
        self.party = RatedParty(folder / "nodes", self.lobby, "joban", 2)

    def _start(self, port: int) -> LobbyProcess:
        return LobbyProcess(self._folder / "lobby", port, "--config", str(self._settings))

    def restart_lobby(self) -> None:
        self.lobby = self._start(self.lobby.port)


@contextmanager
def rated_evening(folder: Path) -> Iterator[RatedEvening]:
    """The evening; at its end the one match was counted, and anybody can compute that again."""
    evening = RatedEvening(folder)
    try:
        yield evening
        counted(folder)
    finally:
        evening.party.stop()
        evening.lobby.stop()
    assert_checked(folder)


@pytest.mark.long
def test_a_rated_match_is_said_before_people_agree_and_counted_when_it_is_over(tmp_path: Path) -> None:
    with rated_evening(tmp_path) as evening:
        party = evening.party
        party.open()
        table = party.nodes[party.names[0]].get(f"tables/{party.table}")
        (text,) = [said["text"] for said in table["says"] if said["id"] == "rated"]
        assert table["rated"] and "every hand" in text and "public" in text
        party.invite()
        party.begin()
        party.finish()


@pytest.mark.long
def test_a_match_that_ends_while_the_lobby_is_away_is_handed_in_after_everybody_was_started_again(
    tmp_path: Path,
) -> None:
    with rated_evening(tmp_path) as evening:
        party = evening.party
        party.begin()
        evening.lobby.kill()
        party.until(lambda: party.completed >= set(party.names))
        for name in party.names:
            party.kill(name)
        evening.restart_lobby()
        party.restart(*party.names)


def counted(folder: Path) -> None:
    """Wait until the ladder has counted the match."""
    source = FolderLadder(folder / "lobby" / "ladder" / "published")
    until = time.monotonic() + 2 * PATIENCE
    while page_in(source.manifest()).said["counted"] < 1:
        assert time.monotonic() < until, "the match was not counted"
        time.sleep(0.2)


def assert_checked(folder: Path) -> None:
    """Anybody can compute it again."""
    done = CliRunner().invoke(kontor, ["ladder", "check", str(folder / "lobby" / "ladder" / "published")])
    assert done.exit_code == 0 and "1 file, 1 match, 2 ratings" in done.output, done.output
