"""The event stream by itself: what is told is on its way at once, and waits while the client reads slowly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from twisted.internet.task import Clock

from kontor_games.engine import Reason
from kontor_games.net.api.http.event_stream import EventStream
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.to_json import to_json
from kontor_games.net.api.http.tokens import Scope


class Wire:
    """A socket that notes what the kernel got."""

    connected = True
    disconnecting = False

    def __init__(self) -> None:
        self.gathered: list[str] = []
        self.out: list[str] = []

    def sendTextMessage(self, text: str) -> None:
        self.gathered.append(text)

    def doWrite(self) -> None:
        self.out += self.gathered
        self.gathered.clear()

    def registerProducer(self, producer: Any, streaming: bool) -> None: ...

    def unregisterProducer(self) -> None: ...


def test_an_event_is_on_its_way_before_the_node_goes_on_and_none_is_lost_while_the_client_is_slow() -> None:
    feed, wire = Feed(10), Wire()
    stream = EventStream(feed, Scope(), 10, Clock(), lambda _: None)
    stream.negotiationStarted(wire)  # type: ignore[arg-type]
    stream.opened(wire)
    feed.add("first")
    assert [json.loads(text)["kind"] for text in wire.out] == ["first"]
    stream.pauseProducing()
    feed.add("second")
    feed.add("third")
    assert len(wire.out) == 1 and not wire.gathered
    stream.resumeProducing()
    assert [json.loads(text)["n"] for text in wire.out] == [11, 12, 13]


def test_a_connection_that_is_being_closed_is_left_to_the_reactor() -> None:
    feed, wire = Feed(0), Wire()
    stream = EventStream(feed, Scope(), 0, Clock(), lambda _: None)
    stream.negotiationStarted(wire)  # type: ignore[arg-type]
    stream.opened(wire)
    wire.disconnecting = True
    feed.add("late")
    assert wire.gathered and not wire.out


def test_json_is_short_and_takes_names_of_files_that_are_no_text() -> None:
    assert to_json({"a": (1, "ö"), "b": None, 3: True}) == '{"a":[1,"ö"],"b":null,"3":true}'.encode()
    assert json.loads(to_json({"name": "match\udcff.kontor"})) == {"name": "match?.kontor"}


def test_a_reason_is_told_as_its_sentence_and_what_is_not_data_is_refused() -> None:
    assert to_json({"why": Reason("no_card", "you have {n} cards", n=0)}) == b'{"why":"you have 0 cards"}'
    with pytest.raises(TypeError, match="object has no JSON"):
        to_json({"why": object()})


def test_what_hides_or_turns_text_shows_as_a_dot_and_nothing_else_is_touched() -> None:
    hostile = "An\u202ena\u200b\u2066\u2028\ufeff\x7f\x9b\U000e0041"
    assert json.loads(to_json({"name": hostile}))["name"] == "An·na·······"
    honest = [
        "J\u00fcrgen",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f52c\ufe0f",
        "a\nb\tc",
    ]
    assert json.loads(to_json(honest)) == honest, "joiners and marks of honest writing pass"
