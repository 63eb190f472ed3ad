"""A link that another thread closes: whoever asks over it learns at once that it was closed, by one kind of error."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator

import pytest

from kontor_games.clients.node.node_link import NodeLink

SECONDS = 10.0


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A node that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def test_whoever_waits_for_an_answer_learns_that_the_link_was_closed(silent: socket.socket) -> None:
    link = NodeLink(silent.getsockname()[1], "token")
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            link.get("hello")
        except Exception as error:
            raised.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    wire, _ = silent.accept()
    with wire:
        assert wire.recv(1 << 16).startswith(b"GET /api/1/hello")
        link.close()
        asking.join(SECONDS)
    assert [type(error) for error in raised] == [ConnectionAbortedError]


@pytest.mark.parametrize("step", ["request", "getresponse"])
def test_a_link_closed_between_two_steps_says_so(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    link = NodeLink(silent.getsockname()[1], "token")
    plain = getattr(http.client.HTTPConnection, step)

    def closed_meanwhile(self: http.client.HTTPConnection, *arguments: object) -> object:
        if step == "getresponse":
            link.close()
            return plain(self, *arguments)
        done = plain(self, *arguments)
        link.close()
        return done

    monkeypatch.setattr(http.client.HTTPConnection, step, closed_meanwhile)
    with pytest.raises(ConnectionAbortedError, match="closed while the node was asked"):
        link.get("hello")
