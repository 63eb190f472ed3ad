"""Addresses as we count them: households, networks, and IPv4 addresses written as IPv6."""

from __future__ import annotations

import pytest

from kontor_games.net.system.admission import Residents, Strangers
from kontor_games.net.system.networks import household_of, network_of, plain_host, plain_network


def test_a_household_is_an_ipv4_address_or_half_of_ipv6_and_a_network_is_24_or_56_bits() -> None:
    assert household_of("2001:db8:1:2:3::4") == household_of("2001:db8:1:2:ffff::9") == "2001:db8:1:2::/64"
    assert household_of("2001:db8:1:3::4") != household_of("2001:db8:1:2::4")
    assert network_of("2001:db8:1:2ff::1") == network_of("2001:db8:1:200::1") == "2001:db8:1:200::/56"
    assert network_of("2001:db8:1:300::1") != network_of("2001:db8:1:200::1")
    assert network_of("203.0.113.5") == network_of("203.0.113.250") == "203.0.113.0/24"
    assert household_of("203.0.113.5") == "203.0.113.5"
    for address in ("203.0.113.5", "2001:db8:1:2ff::1"):
        assert network_of(household_of(address)) == network_of(address)


@pytest.mark.parametrize("address", ["::ffff:203.0.113.5", "::FFFF:203.0.113.5", "::ffff:cb00:7105"])
def test_an_ipv4_address_seen_through_a_socket_for_both_kinds_is_ipv4(address: str) -> None:
    assert plain_host(address) == "203.0.113.5"
    assert network_of(address) == network_of("203.0.113.9")
    assert household_of(address) == household_of("203.0.113.5")


def test_a_zone_does_not_make_another_network_and_what_is_not_an_address_is_one_by_itself() -> None:
    assert network_of("fe80::1%eth0") == network_of("fe80::2%eth1") == "fe80::/56"
    assert network_of("local") == household_of("local") == "local"


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("::ffff:203.0.113.5", "203.0.113.5/32"),
        ("::ffff:203.0.113.5/120", "203.0.113.0/24"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::/80", "::/80"),  # wider than IPv4: not a network of it
        ("203.0.113.5/24", "203.0.113.0/24"),
        ("2001:db8::7/64", "2001:db8::/64"),
    ],
)
def test_a_network_of_ipv4_written_as_ipv6_is_ipv4(text: str, network: str) -> None:
    assert str(plain_network(text)) == network


def test_places_are_shared_by_the_ipv4_network_however_its_addresses_are_written() -> None:
    """One caller must not count as two networks, and all of IPv4 must not count as one."""
    callers = ("203.0.113.5", "::ffff:203.0.113.5", "::ffff:198.51.100.7")
    residents: Residents[str] = Residents(2)
    strangers: Strangers[str] = Strangers(2)
    assert [residents.enter(host, host) for host in callers] == [None, None, "::ffff:203.0.113.5"]
    assert [strangers.enter(host, host, 0.0) for host in callers] == [None, None, "203.0.113.5"]
