"""Nodes as child processes: they tell of themselves, end in order, and never outlive the program that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kontor_games.clients.entry import LocalServices
from kontor_games.clients.node.child_nodes import ChildNodes
from kontor_games.net.api import daemon
from kontor_games.net.node import home_lock
from kontor_games.net.system import child

PATIENCE = 30.0
STARTS_AND_WAITS = """
import sys, time
from pathlib import Path
from kontor_games.clients.entry import LocalServices
nodes = LocalServices().nodes(Path(sys.argv[1]))
nodes.start("Anna")
print("ready", flush=True)
time.sleep(600)
"""


def until_unlocked(home: Path) -> None:
    until = time.monotonic() + PATIENCE
    while home_lock.is_locked(home):
        assert time.monotonic() < until, "the node lives on"
        time.sleep(0.05)


def test_nodes_tell_their_events_and_end_in_order_or_at_once(tmp_path: Path) -> None:
    nodes: ChildNodes = LocalServices().nodes(tmp_path)
    try:
        nodes.start("Anna", "Bruno")
        assert nodes["Anna"].get("hello")["node"]["fingerprint"] != nodes["Bruno"].get("hello")["node"]["fingerprint"]
        nodes["Bruno"].post("matches", {"game": "osaka", "seats": [{"kind": "me"}, {"kind": "me"}]})
        while (found := nodes.next(PATIENCE))[1]["kind"] != "matches":
            pass
        assert found[0] == "Bruno"
        pid = nodes["Anna"].process.pid
        nodes.kill("Anna")
        while (found := nodes.next(PATIENCE))[1]["kind"] != "exit":
            pass
        assert found == ("Anna", {"kind": "exit", "code": -signal.SIGKILL, "pid": pid})
        bruno = nodes["Bruno"]
    finally:
        nodes.stop()
    assert bruno.process.returncode == 0 and not nodes.running
    assert daemon.ended_in_order(nodes.home("Bruno")) and not daemon.ended_in_order(nodes.home("Anna"))
    with pytest.raises(nodes.Silent, match="does not answer"):
        bruno.get("hello")


def test_a_node_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTS_AND_WAITS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=child.environment()) as program:
        assert program.stdout is not None and program.stdout.readline() == b"ready\n"
        home = tmp_path / "anna"
        assert home_lock.is_locked(home)
        os.kill(program.pid, signal.SIGKILL)
    until_unlocked(home)
    assert daemon.ended_in_order(home)


def test_a_node_that_does_not_start_is_named(tmp_path: Path) -> None:
    (tmp_path / "anna").write_text("a file where its home should be")
    nodes: ChildNodes = LocalServices().nodes(tmp_path)
    with pytest.raises(nodes.Silent, match="the node of Anna does not start"):
        nodes.start("Anna")
    nodes.stop()
