"""Where the router is, from what Linux, macOS and Windows say."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kontor_games.net.system import gateway

ROUTE = """   route to: default
destination: default
       mask: default
    gateway: 192.168.178.1
  interface: en0
      flags: <UP,GATEWAY,DONE,STATIC,PRCLONING,GLOBAL>
"""


def test_linux_shows_the_routes_in_a_table_and_the_least_metric_counts(tmp_path: Path) -> None:
    table = tmp_path / "route"
    table.write_text(
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth1\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        "eth0\t00000000\tFE01A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\nnonsense\n",
        encoding="ascii",
    )
    assert gateway.gateway_in_table(table) == "192.168.1.254"
    assert gateway.gateway_in_table(tmp_path / "missing") is None


def test_macos_says_it_in_words() -> None:
    assert gateway.gateway_in_words(ROUTE) == "192.168.178.1"


@pytest.mark.parametrize(
    "said", ["", "route: writing to routing socket: not in table\n", ROUTE.replace("192.168.178.1", "fe80::1")]
)
def test_without_a_router_macos_says_other_words(said: str) -> None:
    assert gateway.gateway_in_words(said) is None


def row(next_hop: bytes) -> bytes:
    return struct.pack("=3I", 0, 0, 0) + next_hop + struct.pack("=10I", 12, 4, 3, 60, 0, 25, 1, 1, 1, 1)


def windows(answer: int, next_hop: bytes) -> Any:
    """A library that knows the best route to everywhere."""

    def best_route(destination: int, source: int, into: Any) -> int:
        assert (destination, source) == (0, 0)
        ctypes.memmove(into, row(next_hop), len(row(next_hop)))
        return answer

    return SimpleNamespace(GetBestRoute=best_route)


def test_windows_fills_in_a_row() -> None:
    assert gateway._asked_of_windows(windows(0, bytes([192, 168, 0, 1]))) == "192.168.0.1"
    assert gateway._asked_of_windows(windows(0, bytes(4))) is None
    assert gateway._asked_of_windows(windows(1232, bytes([192, 168, 0, 1]))) is None  # the host is not reached


def test_a_system_without_the_command_has_no_router_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: Any, **settings: Any) -> Any:
        raise FileNotFoundError("/sbin/route")

    monkeypatch.setattr(subprocess, "run", missing)
    assert gateway._asked_of_route() is None
