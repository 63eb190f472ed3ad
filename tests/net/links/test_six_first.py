"""What a lobby answers about a hole, and by which kind of addresses two nodes look for one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import DNSLookupError
from twisted.internet.task import Clock

from kontor_games.net.links import punch_endpoint
from kontor_games.net.links.claims import Witness
from kontor_games.net.links.hole_answers import (
    ABSENT,
    MAX_PLACE,
    MIXED,
    ONE_ROUTER,
    UNFIT,
    PlaceReader,
    PlaceRefused,
    PlaceTold,
    place_of,
    refusal_of,
)
from kontor_games.net.links.punch_endpoint import Hole, HoleMeans, NoHole, PunchEndpoint
from kontor_games.net.links.way_notes import MAX_NOTED, SixFirst
from kontor_games.net.wire.way_messages import REFUSED, PunchPass

TOKEN = b"t" * 32
LOW, HIGH = b"a" * 32, b"b" * 32


@given(st.lists(st.binary(min_size=1, max_size=80), max_size=8))
def test_whatever_a_lobby_answers_it_counts_once_and_nothing_is_kept(said: list[bytes]) -> None:
    reader = PlaceReader()
    answers = [answer for answer in (*(reader.feed(data) for data in said), reader.ended()) if answer is not None]
    assert len(answers) == 1
    for _ in range(3):
        assert reader.feed(b"x" * 1_000_000) is None
    assert len(reader._heard) <= len(said) * (2 + MAX_PLACE) < 1000


@given(st.integers(1, 100))
def test_an_answer_may_come_in_pieces_of_any_size(size: int) -> None:
    told = {
        place_of("203.0.113.5", 4711): PlaceTold("203.0.113.5:4711"),
        place_of("2001:db8::1", 65535): PlaceTold("[2001:db8::1]:65535"),
        **{refusal_of(kind): PlaceRefused(kind) for kind in (MIXED, ONE_ROUTER, ABSENT)},
        REFUSED: PlaceRefused(UNFIT),  # an older lobby
        b"": PlaceRefused(ABSENT),
        b"HTTP/1.1 400": PlaceRefused(UNFIT),
    }
    for data, expected in told.items():
        reader = PlaceReader()
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        answers = [answer for answer in (*(reader.feed(piece) for piece in pieces), reader.ended()) if answer]
        assert answers == [expected]


class SixReactor(Clock):
    """Resolves one name, and notes where is called from which kind of port."""

    def __init__(self, has_four: bool = True) -> None:
        super().__init__()
        self.has_four = has_four
        self.called: list[str] = []

    def resolve(self, name: str) -> Deferred[str]:
        return succeed("203.0.113.1") if name == "lobby.test" and self.has_four else fail(DNSLookupError())

    def listenTCP(self, port: Any, factory: Any, interface: str = "") -> FakePort:
        assert (interface == "::") == (port._address == "::"), "Twisted takes the kind of addresses from the interface"
        return FakePort()

    def connectTCP(self, host: str, port: int, factory: Any, bindAddress: Any, timeout: float = 0.0) -> None:
        assert bindAddress._address == ("::" if ":" in host else "")
        self.called.append(host)
        factory.startedConnecting(self)

    def getDestination(self) -> str:
        """Of a call that goes on."""
        return self.called[-1]

    def stopConnecting(self) -> None:
        """It is called off."""


class FakePort:
    """What an attempt listens on."""

    port = 40000

    def getHost(self) -> FakePort:
        return self

    def stopListening(self) -> None:
        pass


def asked_twice(reactor: SixReactor, lobby: str, means: HoleMeans, is_client: bool = True) -> list[Any]:
    """An attempt with a lobby that is reached by IPv6 and sees no way for the two; what is told when it is over."""
    passes: list[None] = []

    def give() -> Deferred[PunchPass]:
        passes.append(None)
        return succeed(PunchPass("ABCD" * 4, HIGH, TOKEN, TOKEN, 0))

    made: list[Any] = []
    begin = punch_endpoint._Punch.begin

    def noted(self: Any, given: Any) -> Any:
        made.append(self)
        return begin(self, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(punch_endpoint._Punch, "begin", noted)
        endpoint = PunchEndpoint(Hole(reactor, lobby, Witness("2001:db8::1"), HIGH, is_client, means), give)
        told: list[Any] = []
        endpoint.connect(None).addErrback(lambda failure: told.append(failure.value))
        made[-1].place_refused(MIXED)
        reactor.advance(punch_endpoint.ONCE_MORE)
        if len(made) == 2:
            made[-1].place_refused(MIXED)
    assert len(passes) == len(made) == (2 if is_client else 1)
    assert [type(error) for error in told] == [NoHole] and not reactor.getDelayedCalls()
    return told


def test_where_the_lobby_sees_two_kinds_of_addresses_whoever_has_both_comes_by_ipv4() -> None:
    reactor, means = SixReactor(), HoleMeans()
    asked_twice(reactor, "lobby.test:7460", means)
    assert reactor.called == ["2001:db8::1", "203.0.113.1"]
    asked_twice(reactor, "lobby.test:7460", means, is_client=False)
    assert reactor.called[2:] == ["203.0.113.1"] and means.six_first.is_by_four(HIGH), "it stays so for this peer"
    assert not means.six_first.is_by_four(LOW)


def test_a_lobby_that_has_no_ipv4_or_is_known_by_its_number_is_called_where_it_was_reached() -> None:
    reactor, means = SixReactor(), HoleMeans()
    asked_twice(reactor, "[2001:db8::1]:7460", means)
    assert reactor.called == ["2001:db8::1"] * 2
    reactor, means = SixReactor(has_four=False), HoleMeans()
    asked_twice(reactor, "lobby.test:7460", means, is_client=False)
    hole = Hole(reactor, "lobby.test:7460", Witness("2001:db8::1"), HIGH, False, means)
    endpoint = PunchEndpoint(hole, lambda: succeed(PunchPass("ABCD" * 4, HIGH, TOKEN, TOKEN, 0)))
    failed: list[Any] = []
    endpoint.connect(None).addErrback(failed.append)
    assert failed and not means.six_first.is_by_four(HIGH), "next time it is IPv6 again"


def test_of_ever_more_peers_by_ipv4_the_oldest_is_forgotten() -> None:
    first = SixFirst()
    for number in range(MAX_NOTED + 1):
        first.mixed(bytes([number // 256, number % 256]), "2001:db8::1")
    assert not first.is_by_four(bytes(2)) and first.is_by_four(bytes([MAX_NOTED // 256, MAX_NOTED % 256]))
    first.mixed(LOW, "203.0.113.1")
    assert not first.is_by_four(LOW), "by IPv4 there is nothing else to offer"
