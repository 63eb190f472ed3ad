"""`kontor node` and `kontor` alone, as a person types them."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import HTTPCookieProcessor as Cookies
from urllib.request import Request, build_opener

import pytest

from tests.worlds.quick_start import run

from .kit import ROOT


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "home"
    kontor(tmp_path / "home", "node", "stop")


def kontor(home: Path, *arguments: str) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment |= {"PYTHONPATH": str(ROOT / "scripts" / "package"), "KONTOR_HOME": str(home)}
    command = [sys.executable, "-m", "kontor_games.clients.entry", *arguments]
    done = run(command, cwd=ROOT, env=environment, timeout=60)
    return done.returncode, (done.stdout + done.stderr).decode()


def test_a_node_is_started_asked_and_stopped(home: Path) -> None:
    assert kontor(home, "node", "status") == (1, f"No node runs for {home}.\n")
    assert kontor(home, "node", "stop") == (0, "No node was running.\n")
    code, first = kontor(home, "node", "start")
    assert code == 0 and "http://127.0.0.1:" in first
    assert kontor(home, "node", "start") == (0, first), "there is one node per home"
    code, said = kontor(home, "node", "status")
    assert code == 0 and "0 of 0 matches" in said and "Identity" in said
    assert kontor(home, "node", "logs")[0] == 0
    code, said = kontor(home, "node", "run")
    assert code == 2 and "a node runs already" in said
    assert kontor(home, "node", "stop") == (0, "The node has ended.\n")
    assert kontor(home, "node", "status")[0] == 1
    assert kontor(home, "node", "start") == (0, first.replace(first.split(")")[0], _process(home)))


def test_a_port_that_is_taken_is_named_at_the_start(home: Path) -> None:
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = kontor(home, "node", "start", "--port", str(port))
    assert code == 2 and f"port {port} is taken by another program" in said and "Traceback" not in said
    assert kontor(home, "node", "status")[0] == 1
    code, said = kontor(home, "node", "start", "--port", str(port))
    assert code == 0 and "was running before" not in said, "it is free now"
    code, said = kontor(home, "node", "start", "--port", str(port + 1))
    assert code == 0 and "keeps its own settings" in said, "a wish that changes nothing is not passed over in silence"


def _process(home: Path) -> str:
    import json

    return f"The node runs (process {json.loads((home / 'node.port').read_text())['pid']}"


def test_kontor_alone_starts_the_node_and_shows_the_way_in(home: Path) -> None:
    code, said = kontor(home)
    assert code == 0
    url = said.splitlines()[-1]
    assert "/enter/" in url
    browser = build_opener(Cookies())
    page = browser.open(url, timeout=20)
    assert page.status == 200 and page.url.endswith("/") and "text/html" in page.headers["Content-Type"]
    base = url.split("/enter/")[0]
    hello = browser.open(Request(f"{base}/api/1/hello"), timeout=20)
    assert b'"kind":"owner"' in hello.read()
