"""A real router's software in a namespace: a port asked for in each language, used, renewed, given back.

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

from .mapped_peer import GREETING
from .namespaces import entered
from .wires import ROOT, Router, Wires, run, why_not, wires

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
allow 1024-65535 192.168.1.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
"""


@pytest.fixture(scope="module")
def miniupnpd(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program; fetched if need be."""
    if reason := why_not():
        pytest.skip(reason)
    for tool in ("iptables", "nft"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
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


class Behind:
    """A machine behind a router with miniupnpd, and a stranger outside."""

    def __init__(self, net: Wires, folder: Path, program: str, language: str) -> None:
        self.net = net
        net.switch("switch")
        for name in ("anna", "r1", "stranger"):
            net.add(name)
        net.plug("r1", "switch", f"{OUTSIDE}/24")
        net.plug("stranger", "switch", "5.6.7.9/24")
        net.hide("anna", "r1", "192.168.1.", Router.PORT_RESTRICTED)
        run("ip", "-n", net.name("r1"), "route", "add", "default", "via", "5.6.7.9")
        subprocess.run([*net.inside("r1"), "nft", "-f", "-"], input=TABLES, text=True, check=True, timeout=30)
        by_upnp = language == "UPnP"
        settings = folder / "miniupnpd.conf"
        settings.write_text(SETTINGS.format(pmp="no" if by_upnp else "yes", upnp="yes" if by_upnp else "no"))
        self.log = folder / "miniupnpd.log"
        with self.log.open("wb") as log:
            command = [*net.inside("r1"), program, "-d", "-f", str(settings), "-P", str(folder / "pid")]
            self.router = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + 10
        ready = b"Listening for NAT-PMP" if not by_upnp else b"HTTP listening on port"
        while ready not in self.log.read_bytes() and self.router.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        assert self.router.poll() is None, self.log.read_text()[-2000:]
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
    listed = run(*machine.net.inside("r1"), "nft", "list", "chain", "inet", "filter", "prerouting_miniupnpd")
    assert "dnat" not in listed, listed
    print(f"{language}: granted {told['outside']}, asked {asked} times in {2.5 * LEASE:.0f} s, given back")
