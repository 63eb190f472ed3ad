"""Where a node listens, and under which addresses others know it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from kontor_games.net.links.claims import MAX_ADDRESSES, as_seen
from kontor_games.net.node.home import Home, with_outside
from kontor_games.net.wire.address import is_ip, own_addresses, parse_address
from kontor_games.net.wire.identity import Identity, fingerprint
from tests.net.api.test_network import has_ipv6
from tests.net.links.test_transport import the_reactor

pytestmark = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


async def opened(folder: Path, bind: str = "", port: int = 0) -> tuple[Home, Any]:
    home = Home(folder)
    return home, await home.open_node(the_reactor(), Identity.generate(), lambda news: None, bind, port)


@ensureDeferred
async def test_a_node_listens_over_ipv4_and_ipv6_at_one_port_and_claims_no_more_than_that(tmp_path: Path) -> None:
    home, node = await opened(tmp_path / "one")
    guest_home, guest = await opened(tmp_path / "two", "127.0.0.1")
    try:
        node.tables.host("osaka", {}, 2, "majority", False)  # strangers may come to look
        ports = {parse_address(address)[1] for address in node.where.addresses}
        assert len(ports) == 1
        assert {":" in parse_address(address)[0] for address in node.where.addresses} == {False} | {
            ":" in host for host in own_addresses()
        }
        for host in ("127.0.0.1", "[::1]"):
            met = await guest.mesh.meet(f"{host}:{node.where.port}", fingerprint(node.key)).addTimeout(5, the_reactor())
            assert met == node.key
            guest.mesh.forget(node.key)
        seen = {info.address.rpartition(":")[0] for info in node.mesh.links()}
        assert all(is_ip(host.strip("[]")) and not host.startswith("[::ffff") for host in seen)
    finally:
        for each in (guest, node):
            await each.stop()
        for folder in (home, guest_home):
            folder.close()


def test_the_port_that_the_router_granted_is_told_however_many_addresses_a_machine_has() -> None:
    own = tuple(f"[2001:db8::{number}]:4000" for number in range(MAX_ADDRESSES - 1))
    told = with_outside(own, "5.6.7.8:50000")
    assert told[0] == own[0], "its port is the one at which the node listens"
    assert "5.6.7.8:50000" in as_seen("203.0.113.9", 4000, told) and with_outside(own, "") == own


@ensureDeferred
async def test_where_another_program_has_the_port_over_ipv6_the_node_does_not_claim_it(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET6) as other:
        other.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        other.bind(("::", 0))
        other.listen(1)
        home, node = await opened(tmp_path / "one", port=other.getsockname()[1])
        try:
            assert node.where.addresses and not any(address.startswith("[") for address in node.where.addresses)
        finally:
            await node.stop()
            home.close()
