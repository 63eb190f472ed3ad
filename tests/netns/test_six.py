"""Two machines behind routers of which both have IPv6, or only one: IPv6 comes first, and IPv4 is not forgotten.

Home routers translate nothing of IPv6, but let in only what was asked for. The lobby has both kinds of addresses, under
one name.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from tests.lobby.child import LobbyProcess

from .holes import START_TIME, Cell, Line, RunningPeer, Try, heard, one_try, two_cores
from .namespaces import entered
from .wires import Router, Strangers, Wires, need_tools, run, why_not, wires

pytestmark = pytest.mark.netns
CELL = Cell(Router.PORT_RESTRICTED, Router.PORT_RESTRICTED, Strangers.DROPPED, 0)
NAMES = ("anna", "bruno")


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    need_tools("iptables", "ip6tables")
    with wires() as made:
        yield made


def build(net: Wires, with_six: tuple[str, ...]) -> None:
    """A lobby and two machines behind routers; IPv4 for all, IPv6 for the lobby, the routers and these machines."""
    net.switch("switch")
    for name in ("lobby", "r1", "r2", *NAMES):
        net.add(name)
    net.plug("lobby", "switch", "203.0.113.10/24")
    net.add_six("lobby", "eth0", "2001:db8:9::10/64")
    for number, name in enumerate(NAMES, 1):
        net.plug(f"r{number}", "switch", f"203.0.113.{number}/24")
        net.hide(name, f"r{number}", f"192.168.{number}.", CELL.one, CELL.strangers)
        net.add_six(f"r{number}", "eth0", f"2001:db8:9::{number}/64")
        net.add_six(f"r{number}", "lan0", f"2001:db8:{number}::1/64")
        net.wall_six(f"r{number}")
        net.name_host(name, "lobby.test", "2001:db8:9::10", "203.0.113.10")
        if name in with_six:
            net.add_six(name, "eth0", f"2001:db8:{number}::2/64", f"2001:db8:{number}::1")
    for number in (1, 2):
        for other in ("lobby", f"r{3 - number}"):
            run("ip", "-n", net.name(other), "route", "add", f"2001:db8:{number}::/64", "via", f"2001:db8:9::{number}")


def meet(net: Wires, folder: Path, with_six: tuple[str, ...]) -> tuple[Try, list[str]]:
    """What way the two find, and where each sees the other."""
    lobby = LobbyProcess(folder / "lobby", 7460, prefix=net.inside("lobby"), host="[::]")
    peers: list[RunningPeer] = []
    lines: Queue[Line] = Queue()
    try:
        for name in with_six:  # a neighbour that is asked for the first time takes a while, and IPv4 would be faster
            with entered(net.name(name)):
                socket.create_connection(("2001:db8:9::10", 7460), 10).close()
        for name, core in zip(NAMES, two_cores(), strict=True):
            peers.append(RunningPeer(net, name, folder / name, lines, core, "lobby.test:7460"))
        for _ in peers:
            heard(lines, START_TIME)
        return one_try(CELL, peers, lines), [peer.address for peer in peers]
    finally:
        for peer in peers:
            peer.stop()
        lobby.stop()


def test_where_both_have_ipv6_the_hole_is_made_there(tmp_path: Path, net: Wires) -> None:
    build(net, NAMES)
    found, addresses = meet(net, tmp_path, NAMES)
    print(found, addresses)
    assert found.way == "punched" and all("2001:db8:" in address for address in addresses)


@pytest.mark.parametrize("who", NAMES)
def test_where_only_one_has_ipv6_the_hole_is_made_by_ipv4(who: str, tmp_path: Path, net: Wires) -> None:
    build(net, (who,))
    found, addresses = meet(net, tmp_path, (who,))
    print(found, addresses)
    assert found.way == "punched" and all("203.0.113." in address for address in addresses)
