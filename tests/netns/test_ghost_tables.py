"""Tables that are gone: how soon the local network knows, and that a dead lobby holds up nobody who asks for tables."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kontor_games.clients.node.child_nodes import ChildNode
from kontor_games.net.system import child

from .parties import FarNodes
from .wires import why_not, wires

pytestmark = pytest.mark.netns
DEAD = "10.77.0.99:7460"  # nobody has this address


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[FarNodes]:
    if reason := why_not():
        pytest.skip(reason)
    with wires() as net:
        net.switch("switch")
        for number, name in enumerate(("anna", "bert"), 1):
            net.add(name)
            net.plug(name, "switch", f"10.77.0.{number}/24")
        made = FarNodes(tmp_path, net, is_on_lan=True)
        made.start("Anna", "Bert")
        yield made
        made.stop()


def seconds_until(found: Callable[[], bool], most: float = 30.0) -> float:
    began = time.monotonic()
    while not found():
        assert time.monotonic() - began < most, "it takes too long"
        time.sleep(0.05)
    return time.monotonic() - began


def sees(node: ChildNode, table: str) -> bool:
    return any(row["id"] == table for row in node.get("tables")["tables"])


def test_a_table_that_was_closed_or_whose_host_left_is_gone_within_two_seconds(nodes: FarNodes) -> None:
    anna, bert = nodes["Anna"], nodes["Bert"]
    took = []
    for leave in (lambda table: anna.post(f"tables/{table}/leave"), lambda _: anna.hang_up()):
        table = str(anna.post("tables", {"game": "osaka", "seats": 2})["id"])
        anna.post(f"tables/{table}/sit", {"seat": 0, "name": "Anna"})
        seconds_until(lambda table=table: sees(bert, table))
        leave(table)
        took.append(seconds_until(lambda table=table: not sees(bert, table)))
    nodes.running.pop("Anna").wait()
    print("gone after " + ", ".join(f"{each:.2f} s" for each in took))
    assert max(took) < 2


def test_tables_are_listed_within_a_second_while_the_remembered_lobby_is_dead(nodes: FarNodes) -> None:
    anna, bert = nodes["Anna"], nodes["Bert"]
    table = str(anna.post("tables", {"game": "osaka", "seats": 2})["id"])
    anna.post(f"tables/{table}/sit", {"seat": 0, "name": "Anna"})
    seconds_until(lambda: sees(bert, table))
    usual, _ = listed(nodes, "Bert")
    bert.put("settings", {**bert.get("settings"), "lobby": DEAD})
    began = time.monotonic()
    assert sees(bert, table)
    answered = time.monotonic() - began
    found = [listed(nodes, "Bert") for _ in range(3)]
    print(f"answered in {answered:.2f} s; kontor tables took {found[0][0]:.2f} s, and {usual:.2f} s without the lobby")
    assert answered < 1 and all("Osaka" in text or "osaka" in text for _, text in found)
    assert min(took for took, _ in found) - usual < 1


def listed(nodes: FarNodes, name: str) -> tuple[float, str]:
    """`kontor tables` at that machine: the seconds, and what it says."""
    command = [sys.executable, "-m", "kontor_games.clients.entry", "tables", "--home", str(nodes.home(name))]
    began = time.monotonic()
    done = subprocess.run(
        [*nodes.prefix(name), *command], capture_output=True, text=True, timeout=60, env=child.environment()
    )
    assert done.returncode == 0, done.stderr
    return time.monotonic() - began, done.stdout
