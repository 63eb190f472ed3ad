"""Who asks, behind proxies: the operator's own are believed, and nobody else."""

from __future__ import annotations

import pytest

from kontor_games.lobby.pages.visitor import Proxies

OURS = ("127.0.0.1", "10.1.0.0/16", "::1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "counts"),
    [
        ("203.0.113.9", (), "203.0.113.9"),
        ("203.0.113.9", ("198.51.100.7",), "203.0.113.9"),  # anybody may send the header
        ("127.0.0.1", ("198.51.100.7",), "198.51.100.7"),
        ("::ffff:127.0.0.1", ("198.51.100.7",), "198.51.100.7"),  # a socket for both kinds of addresses
        ("127.0.0.1", ("1.1.1.1, 198.51.100.7",), "198.51.100.7"),  # the beginning is the visitor's own invention
        ("127.0.0.1", ("1.1.1.1", "198.51.100.7"), "198.51.100.7"),
        ("127.0.0.1", ("198.51.100.7, 10.1.2.3",), "198.51.100.7"),  # two proxies of ours
        ("127.0.0.1", ("198.51.100.7, nonsense",), "127.0.0.1"),
        ("127.0.0.1", ("198.51.100.7, nonsense, 10.1.2.3",), "10.1.2.3"),
        ("127.0.0.1", (), "127.0.0.1"),
        ("127.0.0.1", ("",), "127.0.0.1"),
        ("127.0.0.1", ("2001:db8:1:2:3::4",), "2001:db8:1:2::/64"),  # a household, as everywhere
        ("127.0.0.1", (", ".join(["10.1.0.1"] * 100),), "10.1.0.1"),
    ],
)
def test_the_last_address_that_is_not_a_proxy_of_ours_counts(
    peer: str, forwarded: tuple[str, ...], counts: str
) -> None:
    assert Proxies(OURS).visitor(peer, forwarded) == counts


def test_without_a_list_no_proxy_is_believed() -> None:
    assert Proxies(()).visitor("127.0.0.1", ("198.51.100.7",)) == "127.0.0.1"
