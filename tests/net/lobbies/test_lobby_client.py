"""A node's connection to a lobby, when it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from twisted.internet.task import Clock

from kontor_games.net.lobbies.lobby_book import LobbyBook
from kontor_games.net.lobbies.lobby_client import CLOSING_TIME, LobbyClient
from kontor_games.net.wire.identity import Identity


class SlowLink:
    """A connection that the lobby does not let go in time."""

    def __init__(self, client: LobbyClient) -> None:
        self.client = client
        self.said: list[str] = []

    def close(self) -> None:
        self.said.append("close")

    def abort(self) -> None:
        self.said.append("abort")
        self.client._lost("we left", True)


@pytest.mark.parametrize("lets_go_after", [0.5, 60.0])
def test_a_node_that_ends_is_done_however_long_the_lobby_takes_to_let_it_go(
    lets_go_after: float, tmp_path: Path
) -> None:
    clock = Clock()
    owner: Any = None
    client = LobbyClient(clock, Identity.generate(), LobbyBook(tmp_path), "127.0.0.1:1", "Anna", 0, owner)
    link: Any = SlowLink(client)
    client._link = link
    ended: list[None] = []
    client.stop().addCallback(ended.append)
    assert not ended
    if lets_go_after < CLOSING_TIME:
        clock.advance(lets_go_after)
        client._lost("we left", True)
    clock.advance(CLOSING_TIME)
    assert ended == [None] and not clock.getDelayedCalls()
    assert link.said == (["close"] if lets_go_after < CLOSING_TIME else ["close", "abort"])
