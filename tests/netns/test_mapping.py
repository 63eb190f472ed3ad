"""A real router's software in a namespace: a port asked for in each language, used, renewed, given back; and a match.

Needs root, iptables, nft and miniupnpd; the last is taken from where KONTOR_MINIUPNPD says, or fetched as a Debian
package and unpacked, which starts nothing on this machine.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from kontor_games.net.links.port_mapping import FORBIDDEN, SILENT
from tests.integration.test_matches import check_alike
from tests.lobby.child import LobbyProcess

from .mapped_peer import GREETING
from .namespaces import entered
from .parties import LobbyFarParty
from .wires import ROOT, Router, Wires, need_tools, run, why_not, wires

pytestmark = pytest.mark.netns
OUTSIDE = "5.6.7.1"  # it refuses to work with networks of documents
LEASE = 4  # seconds
TABLES = """
table inet filter {
  chain forward { type filter hook forward priority 0; policy accept; jump miniupnpd; }
  chain miniupnpd { }
  chain prerouting { type nat hook prerouting priority -100; policy accept; jump prerouting_miniupnpd; }
  chain postrouting { type nat hook postrouting priority 100; policy accept; jump postrouting_miniupnpd; }
  chain prerouting_miniupnpd { }
  chain postrouting_miniupnpd { }
}
"""
SETTINGS = """
ext_ifname=eth0
listening_ip=lan0
http_port=5000
enable_natpmp={pmp}
enable_upnp={upnp}
min_lifetime=1
max_lifetime=86400
secure_mode=yes
system_uptime=yes
notify_interval=60
uuid=00000000-0000-4000-8000-000000000001
upnp_table_name=filter
upnp_nat_table_name=filter
upnp_forward_chain=miniupnpd
upnp_nat_chain=prerouting_miniupnpd
upnp_nat_postrouting_chain=postrouting_miniupnpd
{rule} 1024-65535 192.168.1.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
"""


@pytest.fixture(scope="module")
def miniupnpd(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program; fetched if need be."""
    if reason := why_not():
        pytest.skip(reason)
    need_tools("iptables", "nft")
    found = os.environ.get("KONTOR_MINIUPNPD") or shutil.which("miniupnpd")
    if found:
        return found
    folder = tmp_path_factory.mktemp("miniupnpd")
    try:
        subprocess.run(
            ["apt-get", "download", "-qq", "miniupnpd-nftables"], cwd=folder, check=True, capture_output=True
        )
        package = next(folder.glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError, StopIteration):
        pytest.skip("miniupnpd is not installed, and its Debian package cannot be fetched")
    return str(folder / "usr" / "sbin" / "miniupnpd")


def start_router(
    net: Wires, folder: Path, program: str, language: str, rule: str = "allow"
) -> tuple[subprocess.Popen[bytes], Path]:
    """miniupnpd at the router r1, once it listens; and its log."""
    subprocess.run([*net.inside("r1"), "nft", "-f", "-"], input=TABLES, text=True, check=True, timeout=30)
    by_upnp = language == "UPnP"
    settings = folder / "miniupnpd.conf"
    settings.write_text(SETTINGS.format(pmp="no" if by_upnp else "yes", upnp="yes" if by_upnp else "no", rule=rule))
    file = folder / "miniupnpd.log"
    with file.open("wb") as log:
        command = [*net.inside("r1"), program, "-d", "-f", str(settings), "-P", str(folder / "pid")]
        router = subprocess.Popen(command, stdout=log, stderr=log)
    until = time.monotonic() + 10
    ready = b"Listening for NAT-PMP" if not by_upnp else b"HTTP listening on port"
    while ready not in file.read_bytes() and router.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    assert router.poll() is None, file.read_text()[-2000:]
    return router, file


def open_ports(net: Wires) -> str:
    """What the router lets in now."""
    listed = run(*net.inside("r1"), "nft", "list", "chain", "inet", "filter", "prerouting_miniupnpd")
    return "\n".join(line for line in listed.splitlines() if "dnat" in line)


class Behind:
    """A machine behind a router with miniupnpd, and a stranger outside."""

    def __init__(self, net: Wires, folder: Path, program: str, language: str, rule: str = "allow") -> None:
        self.net = net
        net.switch("switch")
        for name in ("anna", "r1", "stranger"):
            net.add(name)
        net.plug("r1", "switch", f"{OUTSIDE}/24")
        net.plug("stranger", "switch", "5.6.7.9/24")
        net.hide("anna", "r1", "192.168.1.", Router.PORT_RESTRICTED)
        run("ip", "-n", net.name("r1"), "route", "add", "default", "via", "5.6.7.9")
        self.router, self.log = start_router(net, folder, program, language, rule)
        command = [*net.inside("anna"), sys.executable, "-m", "tests.netns.mapped_peer", language, str(LEASE)]
        self.peer = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.peer.stdout is not None
        with self.peer.stdout as out:
            for line in out:
                self._lines.put(line)
        self._lines.put('{"ended": 1}')

    def said(self, word: str) -> dict[str, Any]:
        """The next line with this word."""
        while word not in (told := json.loads(self._lines.get(timeout=20))):
            assert "ended" not in told, self.log.read_text()[-2000:]
        return dict(told)

    def is_let_in(self, address: str) -> bool:
        """Whether the stranger is greeted there."""
        host, _, port = address.partition(":")
        with entered(self.net.name("stranger")):
            try:
                with socket.create_connection((host, int(port)), 1.0) as wire:
                    return wire.recv(100) == GREETING
            except OSError:
                return False

    def hang_up(self) -> None:
        assert self.peer.stdin is not None
        self.peer.stdin.close()
        self.peer.wait(20)

    def stop(self) -> None:
        if self.peer.poll() is None:
            assert self.peer.stdin is not None
            self.peer.stdin.close()
            self.peer.kill()
            self.peer.wait(10)
        self._reader.join(10)
        self.router.terminate()
        self.router.wait(10)


@pytest.fixture(params=["PCP", "NAT-PMP", "UPnP"])
def behind(request: pytest.FixtureRequest, miniupnpd: str, tmp_path: Path) -> Iterator[tuple[str, Behind]]:
    with wires() as net:
        made = Behind(net, tmp_path, miniupnpd, request.param)
        try:
            yield request.param, made
        finally:
            made.stop()


def test_a_port_is_asked_for_used_renewed_and_given_back(behind: tuple[str, Behind]) -> None:
    language, machine = behind
    told = machine.said("outside")
    assert told["language"] == language and told["outside"].startswith(f"{OUTSIDE}:"), told
    assert machine.is_let_in(told["outside"])
    end = time.monotonic() + 2.5 * LEASE
    asked = 0
    while time.monotonic() < end:  # longer than what was granted
        asked += machine.said("asks")["asks"] == language
    assert asked >= 3 and machine.is_let_in(told["outside"])
    machine.hang_up()
    assert not machine.is_let_in(told["outside"])
    assert open_ports(machine.net) == ""
    print(f"{language}: granted {told['outside']}, asked {asked} times in {2.5 * LEASE:.0f} s, given back")


@pytest.mark.parametrize(("language", "expected"), [("UPnP", FORBIDDEN), ("PCP", SILENT)])
def test_a_router_that_refuses_or_is_too_slow_opens_nothing_and_says_why(
    language: str, expected: str, miniupnpd: str, tmp_path: Path
) -> None:
    """Asked by PCP, this one goes through all ports to find one that its rules allow, and writes a line for each."""
    with wires() as net:
        machine = Behind(net, tmp_path, miniupnpd, language, "deny")
        try:
            reason = machine.said("refused")["refused"]
            while reason != expected:  # first it is asked in the languages that it does not know here
                reason = machine.said("refused")["refused"]
            assert open_ports(net) == ""
            print(f"{language}: your router {reason}")
        finally:
            machine.router.kill()
            machine.stop()


@pytest.mark.parametrize("language", ["PCP", "UPnP"])
def test_between_two_symmetric_routers_the_port_that_one_of_them_opens_is_the_way(
    language: str, miniupnpd: str, tmp_path: Path
) -> None:
    """No hole can be made there: without the port the relay would carry the match."""
    with wires() as net:
        net.switch("switch")
        net.add("lobby")
        net.plug("lobby", "switch", "5.6.7.10/24")
        for number, name in enumerate(("anna", "bruno"), 1):
            net.add(name)
            net.add(f"r{number}")
            net.plug(f"r{number}", "switch", f"5.6.7.{number}/24")
            net.hide(name, f"r{number}", f"192.168.{number}.", Router.SYMMETRIC)
        run("ip", "-n", net.name("r1"), "route", "add", "default", "via", "5.6.7.10")
        router, _ = start_router(net, tmp_path, miniupnpd, language)
        lobby = LobbyProcess(tmp_path / "lobby", 0, "--listen", "0.0.0.0:7460", prefix=net.inside("lobby"))
        party = LobbyFarParty(net, tmp_path / "nodes", "5.6.7.10:7460", "joban", 2)
        try:
            party.begin()
            party.until(lambda: [*map(set, map(dict.values, party.paths.values()))] == [{"direct"}] * 2)
            said = {check["id"]: check["text"] for check in party.nodes["Anna"].get("doctor")["checks"]}
            assert "lets others call you at 5.6.7.1:" in said["router"] and f"asked by {language}" in said["router"]
            assert (
                "does not answer"
                in ({check["id"]: check["text"] for check in party.nodes["Bruno"].get("doctor")["checks"]}["router"])
            )
            assert open_ports(net) != ""
            party.finish()
        finally:
            party.stop()
            lobby.stop()
            left = open_ports(net)
            router.terminate()
            router.wait(10)
        assert left == "", "a node that ends gives its port back"
        print(f"{language}: {check_alike(party)} plies directly")
