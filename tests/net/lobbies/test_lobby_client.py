"""A node's connection to a lobby: when somebody waits for it, and when it ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock

from kontor_games.net.lobbies.lobby_book import LobbyBook
from kontor_games.net.lobbies.lobby_client import CLOSING_TIME, HURRY, LobbyClient
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


def test_who_asks_for_a_lobby_that_was_down_for_long_has_it_called_within_a_second(tmp_path: Path) -> None:
    clock = Clock()
    owner: Any = SimpleNamespace(lobby_down=lambda reason, retry: None)
    client = LobbyClient(clock, Identity.generate(), LobbyBook(tmp_path), "127.0.0.1:1", "Anna", 0, owner)
    called: list[float] = []
    client._dial = lambda: called.append(clock.seconds())  # type: ignore[method-assign]
    client.hurry()
    assert not clock.getDelayedCalls(), "nobody is called who was not to be called anyway"
    for _ in range(10):
        client._lost("refused", True)
        waits = clock.getDelayedCalls()[0].getTime() - clock.seconds()
        clock.advance(waits)
    client._lost("refused", True)
    last = clock.seconds()
    client.hurry()
    clock.advance(HURRY / 2)
    client.hurry()  # asking again and again neither hurries more nor puts it off
    clock.advance(HURRY / 2)
    assert called[-1] == last + HURRY
