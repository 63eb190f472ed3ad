"""Where a lobby listens, and what it says about that."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.run import welcome
from kontor_games.lobby.server import listening
from kontor_games.lobby.server.listening import addresses_of, endpoint_at
from kontor_games.lobby.settings.config import Config
from kontor_games.net.wire.lobby_messages import ListPeople, MakeTable
from tests.worlds.lobby_hall import Node, the_reactor

from .child import LobbyProcess


@ensureDeferred
async def test_a_lobby_without_settings_is_reached_by_ipv4_and_by_ipv6(tmp_path: Path) -> None:
    """B15: it printed its IPv6 address and did not listen there."""
    host = Config().listen.rpartition(":")[0]
    lobby = LobbyProcess(tmp_path / "data", 0, host=host)
    nodes = [Node("Four"), Node("Six")]
    try:
        four = await nodes[0].come(lobby.port, lobby.key)
        six = await nodes[1].come(lobby.port, lobby.key, source="::1", host="::1")
        assert (four.seen, six.seen) == ("127.0.0.1:4000", "[::1]:4000")  # not ::ffff:127.0.0.1
        assert (await nodes[1].ask(ListPeople())).total == 2
        assert (await nodes[1].ask(MakeTable("osaka", {}, 2))).table
    finally:
        for node in nodes:
            await node.leave()
        lobby.stop()


def test_addresses_are_those_it_listens_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "own_addresses", lambda: ["2001:db8::7", "192.0.2.7"])
    assert addresses_of("[::]:7460", is_ipv6=True) == ["192.0.2.7", "2001:db8::7"]
    assert addresses_of("[::]:7460", is_ipv6=False) == ["192.0.2.7"]
    assert addresses_of("0.0.0.0:7460", is_ipv6=False) == ["192.0.2.7"]
    assert addresses_of("[2001:db8::9]:7460", is_ipv6=True) == ["2001:db8::9"]
    said = welcome(Config(listen="0.0.0.0:7460"), 7460, "abcd", is_ipv6=False)
    assert "192.0.2.7" in said and "2001:db8::7" not in said


def test_a_machine_without_ipv6_listens_by_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(errno.EAFNOSUPPORT, "no such family")

    monkeypatch.setattr(listening, "_both", refuse)
    assert isinstance(endpoint_at(the_reactor(), "[::]:0"), TCP4ServerEndpoint)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket(socket.AF_INET6) as taken:
        taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        taken.bind(("::", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"{port}"):
            endpoint_at(the_reactor(), f"[::]:{port}")


def test_what_is_not_an_address_is_named() -> None:
    with pytest.raises(ConfigError, match="not an address"):
        endpoint_at(the_reactor(), "here")
