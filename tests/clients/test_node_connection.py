"""A client's connection through losses and restarts: nothing is done twice, nothing is missed, a stop is a stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kontor_games.clients.node import node_connection
from kontor_games.clients.node.node_connection import AGAIN, FULL, NodeConnection, Restarted, Stopped
from kontor_games.clients.node.node_link import Refused


class Link:
    """A node as scripted: an exception is raised, anything else is the answer; streams are lists of events."""

    def __init__(self, answers: list[Any] = (), streams: list[list[Any]] = ()) -> None:  # type: ignore[assignment]
        self.answers = list(answers)
        self.streams = list(streams)
        self.asked: list[tuple[str, str]] = []
        self.since: list[int | None] = []
        self.is_closed = False

    def another(self) -> Link:
        return self

    def ask(self, method: str, path: str, body: object) -> Any:
        self.asked.append((method, path))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def events(self, since: int | None) -> Iterator[dict[str, Any]]:
        self.since.append(since)
        for event in self.streams.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_connection, "PAUSES", (0.0,))


def connection(link: Link, *later: Link | Exception) -> NodeConnection:
    found = iter(later)

    def find() -> Any:
        link = next(found)
        if isinstance(link, Exception):
            raise link
        return link

    return NodeConnection(link, find)  # type: ignore[arg-type]


def test_a_question_is_asked_again_after_a_restart() -> None:
    dead, alive = Link([ConnectionResetError()]), Link([{"ply": 3}])
    assert connection(dead, alive).get("matches/1") == {"ply": 3}
    assert alive.asked == [("GET", "matches/1")]


def test_what_may_have_been_done_is_not_sent_a_second_time() -> None:
    dead, alive = Link([ConnectionResetError()]), Link([{"ply": 4}])
    node = connection(dead, alive)
    with pytest.raises(Restarted, match="look whether the last step was made"):
        node.post("matches/1/commit", {})
    assert alive.asked == []
    assert node.get("matches/1") == {"ply": 4}


def test_what_nobody_took_is_sent_to_the_node_that_came_back() -> None:
    dead, alive = Link([ConnectionRefusedError()]), Link([{"ply": 4}])
    assert connection(dead, alive).post("matches/1/commit", {}) == {"ply": 4}
    assert alive.asked == [("POST", "matches/1/commit")]


def test_a_refusal_is_an_answer_and_nothing_is_sought() -> None:
    with pytest.raises(Refused, match="not your turn"):
        connection(Link([Refused(409, "turn", "not your turn")])).post("matches/1/commit", {})


def test_a_node_that_was_stopped_is_not_brought_back() -> None:
    with pytest.raises(Stopped):
        connection(Link([ConnectionResetError()]), Stopped()).get("hello")


def test_events_go_on_after_the_last_one_that_was_heard() -> None:
    first = Link(streams=[[{"kind": "open"}, {"kind": "match", "n": 7}, ConnectionResetError()]])
    second = Link(streams=[[{"kind": "open"}, {"kind": "chat", "n": 8}, Refused(404, "gone", "gone")]])
    heard = []
    with pytest.raises(Refused, match="gone"):
        for event in connection(first, second).events(5):
            heard.append(event)
    assert [event["kind"] for event in heard] == ["open", "match", "closed", "open", "chat"]
    assert heard[2]["reason"] == AGAIN
    assert (first.since, second.since) == ([5], [7])


def test_a_node_with_too_many_listeners_is_asked_again_where_it_is() -> None:
    busy = Link(streams=[[Refused(503, "busy", "busy")], [{"kind": "open"}]])
    events = connection(busy).events()
    assert next(events) == {"kind": "closed", "reason": FULL}
    assert next(events) == {"kind": "open"}


def test_a_closed_connection_ends_its_events() -> None:
    link = Link(streams=[[{"kind": "open"}, {"kind": "match", "n": 1}]])
    node = connection(link)
    events = node.events()
    assert next(events) == {"kind": "open"}
    node.close()
    assert [event["kind"] for event in events] == ["match"] and link.is_closed


def test_a_closed_connection_does_not_look_for_a_lost_node() -> None:
    node = connection(Link([ConnectionResetError()]))
    node.close()
    with pytest.raises(ConnectionResetError):
        node.get("hello")
