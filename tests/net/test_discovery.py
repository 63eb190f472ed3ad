"""Tables on the local network: what is announced is read back, what is malformed is not; on loopback."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from zeroconf import ServiceInfo

from engine.errors import ConfigError, RemoteError
from net.address import own_addresses
from net.discovery import Lan
from net.offer import SERVICE, Offer, read_offer, write_offer
from tests.net.doubles import Recorder, identity

OFFER = Offer(identity(1).key, "t-1", "hansa", "Jürgen", 4, 2, ("127.0.0.1:4000",))


def as_sent(offer: Offer) -> dict[bytes, bytes | None]:
    return {name.encode(): value.encode() for name, value in write_offer(offer).items()}


def test_an_offer_is_read_as_it_was_written() -> None:
    assert read_offer(as_sent(OFFER), ["127.0.0.1"], 4000) == OFFER
    six = read_offer({**as_sent(OFFER), b"more": b"later versions may add"}, ["fe80::1%eth0", "::1"], 5)
    assert six.addresses == ("[fe80::1%eth0]:5", "[::1]:5")


MALFORMED: dict[str, dict[bytes, bytes | None]] = {
    "another version": {b"v": b"2"},
    "no version": {b"v": None},
    "key": {b"key": b"00"},
    "key is no hex": {b"key": b"zz" * 32},
    "table": {b"table": b"a b"},
    "game": {b"game": b"HANSA"},
    "host": {b"host": "A\u202en".encode()},
    "host too long": {b"host": b"x" * 255},
    "host is no text": {b"host": b"\xff"},
    "seats": {b"seats": b"99"},
    "seats is no number": {b"seats": b"x"},
    "taken": {b"taken": b"5"},
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_announcement_is_refused(name: str) -> None:
    with pytest.raises(RemoteError):
        read_offer({**as_sent(OFFER), **MALFORMED[name]}, ["127.0.0.1"], 4000)


def test_an_announcement_without_a_usable_address_is_refused() -> None:
    for hosts, port in (([], 4000), (["127.0.0.1"], 0), (["nonsense:"], 5)):
        with pytest.raises(RemoteError):
            read_offer(as_sent(OFFER), hosts, port)


@given(st.dictionaries(st.sampled_from([b"v", b"key", b"table", b"game", b"host", b"seats", b"taken"]), st.binary()))
def test_any_announcement_is_survived(properties: dict[bytes, bytes]) -> None:
    try:
        offer = read_offer({**as_sent(OFFER), **properties}, ["127.0.0.1"], 1)
    except RemoteError:
        return
    assert read_offer(as_sent(offer), ["127.0.0.1"], 1) == offer


def test_own_addresses_are_addresses_others_can_use() -> None:
    assert not any(address.startswith("127.") or address == "::1" for address in own_addresses())


@dataclass
class Ear(Recorder):
    """Notes which tables are offered now."""

    table: str = ""  # other tests may be on the network at the same time
    offers: dict[str, Offer] = field(default_factory=dict)

    def offer_seen(self, name: str, offer: Offer) -> None:
        if offer.table == self.table:
            self.offers[name] = offer
        self.look()

    def offer_gone(self, name: str) -> None:
        self.offers.pop(name, None)
        self.look()


def an_offer() -> Offer:
    return msgspec.structs.replace(OFFER, table=os.urandom(6).hex())


def the_reactor() -> Any:
    from twisted.internet import reactor

    return reactor


@ensureDeferred
async def test_a_table_appears_changes_and_disappears_on_the_network() -> None:
    offer = an_offer()
    ear, mouth = Ear(table=offer.table), Ear(table=offer.table)
    listener, host = (Lan(the_reactor(), owner, ["127.0.0.1"]) for owner in (ear, mouth))
    try:
        await listener.start()
        await host.start()
        await host.announce(offer, 4000)
        await ear.until(lambda: list(ear.offers.values()) == [offer])
        fuller = msgspec.structs.replace(offer, taken=3)
        await host.announce(fuller, 4000)
        await ear.until(lambda: list(ear.offers.values()) == [fuller])
        await host.withdraw()
        await ear.until(lambda: not ear.offers)
        assert not mouth.offers  # nobody is told of its own table
    finally:
        await host.stop()
        await listener.stop()


@ensureDeferred
async def test_a_host_that_stops_takes_its_table_along_and_garbage_is_not_shown() -> None:
    offer = an_offer()
    ear = Ear(table=offer.table)
    listener, host = (Lan(the_reactor(), owner, ["127.0.0.1"]) for owner in (ear, Ear()))
    try:
        await listener.start()
        await host.start()
        await host._in_thread(lambda: _announce_garbage(host))
        await host.announce(offer, 4000)
        await ear.until(lambda: list(ear.offers.values()) == [offer])
        await host.stop()
        await ear.until(lambda: not ear.offers)
    finally:
        await host.stop()
        await listener.stop()


def _announce_garbage(host: Lan) -> None:
    assert host._zeroconf is not None
    name = f"garbage-{os.urandom(4).hex()}.{SERVICE}"
    info = ServiceInfo(
        SERVICE, name, port=1, properties={"v": "1", "key": "?"}, server="g.local.", parsed_addresses=["127.0.0.1"]
    )
    host._zeroconf.register_service(info)


@ensureDeferred
async def test_announcing_before_the_start_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="not listened to yet"):
        await Lan(the_reactor(), Ear(), ["127.0.0.1"]).announce(OFFER, 4000)
