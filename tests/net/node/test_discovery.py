"""Tables on the local network: what is announced is read back, what is malformed is not; on loopback."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock
from zeroconf import ServiceInfo, ServiceStateChange

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.api.network.table_data import offer_data
from kontor_games.net.node import discovery
from kontor_games.net.node.discovery import MAX_OFFERS, MAX_OWN, Lan
from kontor_games.net.node.lan_board import LanBoard
from kontor_games.net.node.whereabouts import Whereabouts
from kontor_games.net.wire.address import own_addresses
from kontor_games.net.wire.lan_offer import SERVICE, Announcement, read_offer, write_offer
from tests.worlds.doubles import Recorder, identity

OFFER = Announcement(identity(1).key, "t-1", "hansa", "Jürgen", 4, 2, ("127.0.0.1:4000",))


def as_sent(offer: Announcement) -> dict[bytes, bytes | None]:
    return {name.encode(): value.encode() for name, value in write_offer(offer).items()}


def test_an_offer_is_read_as_it_was_written() -> None:
    assert read_offer(as_sent(OFFER), ["127.0.0.1"], 4000) == OFFER
    six = read_offer({**as_sent(OFFER), b"more": b"later versions may add"}, ["fe80::1%eth0", "::1"], 5)
    assert six.addresses == ("[fe80::1%eth0]:5", "[::1]:5")


def test_an_announcement_of_an_older_host_says_that_it_has_to_update() -> None:
    sent = as_sent(OFFER)
    assert sent.pop(b"protocol") == b"2"
    older = read_offer(sent, ["127.0.0.1"], 4000)
    assert older.protocol == 1 and offer_data(OFFER)["updates"] == []
    assert offer_data(older)["updates"] == [
        "Jürgen runs an older Kontor (protocol 1); a match with you needs protocol 2. Update Jürgen's Kontor."
    ]
    newer = read_offer({**sent, b"protocol": b"3"}, ["127.0.0.1"], 4000)
    assert offer_data(newer)["updates"] == ["This table needs protocol 3, your Kontor speaks 2: update your Kontor."]


MALFORMED: dict[str, dict[bytes, bytes | None]] = {
    "another version": {b"v": b"2"},
    "no version": {b"v": None},
    "key": {b"key": b"00"},
    "key is not hex": {b"key": b"zz" * 32},
    "table": {b"table": b"a b"},
    "game": {b"game": b"HANSA"},
    "host": {b"host": "A\u202en".encode()},
    "host too long": {b"host": b"x" * 255},
    "host is not text": {b"host": b"\xff"},
    "seats": {b"seats": b"99"},
    "seats is not a number": {b"seats": b"x"},
    "taken": {b"taken": b"5"},
    "protocol": {b"protocol": b"0"},
    "protocol is not a number": {b"protocol": b"two"},
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


def test_where_the_system_does_not_tell_them_there_are_no_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a service without netlink, whose lobby ended at its start with «address family not supported»."""

    def refused() -> list[object]:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr("ifaddr.get_adapters", refused)
    assert own_addresses() == []


@dataclass
class Ear(Recorder):
    """Notes which tables are offered now."""

    table: str = ""  # other tests may be on the network at the same time
    offers: dict[str, Announcement] = field(default_factory=dict)

    def offer_seen(self, name: str, offer: Announcement) -> None:
        if offer.table == self.table:
            self.offers[name] = offer
        self.look()

    def offer_gone(self, name: str) -> None:
        self.offers.pop(name, None)
        self.look()


def an_offer() -> Announcement:
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
        await host.announce([offer], 4000)
        await ear.until(lambda: list(ear.offers.values()) == [offer])
        fuller = msgspec.structs.replace(offer, taken=3)
        await host.announce([fuller], 4000)
        await ear.until(lambda: list(ear.offers.values()) == [fuller])
        await host.announce([], 4000)
        await ear.until(lambda: not ear.offers)
        assert not mouth.offers  # nobody is told of its own table
    finally:
        await host.stop()
        await listener.stop()


@pytest.mark.slow
@ensureDeferred
async def test_a_node_with_several_tables_announces_each_and_takes_back_only_what_is_gone() -> None:
    first, second, third = an_offer(), an_offer(), an_offer()
    ears = [Ear(table=offer.table) for offer in (first, second, third)]
    listeners = [Lan(the_reactor(), ear, ["127.0.0.1"]) for ear in ears]
    host = Lan(the_reactor(), Ear(), ["127.0.0.1"])
    try:
        for lan in (*listeners, host):
            await lan.start()
        await host.announce([first, second], 4000)
        for ear, offer in zip(ears, (first, second), strict=False):
            await ear.until(lambda ear=ear, offer=offer: list(ear.offers.values()) == [offer])
        await host.announce([second, third], 4000)
        await ears[0].until(lambda: not ears[0].offers, seconds=2)  # a goodbye, not a record that has grown old
        await ears[2].until(lambda: list(ears[2].offers.values()) == [third])
        assert list(ears[1].offers.values()) == [second]
        many = [an_offer() for _ in range(MAX_OWN + 3)]
        await host.announce(many, 4000)
        assert list(host._mine) == [offer.table for offer in many[:MAX_OWN]]
    finally:
        for lan in (*listeners, host):
            await lan.stop()


@ensureDeferred
async def test_a_host_that_stops_takes_its_table_along_and_garbage_is_not_shown() -> None:
    offer = an_offer()
    ear = Ear(table=offer.table)
    listener, host = (Lan(the_reactor(), owner, ["127.0.0.1"]) for owner in (ear, Ear()))
    try:
        await listener.start()
        await host.start()
        await host._in_thread(lambda: _announce_garbage(host))
        await host.announce([offer], 4000)
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


def forged(number: int, host: str) -> Announcement:
    """A table that nobody keeps."""
    table, address = f"forged-{number}", f"{host}:{1024 + number}"
    return Announcement(identity(1000 + number).key, table, "hansa", f"Eve {number}", 4, 0, (address,))


@pytest.mark.parametrize(
    ("count", "hosts"),
    [
        (1000, [f"192.168.1.{number}" for number in range(1, 255)]),
        (3000, ["192.168.1.66", "192.168.1.67"]),
        (3000, ["8.8.8.8", "9.9.9.9"]),
    ],
)
def test_thousands_of_forged_tables_leave_room_for_a_true_one_that_comes_last(count: int, hosts: list[str]) -> None:
    ear = Ear(table="t-1")
    lan = Lan(None, ear, ["127.0.0.1"])
    shown: dict[str, Announcement] = {}
    ear.offer_seen = shown.__setitem__  # type: ignore[method-assign]
    ear.offer_gone = shown.__delitem__  # type: ignore[method-assign]
    for number in range(count):
        lan._tell(f"forged {number}", forged(number, hosts[number % len(hosts)]))
    lan._tell("true", msgspec.structs.replace(OFFER, addresses=("192.168.1.7:4000",)))
    assert "true" in shown and len(shown) <= MAX_OFFERS
    fuller = msgspec.structs.replace(shown["true"], taken=3)
    lan._tell("true", fuller)
    assert shown["true"] == fuller
    lan._tell("true", None)
    assert "true" not in shown


def test_names_without_details_behind_them_are_asked_about_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Empty(ServiceInfo):
        def load_from_cache(self, zeroconf: Any, now: Any = None) -> bool:
            return False

        def request(self, zeroconf: Any, timeout: float, *more: Any, **most: Any) -> bool:
            asked.append(self.name)
            return False

    monkeypatch.setattr(discovery, "ServiceInfo", Empty)
    lan = Lan(the_reactor(), Ear(), ["127.0.0.1"])
    for number in range(1000):
        lan._noticed(None, SERVICE, f"empty-{number}.{SERVICE}", ServiceStateChange.Added)  # type: ignore[arg-type]
    assert 1 <= len(asked) <= discovery.QUESTIONS.burst + 1


def test_an_announcement_that_breaks_the_reader_ends_nothing(nothing_left_behind: list[str]) -> None:
    lan = Lan(the_reactor(), Ear(), ["127.0.0.1"])
    lan._noticed(None, SERVICE, f"x.{SERVICE}", ServiceStateChange.Added)  # type: ignore[arg-type]
    assert nothing_left_behind, "the log tells"
    nothing_left_behind.clear()
    lan._noticed(None, SERVICE, "not a name of ours", ServiceStateChange.Added)  # type: ignore[arg-type]


@ensureDeferred
async def test_an_oversized_record_is_not_shown_and_the_true_table_is() -> None:
    offer = an_offer()
    ear = Ear(table=offer.table)
    listener, host = (Lan(the_reactor(), owner, ["127.0.0.1"]) for owner in (ear, Ear()))
    fat = {**write_offer(offer), **{f"x{number}": "y" * 200 for number in range(30)}, "host": "z" * 200}
    try:
        await listener.start()
        await host.start()
        name = f"fat-{os.urandom(4).hex()}.{SERVICE}"
        info = ServiceInfo(
            SERVICE, name, port=1, properties=fat, server=f"{name[:12]}.local.", parsed_addresses=["127.0.0.1"]
        )
        await host._in_thread(lambda: host._zeroconf.register_service(info))  # type: ignore[union-attr]
        await host.announce([offer], 4000)
        await ear.until(lambda: list(ear.offers.values()) == [offer])
    finally:
        await host.stop()
        await listener.stop()


class Host:
    """As much of a node as the board of the local network needs."""

    key = identity(9).key
    where = Whereabouts()


def test_nobody_takes_the_number_of_anothers_table_and_many_changes_are_told_once() -> None:
    clock, told = Clock(), []
    board = LanBoard(clock, Host(), "127.0.0.1", lambda: told.append(1))  # type: ignore[arg-type]
    board.offer_seen("true", OFFER)
    board.offer_seen("thief", msgspec.structs.replace(OFFER, key=identity(2).key, host="Eve"))
    board.offer_seen("ours", msgspec.structs.replace(OFFER, key=Host.key, table="t-9"))
    assert board.offers == {"true": OFFER}
    for number in range(1000):
        board.offer_seen(f"forged {number}", forged(number, "192.168.1.66"))
    clock.pump([0.05] * 4)
    assert told == [1]
    assert board.heard_at(OFFER.key) == set(OFFER.addresses)
    board.offer_gone("true")
    clock.advance(1.0)
    assert told == [1, 1] and "true" not in board.offers


@ensureDeferred
async def test_announcing_before_the_start_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="not listened to yet"):
        await Lan(the_reactor(), Ear(), ["127.0.0.1"]).announce([OFFER], 4000)
