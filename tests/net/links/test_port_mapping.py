"""Asking a router for a port: the machine by hand, and a real conversation over UDP on loopback."""

from __future__ import annotations

import ipaddress
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.protocol import DatagramProtocol

from kontor_games.net.links import port_mapper
from kontor_games.net.links.port_mapper import PortMapper
from kontor_games.net.links.port_mapping import (
    FORBIDDEN,
    LATER,
    LIFETIME,
    TRIES,
    MappingState,
    PortGranted,
    PortMapping,
    PortRefused,
    SendToRouter,
)
from tests.worlds.lobby_hall import the_reactor

NONCE = b"n" * 12
PUBLIC = "5.6.7.8"


def mapping() -> PortMapping:
    return PortMapping("192.168.1.20", 4711, NONCE)


def six(host: str) -> bytes:
    return b"\x00" * 10 + b"\xff\xff" + ipaddress.IPv4Address(host).packed


def pcp(
    result: int = 0, port: int = 4711, host: str = PUBLIC, lifetime: int = 3600, epoch: int = 100, **more: Any
) -> bytes:
    nonce, inside = more.get("nonce", NONCE), more.get("inside", 4711)
    head = struct.pack("!BBBBII12x", 2, 0x81, 0, result, lifetime, epoch)
    return head + struct.pack("!12sB3xHH16s", nonce, 6, inside, port, six(host))


def pmp(result: int = 0, port: int = 4711, lifetime: int = 3600, epoch: int = 100, inside: int = 4711) -> bytes:
    return struct.pack("!BBHIHHI", 0, 130, result, epoch, inside, port, lifetime)


def pmp_address(host: str = PUBLIC, result: int = 0) -> bytes:
    return struct.pack("!BBHI4s", 0, 128, result, 100, ipaddress.IPv4Address(host).packed)


def sent(effects: list[Any]) -> list[bytes]:
    return [effect.data for effect in effects if isinstance(effect, SendToRouter)]


def test_pcp_is_asked_as_its_document_says_and_what_is_granted_counts() -> None:
    asked = mapping()
    (request,) = sent(asked.begin(0.0))
    assert len(request) == 60 and request[:8] == struct.pack("!BBHI", 2, 1, 0, LIFETIME)
    assert request[8:24] == six("192.168.1.20") and request[24:36] == NONCE and request[36] == 6
    assert struct.unpack("!HH", request[40:44]) == (4711, 4711)
    assert asked.received(pcp(port=50000), 0.1) == [PortGranted(PUBLIC, 50000, "PCP")]
    assert asked.state is MappingState.HELD and asked.wake_at == pytest.approx(0.1 + 1800)
    (again,) = sent(asked.tick(1800.1))
    assert struct.unpack("!HH", again[40:44]) == (4711, 50000), "the port that we have is asked for again"
    assert asked.received(pcp(port=50000, epoch=1900), 1800.2) == []
    (back,) = sent(asked.stop())
    assert struct.unpack("!I", back[4:8]) == (0,) and asked.wake_at is None


def test_an_older_router_is_asked_in_its_own_language() -> None:
    for says_so in (True, False):
        asked = mapping()
        asked.begin(0.0)
        if says_so:
            effects = asked.received(struct.pack("!BBHI", 0, 129, 1, 100), 0.1)
        else:
            for _ in range(TRIES):
                assert asked.wake_at is not None
                effects = asked.tick(asked.wake_at)
        outside, port = sent(effects)
        assert outside == b"\x00\x00" and port == struct.pack("!BBHHHI", 0, 2, 0, 4711, 4711, LIFETIME)
        assert asked.received(pmp_address(), 9.0) == []
        assert asked.received(pmp(port=6000), 9.1) == [PortGranted(PUBLIC, 6000, "NAT-PMP")]
        assert sent(asked.stop()) == [struct.pack("!BBHHHI", 0, 2, 0, 4711, 0, 0)]


def test_a_port_that_comes_before_the_address_is_asked_for_once_more() -> None:
    asked = mapping()
    asked.begin(0.0)
    asked.received(struct.pack("!BBHI", 0, 129, 1, 100), 0.1)
    assert asked.received(pmp(), 0.2) == [] and asked.received(pmp_address(), 0.3) == []
    assert asked.wake_at is not None and sent(asked.tick(asked.wake_at)) == [
        struct.pack("!BBHHHI", 0, 2, 0, 4711, 4711, LIFETIME)
    ]
    assert asked.received(pmp(), 1.0) == [PortGranted(PUBLIC, 4711, "NAT-PMP")]


def test_a_silent_router_is_given_up_and_asked_again_much_later() -> None:
    asked = mapping()
    asked.begin(0.0)
    effects: list[Any] = []
    now = 0.0
    while asked.state is MappingState.ASKING:
        assert asked.wake_at is not None
        now = asked.wake_at
        effects = asked.tick(now)
    assert effects == [PortRefused("does not answer when it is asked to let other players in")] and now < 10
    assert asked.wake_at == now + LATER and sent(asked.tick(now + LATER))


@pytest.mark.parametrize("host", ["10.0.0.1", "100.64.3.2", "127.0.0.1", "169.254.1.1", "0.0.0.0"])
def test_a_port_behind_a_second_router_is_given_back_and_not_told(host: str) -> None:
    asked = mapping()
    asked.begin(0.0)
    back, refused = asked.received(pcp(host=host), 0.1)
    assert isinstance(back, SendToRouter) and back.data[4:8] == bytes(4)
    assert isinstance(refused, PortRefused) and "another router" in refused.reason and asked.granted is None


@pytest.mark.parametrize(
    "answer",
    [
        pcp(nonce=b"x" * 12),
        pcp(inside=1),
        pcp()[:-1],
        pcp() + b"\x00",
        b"",
        b"\x02",
        pmp_address(),
        b"\x02\x81" + bytes(58),
    ],
)
def test_an_answer_that_is_not_ours_changes_nothing(answer: bytes) -> None:
    asked = mapping()
    asked.begin(0.0)
    if answer[:1] != b"\x00":
        assert asked.received(answer, 0.1) == [] and asked.state is MappingState.ASKING
        assert asked.received(pcp(), 0.2) == [PortGranted(PUBLIC, 4711, "PCP")]
    else:
        assert not any(isinstance(effect, PortGranted) for effect in asked.received(answer, 0.1))


def test_a_port_that_is_lost_at_its_renewal_is_told() -> None:
    asked = mapping()
    asked.begin(0.0)
    asked.received(pcp(), 0.1)
    asked.tick(1800.1)
    assert asked.received(pcp(result=2), 1800.2) == [PortRefused(FORBIDDEN)]


@pytest.mark.parametrize("says", ["no", "nothing", "it is asked"])
def test_a_port_that_the_router_may_have_kept_is_given_back_at_the_end(says: str) -> None:
    asked = mapping()
    asked.begin(0.0)
    if says == "it is asked":  # and grants it when we are gone
        (back,) = sent(asked.stop())
        assert back[4:8] == bytes(4) and back[24:36] == NONCE and struct.unpack("!H", back[40:42]) == (4711,)
        return
    asked.received(pcp(port=50000), 0.1)
    asked.tick(1800.1)
    if says == "no":
        asked.received(pcp(result=2), 1800.2)
    while asked.state is MappingState.ASKING:  # in both languages
        assert asked.wake_at is not None
        asked.tick(asked.wake_at)
    assert asked.granted is None
    (back,) = sent(asked.stop())
    assert back[:1] == b"\x02" and back[4:8] == bytes(4) and struct.unpack("!HH", back[40:44]) == (4711, 50000)
    assert asked.stop() == []


def test_a_restarted_router_that_gives_another_port_is_told_with_both() -> None:
    asked = mapping()
    asked.begin(0.0)
    asked.received(pcp(epoch=90000), 0.1)
    asked.tick(1800.1)
    assert asked.received(pcp(epoch=3, port=999), 1800.2) == [
        PortRefused("was restarted"),
        PortGranted(PUBLIC, 999, "PCP"),
    ]


@given(st.lists(st.binary(max_size=70), max_size=8))
def test_whatever_a_router_says_nothing_breaks(said: list[bytes]) -> None:
    asked = mapping()
    asked.begin(0.0)
    for number, data in enumerate(said):
        asked.received(data, number * 0.01)
        asked.received(bytes([0]) + data, number * 0.01)


class FakeRouter(DatagramProtocol):
    """Grants whatever it is asked for, and notes it."""

    transport: Any

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.returned: Deferred[None] = Deferred()

    def datagramReceived(self, datagram: bytes, addr: Any) -> None:
        self.asked.append(datagram)
        lifetime = struct.unpack("!I", datagram[4:8])[0]
        if lifetime == 0:
            self.returned.callback(None)
            return
        answer = pcp(port=40000, nonce=datagram[24:36], inside=struct.unpack("!H", datagram[40:42])[0])
        self.transport.write(answer, addr)


@ensureDeferred
async def test_over_udp_a_port_is_granted_told_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    router = FakeRouter()
    listening = the_reactor().listenUDP(0, router, interface="127.0.0.1")
    monkeypatch.setattr(port_mapper, "ROUTER_PORT", listening.getHost().port)
    told: list[str] = []
    granted: Deferred[None] = Deferred()

    def changed(outside: str) -> None:
        told.append(outside)
        granted.callback(None)

    mapper = PortMapper(the_reactor(), 4711, changed, lambda: "127.0.0.1")
    try:
        mapper.start()
        mapper.start()
        await granted.addTimeout(10, the_reactor())
        assert told == [f"{PUBLIC}:40000"] and mapper.outside == told[0] and mapper.language == "PCP"
    finally:
        mapper.stop()
        await router.returned.addTimeout(10, the_reactor())
        await listening.stopListening()
