"""Whole matches between machines: on a LAN, behind routers, over bad wires. Needs root, ip, iptables and tcpdump."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.test_matches import check_alike
from tests.lobby.child import LobbyProcess

from .capture import Capture, tls_records
from .namespaces import entered
from .parties import FarParty, LanParty, LobbyFarParty
from .wires import Router, Wires, need_tools, run, why_not, wires

pytestmark = pytest.mark.netns
NAMES = ("anna", "bruno", "clara", "david")


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    with wires() as made:
        yield made


@pytest.fixture
def parties(net: Wires) -> Iterator[list[FarParty]]:
    """Asks for `net`, so that the nodes end before their namespaces do."""
    found: list[FarParty] = []
    yield found
    for party in found:
        party.stop()


def local_network(net: Wires, count: int) -> None:
    """So many machines on one switch, without any other machine."""
    net.switch("switch")
    for number, name in enumerate(NAMES[:count], 1):
        net.add(name)
        net.plug(name, "switch", f"10.77.0.{number}/24")


def test_two_machines_find_each_other_and_play_without_any_lobby(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    local_network(net, 2)
    party = LanParty(net, tmp_path, "joban", 2)
    parties.append(party)
    party.begin()
    party.finish()
    assert all(set(paths.values()) <= {"lan"} for paths in party.paths.values())
    assert party.sight["Bruno"] < 2
    print(f"{check_alike(party)} plies; the table was seen after {party.sight['Bruno']:.2f} s")


def behind_routers(
    net: Wires, tmp_path: Path, kind: Router = Router.SYMMETRIC, count: int = 2, *arguments: str, delay: float = 0.0
) -> LobbyProcess:
    """Machines behind a router each, and a lobby between the routers; every packet outside takes `delay` seconds."""
    outside = {"lobby": "203.0.113.10/24"} | {f"r{number}": f"203.0.113.{number}/24" for number in range(1, count + 1)}
    for name in (*outside, *NAMES[:count]):
        net.add(name)
    if delay:
        net.slow_switch(delay, 0.0, outside)
    else:
        net.switch("switch")
        for name, address in outside.items():
            net.plug(name, "switch", address)
    for number, name in enumerate(NAMES[:count], 1):
        net.hide(name, f"r{number}", f"192.168.{number}.", kind)
    return LobbyProcess(tmp_path / "lobby", 0, "--listen", "0.0.0.0:7460", *arguments, prefix=net.inside("lobby"))


def test_behind_two_routers_the_relay_carries_the_match_and_sees_only_tls(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    need_tools("tcpdump", "iptables")
    lobby = behind_routers(net, tmp_path)
    try:
        capture = Capture(tmp_path / "wire.pcap", net.inside("lobby"), "eth0", "tcp port 7460")
        party = LobbyFarParty(net, tmp_path / "nodes", "203.0.113.10:7460", "joban", 2)
        parties.append(party)
        party.begin()
        party.until(lambda: {**party.paths.get("Anna", {})} != {} and {**party.paths.get("Bruno", {})} != {})
        linked = time.monotonic() - party.begun_at
        assert linked < 10, f"the decision for a path took {linked:.1f} s"
        party.finish()
        streams = capture.stop()
    finally:
        lobby.stop()
    assert {name: set(paths.values()) for name, paths in party.paths.items()} == {"Anna": {"relay"}, "Bruno": {"relay"}}
    relayed = {key: data[36:] for key, data in streams.items() if data[:4] == b"KRL1"}
    back = {key: streams[(key[2], key[3], key[0], key[1])][1:] for key in relayed}
    assert len(relayed) >= 2
    carried = 0
    for data in (*relayed.values(), *back.values()):
        kinds, rest = tls_records(data)
        carried += len(data)
        assert not data or (kinds and len(rest) < 16640 + 5)
    everything = b"".join(streams.values())
    for secret in (bytes.fromhex(party.match), party.match.encode(), b"joban", b"Anna", b"Bruno"):
        assert secret not in everything
    print(f"{check_alike(party)} plies, {carried} bytes through the relay, linked after {linked:.1f} s")


def test_behind_routers_that_let_a_hole_the_match_moves_there_and_falls_back_when_it_dies(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    need_tools("iptables")
    lobby = behind_routers(net, tmp_path, Router.PORT_RESTRICTED)
    try:
        party = LobbyFarParty(net, tmp_path / "nodes", "203.0.113.10:7460", "joban", 2)
        parties.append(party)
        party.begin()
        party.until(lambda: ways(party) == {"punched"})
        moved = time.monotonic() - party.begun_at
        for number in (1, 2):  # both routers forget the hole without a word
            other = f"203.0.113.{3 - number}"
            run(*net.inside(f"r{number}"), "iptables", "-I", "FORWARD", "-s", other, "-j", "DROP")
        died = time.monotonic()
        party.until(lambda: ways(party) == {"relay"})
        back = time.monotonic() - died
        party.finish()
    finally:
        lobby.stop()
    print(f"{check_alike(party)} plies, at the hole after {moved:.1f} s, back at the relay after {back:.1f} s")
    is_quiet = os.getloadavg()[0] < 2 * (os.cpu_count() or 1)
    assert back < (5 if is_quiet else 8)


@pytest.mark.long
def test_holes_take_the_load_of_a_table_of_four_off_the_relay(tmp_path: Path, net: Wires) -> None:
    """Bytes that the relay carries in a match of four behind routers, with holes switched off at the lobby, and on.

    The way between two homes takes its time, and that decides how soon a hole is found: without it, four machines that
    share two processors mostly miss each other until they look again.
    """
    need_tools("iptables")
    settings = tmp_path / "lobby.toml"
    settings.write_text("[relay]\npunch = false\n")
    relayed = {"without holes": one_match_of_four(tmp_path / "before", "--config", str(settings))}
    relayed["with holes"] = one_match_of_four(tmp_path / "after")
    for what, (carried, plies, told) in relayed.items():
        print(f"{what}: {carried:.0f} bytes through the relay in {plies} plies; ways in the end {told}")
    assert relayed["with holes"][0] < relayed["without holes"][0] / 2


def one_match_of_four(folder: Path, *arguments: str) -> tuple[float, int, dict[str, int]]:
    """What the relay carried in a match, how long it was, and the ways between the players in the end."""
    folder.mkdir()
    with wires() as net:
        lobby = behind_routers(net, folder, Router.PORT_RESTRICTED, 4, *arguments, delay=0.025)
        party = LobbyFarParty(net, folder / "nodes", "203.0.113.10:7460", "osaka", 4)
        try:
            party.begin()
            party.finish()
            plies = check_alike(party)
            with entered(net.name("lobby")):
                carried = lobby.metrics()["relay_bytes_total"]
        finally:
            party.stop()
            lobby.stop()
    return carried, plies, dict(Counter(way for paths in party.paths.values() for way in paths.values()))


def ways(party: FarParty) -> set[str]:
    """The ways between the machines, as all of them tell it."""
    told = [way for paths in party.paths.values() for way in paths.values()]
    return set(told) if len(party.paths) == 2 and len(told) == 2 else set()


def test_a_killed_node_behind_a_router_comes_back_through_the_relay(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    need_tools("iptables")
    lobby = behind_routers(net, tmp_path)
    try:
        party = LobbyFarParty(net, tmp_path / "nodes", "203.0.113.10:7460", "joban", 2)
        parties.append(party)
        party.begin()
        party.until(lambda: len(party.plies) > 20)
        party.kill("Bruno")
        party.paths.clear()
        party.restart("Bruno")
        party.finish()
    finally:
        lobby.stop()
    assert set(party.paths["Anna"].values()) == set(party.paths["Bruno"].values()) == {"relay"}
    print(f"{check_alike(party)} plies")


def test_latency_and_loss_slow_a_match_down_and_nothing_else(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    for name in NAMES:
        net.add(name)
    net.slow_switch(0.1, 0.02, {name: f"10.77.0.{number}/24" for number, name in enumerate(NAMES, 1)})
    party = FarParty(net, tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.finish()
    print(f"{check_alike(party)} plies")


def test_a_partition_of_thirty_seconds_is_waited_out(tmp_path: Path, net: Wires, parties: list[FarParty]) -> None:
    local_network(net, 3)
    party = FarParty(net, tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 10)
    net.cut("bruno", "switch", True)
    party.pass_time(30)
    reached = len(party.plies)
    assert not party.completed
    net.cut("bruno", "switch", False)
    party.finish()
    assert check_alike(party) > reached


@pytest.mark.parametrize("turn", range(7))
def test_one_deaf_wire_and_a_loose_cable_stop_no_match(
    turn: int, tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    """Anna's words no longer reach Bruno, though his reach her, while David's cable comes off again and again (B1)."""
    local_network(net, 4)
    party = FarParty(net, tmp_path, "joban", 4)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 10 + turn)
    net.block("anna", "10.77.0.2")
    for _ in range(8):
        net.cut("david", "switch", True)
        party.pass_time(1)
        net.cut("david", "switch", False)
        party.pass_time(2.5)
    party.finish()
    print(f"{check_alike(party)} plies")


def test_two_that_never_reach_each_other_play_through_the_third(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    local_network(net, 3)
    net.block("bruno", "10.77.0.3")
    net.block("clara", "10.77.0.2")
    party = FarParty(net, tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.finish()
    assert len(party.paths["Bruno"]) <= 1 and len(party.paths["Clara"]) <= 1
    print(f"{check_alike(party)} plies")


def until_all_are_linked(party: FarParty) -> None:
    party.until(lambda: [len(party.paths.get(name, {})) for name in party.names] == [2, 2, 2])
    assert {path for paths in party.paths.values() for path in paths.values()} == {"lan"}


def test_guests_who_came_by_the_hosts_address_call_each_other_where_the_host_saw_them(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    local_network(net, 3)
    party = FarParty(net, tmp_path, "osaka", 3)
    parties.append(party)
    party.begin()
    until_all_are_linked(party)


def test_guests_of_a_lobby_on_the_local_network_call_each_other_where_the_lobby_saw_them(
    tmp_path: Path, net: Wires, parties: list[FarParty]
) -> None:
    local_network(net, 3)
    net.add("lobby")
    net.plug("lobby", "switch", "10.77.0.9/24")
    lobby = LobbyProcess(tmp_path / "lobby", 0, "--listen", "0.0.0.0:7460", prefix=net.inside("lobby"))
    try:
        party = LobbyFarParty(net, tmp_path / "nodes", "10.77.0.9:7460", "osaka", 3)
        parties.append(party)
        party.begin()
        until_all_are_linked(party)
    finally:
        lobby.stop()
