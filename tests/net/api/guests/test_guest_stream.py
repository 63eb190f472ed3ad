"""One connection of a phone, with a clock of our own: its deadlines, and what happens while it reads too slowly."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from kontor_games.net.api.guests.guest_session import ASKS, GuestSession
from kontor_games.net.api.guests.guest_stream import (
    BROKEN,
    CLOSING_SECONDS,
    GREETING_SECONDS,
    PING_SECONDS,
    SILENCE_SECONDS,
    FirstWords,
    GuestStream,
)
from kontor_games.net.api.guests.sealed_channel import Credential, DoorEnd
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.router import Router
from kontor_games.net.api.http.tokens import Scope

from .phone import CODE, Phone

GONE = Failure(ConnectionDone())


class Wire:
    """Both transports that a stream sees."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.pings = 0
        self.closed = 0
        self.is_aborted = False
        self.is_read = True

    def sendBytesMessage(self, data: bytes) -> None:
        self.sent.append(data)

    def sendTextMessage(self, text: str) -> None:
        raise AssertionError("a sealed channel has no text")

    def attachProducer(self, producer: Any) -> None: ...

    def detachProducer(self) -> None: ...

    def ping(self, payload: bytes = b"") -> None:
        self.pings += 1

    def loseConnection(self, code: int = 1000) -> None:
        self.closed = code

    def abortConnection(self) -> None:
        self.is_aborted = True

    def registerProducer(self, producer: Any, streaming: bool) -> None: ...

    def unregisterProducer(self) -> None: ...

    def pauseProducing(self) -> None:
        self.is_read = False

    def resumeProducing(self) -> None:
        self.is_read = True


class Room:
    """One phone that everybody knows, and its connection."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.feed = Feed(100)
        self.told = 0
        self.session = GuestSession(
            Router([]), self.feed, lambda: Scope("m", 1), self.about, lambda: None, self.clock.seconds
        )
        self.connect()

    def connect(self) -> Room:
        """Another connection of the phone."""
        self.entered = 0
        self.phone = Phone(CODE)
        self.wire = Wire()
        self.stream = GuestStream(self, self.let_in, self.clock, "192.0.2.7")
        self.stream.negotiationStarted(self.wire)
        self.stream.opened(self.wire)
        return self

    def ask(self, id: str) -> None:
        """A request for something that is not there."""
        box = json.dumps({"ask": {"id": id, "method": "GET", "path": "nothing"}})
        self.stream.bytesMessageReceived(self.phone.seal(box.encode()))

    def about(self) -> dict[str, Any]:
        self.told += 1
        return {"told": self.told}

    def let_in(self) -> None:
        self.entered += 1

    def secret_of(self, credential: Credential, id: bytes) -> bytes | None:
        return None

    def enter(self, end: DoorEnd, words: FirstWords, address: str) -> GuestSession:
        assert address == "192.0.2.7"
        return self.session

    def greet(self) -> Room:
        self.stream.bytesMessageReceived(self.phone.hello)
        self.stream.bytesMessageReceived(self.phone.meet(self.wire.sent.pop()))
        assert self.entered == 0, "whoever has proven nothing is a stranger"
        self.stream.bytesMessageReceived(self.phone.seal(b'{"hello":{"since":100}}'))
        assert self.entered == 1
        return self

    def heard(self) -> list[dict[str, Any]]:
        found = [json.loads(self.phone.open(box)) for box in self.wire.sent]
        self.wire.sent.clear()
        return found

    def wait(self, seconds: float) -> None:
        self.clock.pump([0.5] * int(seconds * 2))


def test_a_stranger_has_some_seconds_to_say_who_it_is() -> None:
    room = Room()
    room.wait(GREETING_SECONDS - 1)
    room.stream.may_take(1)  # one byte now and then buys no time
    assert not room.wire.is_aborted
    room.wait(2)
    assert room.wire.is_aborted and room.entered == 0


def test_a_guest_that_falls_silent_is_asked_and_then_cut() -> None:
    room = Room().greet()
    room.wait(GREETING_SECONDS + PING_SECONDS)
    assert room.wire.pings >= 1 and not room.wire.is_aborted
    room.stream.may_take(8)
    room.wait(SILENCE_SECONDS - PING_SECONDS)
    assert not room.wire.is_aborted, "it has answered a ping"
    room.wait(2 * PING_SECONDS)
    assert room.wire.is_aborted
    room.stream.connectionLost(GONE)
    assert not room.session.is_here and not room.clock.getDelayedCalls()


def test_while_a_phone_reads_too_slowly_nothing_is_read_from_it_and_nothing_piles_up() -> None:
    room = Room().greet()
    room.heard()
    room.stream.pauseProducing()
    assert not room.wire.is_read
    before = room.told
    for _ in range(500):
        room.session.changed()
        room.feed.add("match", "m", ply=1)
        room.session.pump()
    assert room.wire.sent == [] and room.told == before
    room.stream.resumeProducing()
    assert room.wire.is_read
    told = room.heard()
    assert sum("you" in each for each in told) == 1, "what it is now, once"
    assert [each["event"]["n"] for each in told if "event" in each] == list(range(101, 601)), "and nothing is lost"


def test_a_new_connection_is_not_a_new_purse() -> None:
    room = Room().greet()
    for number in range(int(ASKS.burst)):
        room.ask(f"a{number}")
    assert room.wire.closed == 0
    room.connect().greet()
    room.ask("one more")
    assert room.wire.closed == BROKEN, "so many requests in a moment are too many, over however many connections"
    room.wait(2)
    room.connect().greet()
    room.ask("later")
    assert room.wire.closed == 0


def test_a_phone_that_never_catches_up_is_cut() -> None:
    room = Room().greet()
    room.stream.pauseProducing()
    room.wait(SILENCE_SECONDS + PING_SECONDS + 1)
    assert room.wire.is_aborted and room.wire.pings == 0


def test_who_was_told_to_go_has_some_seconds_to_hear_it() -> None:
    room = Room().greet()
    room.heard()
    room.session.end("removed")
    assert room.heard() == [{"end": "removed"}] and room.wire.closed == 4410
    room.stream.bytesMessageReceived(room.phone.seal(b'{"ping":1}'))
    room.stream.may_take(1)
    room.session.changed()
    assert room.wire.sent == [], "it is not listened to, and hears no more"
    room.wait(CLOSING_SECONDS + 1)
    assert room.wire.is_aborted
