"""A machine without loopback: nothing can reach the node there, and it says so instead of waiting for itself."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from kontor_games.net.system import child

from .wires import run, why_not, wires

pytestmark = pytest.mark.netns


@pytest.mark.parametrize("words", [("node", "start"), ("tables",), ("party", "osaka")])
def test_a_missing_loopback_is_an_error_with_its_remedy_and_no_hang(words: tuple[str, ...], tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    with wires() as net:
        net.add("anna")
        run("ip", "-n", net.name("anna"), "link", "set", "lo", "down")
        command = [sys.executable, "-m", "kontor_games.clients.entry", *words, "--home", str(tmp_path / "home")]
        began = time.monotonic()
        done = subprocess.run(
            [*net.inside("anna"), *command], capture_output=True, text=True, timeout=60, env=child.environment()
        )
        took = time.monotonic() - began
    print(f"kontor {' '.join(words)}: said so after {took:.1f} s")
    assert done.returncode != 0 and "ip link set lo up" in done.stderr and "Traceback" not in done.stderr, done
