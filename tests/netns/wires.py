"""Networks made of namespaces: a switch with machines on it, routers that hide them, and what goes wrong on wires."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cache
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest

ROOT = Path(__file__).parents[2]


def run(*words: str, check: bool = True) -> str:
    """One command; its output."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=30)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


@cache
def why_not() -> str | None:
    """Why there can be no namespaces here, or None."""
    if os.name != "posix" or os.geteuid() != 0:
        return "network namespaces need root"
    name = f"kontor{os.getpid()}-try"
    try:
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "add", "v0", "type", "veth", "peer", "name", "v1")
    except (OSError, RuntimeError) as error:
        return f"network namespaces are not permitted here: {error}"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return None


def need_tools(*tools: str) -> None:
    """Skip the test if one of these programs is missing."""
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


class Router(Enum):
    """How a router lets connections in from outside, beside those that were asked for from inside."""

    OPEN = "open"  # the machine has the public address itself
    FULL_CONE = "full cone"  # from everybody
    ADDRESS_RESTRICTED = "address restricted"  # from machines that were called before
    PORT_RESTRICTED = "port restricted"  # from ports that were called before
    SYMMETRIC = "symmetric"  # the same, and every connection comes out at another port


class Strangers(Enum):
    """What a router does with a call that it does not let in."""

    DROPPED = "dropped"
    REJECTED = "rejected"
    ANSWERED = "answered"  # the router's own kernel says that nobody listens


def router_rules(kind: Router, strangers: Strangers, machine: str) -> Iterator[str]:
    """The rules of iptables; eth0 is outside, lan0 inside."""
    yield "-t nat -A POSTROUTING -o eth0 -j MASQUERADE" + (" --random-fully" if kind is Router.SYMMETRIC else "")
    inward = f"-j DNAT --to-destination {machine}"
    if kind is Router.FULL_CONE:
        yield f"-t nat -A PREROUTING -i eth0 -p tcp {inward}"
    if kind is Router.ADDRESS_RESTRICTED:
        yield "-A FORWARD -i lan0 -o eth0 -p tcp -m recent --name sent --rdest --set"
        known = "-m recent --name sent --rsource --rcheck --seconds 300"
        yield f"-t nat -A PREROUTING -i eth0 -p tcp {known} {inward}"
    yield "-A FORWARD -i eth0 -m conntrack --ctstate NEW -m conntrack ! --ctstate DNAT -j DROP"
    if strangers is not Strangers.ANSWERED:
        verdict = "DROP" if strangers is Strangers.DROPPED else "REJECT --reject-with tcp-reset"
        yield f"-A INPUT -i eth0 -p tcp -m conntrack --ctstate NEW -j {verdict}"


class Wires:
    """Namespaces by short names; everything is gone with them."""

    made: ClassVar = count()

    def __init__(self) -> None:
        self._number = next(self.made)
        self._names: list[str] = []
        self._processes: list[subprocess.Popen[str]] = []

    def name(self, short: str) -> str:
        return f"kontor{os.getpid()}-{self._number}-{short}"

    def add(self, short: str) -> None:
        """A machine with nothing but loopback; IPv6 is off, so that what a test blocks is blocked."""
        name = self.name(short)
        run("ip", "netns", "add", name)
        self._names.append(name)
        run("ip", "-n", name, "link", "set", "lo", "up")
        for which in ("all", "default"):
            run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{which}.disable_ipv6=1", check=False)

    def switch(self, short: str) -> None:
        """A machine that is a switch."""
        self.add(short)
        run("ip", "-n", self.name(short), "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        run("ip", "-n", self.name(short), "link", "set", "br0", "up")

    def plug(self, short: str, switch: str, address: str, device: str = "eth0") -> None:
        """Connect a machine to a switch, with an address like 10.0.0.1/24."""
        here, there, port = self.name(short), self.name(switch), f"p-{short}"
        run("ip", "-n", there, "link", "add", port, "type", "veth", "peer", "name", device, "netns", here)
        run("ip", "-n", there, "link", "set", port, "master", "br0")
        run("ip", "-n", there, "link", "set", port, "up")
        run("ip", "-n", here, "addr", "add", address, "dev", device)
        run("ip", "-n", here, "link", "set", device, "up")
        run("ip", "-n", here, "route", "add", "224.0.0.0/4", "dev", device, check=False)

    def hide(
        self,
        short: str,
        router: str,
        inside: str,
        kind: Router = Router.SYMMETRIC,
        strangers: Strangers = Strangers.ANSWERED,
    ) -> None:
        """Put a machine behind a router that translates its addresses; `inside` is like 192.168.1."""
        here, there = self.name(short), self.name(router)
        run("ip", "-n", there, "link", "add", "lan0", "type", "veth", "peer", "name", "eth0", "netns", here)
        run("ip", "-n", there, "addr", "add", f"{inside}1/24", "dev", "lan0")
        run("ip", "-n", there, "link", "set", "lan0", "up")
        run("ip", "-n", here, "addr", "add", f"{inside}2/24", "dev", "eth0")
        run("ip", "-n", here, "link", "set", "eth0", "up")
        run("ip", "-n", here, "route", "add", "default", "via", f"{inside}1")
        run("ip", "netns", "exec", there, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        self.rule(router, f"{inside}2", kind, strangers)

    def rule(self, router: str, machine: str, kind: Router, strangers: Strangers) -> None:
        """Give a router the rules of its kind, in place of those that it has."""
        for rule in ("-F", "-t nat -F", *router_rules(kind, strangers, machine)):
            run(*self.inside(router), "iptables", *rule.split())

    def add_six(self, short: str, device: str, address: str, gateway: str = "") -> None:
        """Give a machine IPv6 on one of its devices, with an address like 2001:db8::1/64, and a way out."""
        for which in ("all", "default", device):
            run(*self.inside(short), "sysctl", "-qw", f"net.ipv6.conf.{which}.disable_ipv6=0")
        run("ip", "-n", self.name(short), "addr", "add", address, "dev", device, "nodad")
        if gateway:
            run("ip", "-n", self.name(short), "route", "add", "default", "via", gateway)

    def wall_six(self, router: str) -> None:
        """A router passes IPv6 on, and lets nobody in from outside who was not called: nothing is translated."""
        run(*self.inside(router), "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1")
        rule = "-A FORWARD -i eth0 -m conntrack --ctstate NEW -j DROP"
        run(*self.inside(router), "ip6tables", *rule.split())

    def name_host(self, short: str, host: str, *addresses: str) -> None:
        """What a machine reads in its file of hosts."""
        folder = Path("/etc/netns") / self.name(short)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "hosts").write_text("".join(f"{address} {host}\n" for address in addresses))

    def forget_calls(self, router: str) -> None:
        """A router that is address-restricted knows nobody any more who was called."""
        run(*self.inside(router), "sh", "-c", "echo / > /proc/net/xt_recent/sent")

    def slow_switch(self, delay: float, loss: float, machines: Mapping[str, str]) -> None:
        """Connect machines with these addresses by a switch that delays and loses what they send."""
        names = [self.name(short) for short in machines]
        command = [sys.executable, "-m", "tests.netns.slow_switch", str(delay), str(loss), *names]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for short, address in machines.items():
            run("ip", "-n", self.name(short), "addr", "add", address, "dev", "eth0")
            run("ip", "-n", self.name(short), "link", "set", "eth0", "up")

    def cut(self, short: str, switch: str, is_cut: bool) -> None:
        """Pull a machine's cable out of the switch, or put it back."""
        run("ip", "-n", self.name(switch), "link", "set", f"p-{short}", "down" if is_cut else "up")

    def block(self, short: str, address: str) -> None:
        """A machine reaches this address no more."""
        run("ip", "-n", self.name(short), "route", "add", "blackhole", f"{address}/32")

    def inside(self, short: str) -> tuple[str, ...]:
        """What to put before a command so that it runs there."""
        return ("ip", "netns", "exec", self.name(short))

    def remove(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait(10)
            assert process.stdout is not None
            process.stdout.close()
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
            shutil.rmtree(Path("/etc/netns") / name, ignore_errors=True)


@contextmanager
def wires() -> Iterator[Wires]:
    """Namespaces that are taken down whatever happens."""
    made = Wires()
    try:
        yield made
    finally:
        made.remove()
