"""Nodes and a lobby, each a process: invite code, table, terms, a whole sealed match; and a lobby that dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lobby.child import LobbyProcess
from tests.worlds.lobby_party import LobbyParty

from .test_matches import check_alike


@pytest.fixture
def lobbies(tmp_path: Path) -> Iterator[list[LobbyProcess]]:
    found: list[LobbyProcess] = [LobbyProcess(tmp_path / "lobby")]
    yield found
    for lobby in found:
        if lobby.process.poll() is None:
            lobby.stop()


@pytest.fixture
def parties() -> Iterator[list[LobbyParty]]:
    found: list[LobbyParty] = []
    yield found
    for party in found:
        party.stop()


def test_three_nodes_meet_by_invite_code_and_play_a_sealed_match_that_outlives_the_lobby(
    tmp_path: Path, lobbies: list[LobbyProcess], parties: list[LobbyParty]
) -> None:
    party = LobbyParty(tmp_path / "nodes", lobbies[0], "joban", 3)
    parties.append(party)
    party.begin()
    assert len(party.code) == 9 and len({tuple(words) for words in party.words.values()}) == 1 and len(party.words) == 3
    party.until(lambda: len(party.plies) > 5)
    lobbies[0].kill()  # no running match notices
    party.finish()
    assert check_alike(party) > 20


@pytest.mark.long
def test_after_a_crash_of_the_lobby_the_nodes_are_back_at_their_table_and_play(
    tmp_path: Path, lobbies: list[LobbyProcess], parties: list[LobbyParty]
) -> None:
    party = LobbyParty(tmp_path / "nodes", lobbies[0], "joban", 2)
    parties.append(party)
    party.open()
    party.invite()
    lobbies[0].kill()
    lobbies.append(LobbyProcess(tmp_path / "lobby", lobbies[0].port))
    party.begin()
    party.finish()
    assert check_alike(party) > 20
