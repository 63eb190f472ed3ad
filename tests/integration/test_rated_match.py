"""A rated match from the table to the ladder: nodes and a lobby, each a process of its own."""

from __future__ import annotations

import time
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


@pytest.mark.long
def test_a_rated_match_is_said_before_people_agree_and_counted_when_it_is_over(tmp_path: Path) -> None:
    settings = tmp_path / "lobby.toml"
    settings.write_text("[ladder]\nenabled = true\nprograms = true\n")
    lobby = LobbyProcess(tmp_path / "lobby", 0, "--config", str(settings))
    party = RatedParty(tmp_path / "nodes", lobby, "joban", 2)
    try:
        party.open()
        table = party.nodes[party.names[0]].get(f"tables/{party.table}")
        (text,) = [said["text"] for said in table["says"] if said["id"] == "rated"]
        assert table["rated"] and "every hand" in text and "public" in text
        party.invite()
        party.begin()
        party.finish()
        source = FolderLadder(tmp_path / "lobby" / "ladder" / "published")
        until = time.monotonic() + PATIENCE
        while page_in(source.manifest()).said["counted"] < 1:
            assert time.monotonic() < until, "the match was not counted"
            time.sleep(0.2)
    finally:
        party.stop()
        lobby.stop()
    done = CliRunner().invoke(kontor, ["ladder", "check", str(tmp_path / "lobby" / "ladder" / "published")])
    assert done.exit_code == 0 and "1 file, 1 match, 2 ratings" in done.output, done.output
