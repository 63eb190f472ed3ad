"""Which claimed addresses are dialled: no liar sets a node on a third party, and honest peers still find each other."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.net.links.claims import (
    ON_THIS_MACHINE,
    Reach,
    Witness,
    as_seen,
    dialable,
    hearable,
    reach_of,
    why_not_relay,
)
from kontor_games.net.node.ways_file import WaysFile
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.system.networks import plain_ip

FAR = Witness("203.0.113.1", "198.51.100.7")  # a lobby on the internet that sees us behind our router
NEAR = Witness("192.168.1.5")  # a keeper on our local network
HERE = Witness("127.0.0.1", "127.0.0.1")

REACHES = {
    "8.8.8.8": Reach.PUBLIC,
    "2a00::1": Reach.PUBLIC,
    "192.0.2.1": Reach.PUBLIC,
    "198.51.100.1": Reach.PUBLIC,
    "203.0.113.1": Reach.PUBLIC,
    "2001:db8::1": Reach.PUBLIC,
    "10.1.2.3": Reach.PRIVATE,
    "172.16.0.1": Reach.PRIVATE,
    "192.168.0.1": Reach.PRIVATE,
    "100.64.0.1": Reach.PRIVATE,
    "fd00::1": Reach.PRIVATE,
    "::ffff:10.0.0.1": Reach.PRIVATE,
    "fe80::1": Reach.LINK,
    "127.0.0.1": Reach.LOOPBACK,
    "127.77.1.1": Reach.LOOPBACK,
    "::1": Reach.LOOPBACK,
    "::ffff:127.0.0.1": Reach.LOOPBACK,
    "169.254.169.254": Reach.NEVER,
    "::ffff:169.254.169.254": Reach.NEVER,
    "224.0.0.251": Reach.NEVER,
    "ff02::fb": Reach.NEVER,
    "0.0.0.0": Reach.NEVER,
    "::": Reach.NEVER,
    "255.255.255.255": Reach.NEVER,
    "240.0.0.1": Reach.NEVER,
    "64:ff9b::a00:1": Reach.NEVER,  # a gateway would take it to 10.0.0.1
    "64:ff9b::808:808": Reach.PUBLIC,
    "2002:7f00:1::": Reach.NEVER,  # 6to4 of 127.0.0.1
    "2001:0:1::1": Reach.NEVER,  # Teredo
}


@pytest.mark.parametrize(("host", "reach"), REACHES.items())
def test_every_address_has_one_reach(host: str, reach: Reach) -> None:
    ip = plain_ip(host)
    assert ip is not None and reach_of(ip) is reach


EVERYTHING = [f"[{host}]:80" if ":" in host else f"{host}:80" for host in REACHES]
LIES = [
    "10.0.0.1:22",
    "192.168.1.1:80",
    "127.0.0.1:8080",
    "127.77.1.1:1",
    "169.254.169.254:80",
    "[::1]:80",
    "[fe80::1]:1",
]


def test_a_stranger_of_a_far_lobby_has_us_dial_nothing_but_the_internet() -> None:
    told = as_seen("198.51.100.99", 4000, [*LIES, "evil.example:1", "localhost:80", "224.0.0.1:1", "8.8.8.8:4000"])
    assert told[0] == "198.51.100.99:4000"
    assert dialable(told, FAR) == ("198.51.100.99:4000", "8.8.8.8:4000")
    assert dialable(tuple(EVERYTHING[6:14]), FAR) == ()


def test_one_who_does_not_listen_cannot_put_a_claim_where_the_seen_address_stands() -> None:
    assert as_seen("198.51.100.99", 0, [f"{FAR.sees_us_at}:1", "192.168.1.1:80"]) == ()


def test_behind_one_router_the_private_addresses_of_each_other_are_dialled() -> None:
    told = as_seen("198.51.100.7", 4000, ["192.168.1.8:4000", "127.0.0.1:4000", "169.254.1.1:4000", "[fe80::1]:4000"])
    assert dialable(told, FAR) == ("198.51.100.7:4000", "192.168.1.8:4000")
    one_house = Witness("2001:db8:5::1", "2001:db8:1:2::7")
    assert "192.168.1.8:1" in dialable(as_seen("2001:db8:1:2::8", 1, ["192.168.1.8:1"]), one_house)
    assert "192.168.1.8:1" not in dialable(as_seen("2001:db8:1:3::8", 1, ["192.168.1.8:1"]), one_house)


def test_one_private_address_in_front_of_a_lobby_is_not_one_router() -> None:
    """As behind a balancer that hides everybody's address from the lobby."""
    lobby = Witness("203.0.113.1", "10.0.0.1")
    assert dialable(as_seen("10.0.0.1", 80, ["192.168.1.1:80"]), lobby) == ()


def test_a_keeper_on_our_network_vouches_for_what_it_saw_and_nothing_else() -> None:
    told = as_seen("192.168.1.8", 4000, ["192.168.1.1:80", "192.168.1.8:4000", "10.0.0.1:22", "127.0.0.1:4000"])
    assert dialable(told, NEAR) == ("192.168.1.8:4000",)
    assert dialable(("172.17.0.2:6379", "192.168.1.8:4000"), NEAR) == (), "not into other networks of this machine"
    assert dialable(("127.0.0.1:80", "192.168.1.1:80"), NEAR) == ()
    assert dialable(as_seen("127.0.0.1", 4000, ["192.168.1.5:4000"]), NEAR) == ("192.168.1.5:4000",)


def test_the_keeper_itself_dials_the_guests_that_it_sees() -> None:
    told = as_seen("192.168.1.8", 4000, ["192.168.1.1:80"])
    assert dialable(told, ON_THIS_MACHINE) == ("192.168.1.8:4000",)
    told = as_seen("198.51.100.99", 4000, LIES)
    assert dialable(told, ON_THIS_MACHINE) == ("198.51.100.99:4000",)


def test_a_guest_that_came_through_a_relay_is_vouched_for_by_nobody() -> None:
    told = as_seen("", 4000, [*LIES, "8.8.8.8:4000"])
    assert dialable(told, NEAR) == dialable(told, ON_THIS_MACHINE) == ("8.8.8.8:4000",)


def test_loopback_is_dialled_on_one_machine_only() -> None:
    told = as_seen("127.0.0.1", 4000, ["127.0.0.1:4000", "127.0.0.1:4001", "127.77.1.1:1", "10.0.0.1:22"])
    assert dialable(told, HERE) == ("127.0.0.1:4000", "127.0.0.1:4001")
    assert dialable(told, FAR) == dialable(told, NEAR) == ()
    assert dialable(as_seen("198.51.100.9", 1, ["127.0.0.1:1"]), HERE) == ("198.51.100.9:1",)


def test_a_key_heard_on_the_local_network_is_dialled_where_it_was_heard() -> None:
    told = as_seen("198.51.100.99", 4000, ["192.168.1.8:4000", "192.168.1.9:4000"])
    heard = hearable(("192.168.1.8:4000", "127.0.0.1:80", "169.254.169.254:80", "[fe80::1%2]:4000"), False)
    assert heard == ("192.168.1.8:4000", "[fe80::1%2]:4000")
    assert dialable(told, FAR, heard) == ("198.51.100.99:4000", "192.168.1.8:4000")
    assert hearable(("127.0.0.1:80",), True) == ("127.0.0.1:80",)


def test_a_lobby_elsewhere_names_no_relay_in_our_networks() -> None:
    for address in LIES:
        assert why_not_relay(address, FAR)
    for address in ("203.0.113.1:7460", "8.8.8.8:1", "relay.example.org:7460"):
        assert why_not_relay(address, FAR) is None
    assert why_not_relay("127.0.0.1:7460", HERE) is None and why_not_relay("127.0.0.1:7460", NEAR)
    assert why_not_relay("192.168.1.5:1", NEAR) is None


IPS = st.ip_addresses().map(str) | st.sampled_from(sorted(REACHES))


@given(st.lists(st.tuples(IPS, st.integers(1, 65535)), max_size=8), IPS, IPS, IPS)
def test_whatever_is_told_nothing_unheard_of_is_dialled(
    told: list[tuple[str, int]], seen: str, at: str, us: str
) -> None:
    claimed = [f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in told]
    for address in dialable(as_seen(seen, 4000, claimed), Witness(at, us)):
        reach = reach_of(ipaddress.ip_address(address.rpartition(":")[0].strip("[]")))
        assert reach in (Reach.PUBLIC, Reach.PRIVATE, Reach.LOOPBACK)
        witness, source = plain_ip(at), plain_ip(seen)
        assert witness is not None and source is not None
        if reach is Reach.LOOPBACK:
            assert witness.is_loopback and source.is_loopback
        if reach is Reach.PRIVATE and reach_of(source) is Reach.PUBLIC:
            assert us == seen or source.version == 6


def test_the_ways_of_a_match_are_kept_and_those_of_older_files_are_read(tmp_path: Path) -> None:
    files, key = MatchFiles(tmp_path, "m"), b"k" * 32
    ways = WaysFile.of(files)
    ways.claimed[key] = ("8.8.8.8:1",)
    ways.write()
    ways.found(key, ("8.8.8.8:1",))
    ways.found(b"x" * 32, ("1.1.1.1:1",))  # not of this match
    again = WaysFile.of(files)
    assert again == ways and again.proven == {key: ("8.8.8.8:1",)} and again.peers == {key}
    assert again.path.stat().st_mode & 0o777 == 0o600
    again.path.write_text(f'{{"{key.hex()}": ["8.8.4.4:1"]}}')
    assert WaysFile.of(files).claimed == {key: ("8.8.4.4:1",)}
    for text in ("[]", "{", '{"zz": 1}', '{"00": {"claimed": 1}}'):
        again.path.write_text(text)
        assert WaysFile.of(files).claimed == {}
