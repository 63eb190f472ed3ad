"""A node of this checkout and one of another play a match of every game together.

`python -m tests.frozen together DIR`: DIR is a checkout of another commit in which `./scripts/kontor` has been
run once, so that it has its environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kontor_games import engine
from kontor_games.clients.cli.commands.demo_command import QUICK
from kontor_games.clients.node.child_nodes import ChildNode
from kontor_games.clients.node.node_link import Refused

HERE = Path(__file__).parents[2]
PATIENCE = 300.0
RUN = ("node", "run", "--bind", "127.0.0.1", "--no-lan")


def play_together(other: Path) -> None:
    """Play every game, each side as host once; every file must verify with both programs. Raises what goes wrong."""
    programs = {"ours": HERE, "theirs": other.resolve()}
    for number, game in enumerate(engine.game_ids()):
        with TemporaryDirectory() as folder:
            nodes = {name: _node(name, Path(folder) / name, root) for name, root in programs.items()}
            try:
                names = sorted(nodes, reverse=bool(number % 2))
                _match(game, [nodes[name] for name in names])
            finally:
                for node in nodes.values():
                    node.kill()
            files = sorted(Path(folder).glob("*/matches/*.kontor"))
            assert len(files) == 2, files
            lines = {_verdict(root, file) for root in programs.values() for file in files}
            assert len(lines) == 1 and "verified: finished, signed by all 2" in next(iter(lines)), lines
            print(f"{game}: {names[0]} hosts; both files verify with both programs: {next(iter(lines))}", flush=True)


def _command(root: Path) -> list[str]:
    entry = "kontor_games.clients.entry" if (root / "scripts" / "package").is_dir() else "clients.entry"
    return [str(root / ".venv" / "bin" / "python"), "-P", "-m", entry]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _node(name: str, home: Path, root: Path) -> ChildNode:
    node = ChildNode(name, home, [*_command(root), *RUN], _environment())
    node.connect(lambda name, event: None)
    return node


def _match(game: str, nodes: list[ChildNode]) -> None:
    host, guest = nodes
    table = host.post("tables", {"game": game, "seats": 2, "options": QUICK.get(game, {})})["id"]
    here = host.get(f"tables/{table}")
    guest.post("join", {"address": here["addresses"][0], "fingerprint": here["fingerprint"]})
    for seat, node in enumerate(nodes):
        node.post(f"tables/{table}/bot", {"seat": seat, "kind": "greedy", "name": node.name})
    for node in nodes:
        _until(lambda node=node: all(seat["name"] for seat in node.get(f"tables/{table}")["seats"]))
        node.post(f"tables/{table}/ready")
    for node in nodes:
        _until(lambda node=node: _is_complete(node))


def _is_complete(node: ChildNode) -> bool:
    matches = node.get("matches")["matches"]
    if not matches:
        return False
    state: dict[str, Any] = node.get(f"matches/{matches[0]['id']}?seat=none")
    assert not state["faults"] and state["status"] != "stopped", state["faults"]
    return bool(state["complete"])


def _until(is_so: Any) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            if is_so():
                return
        except Refused:
            pass  # not within reach yet
        assert time.monotonic() < until, "nothing happens any more"
        time.sleep(0.2)


def _verdict(root: Path, file: Path) -> str:
    command = [*_command(root), "verify", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=_environment(), check=True)
    said = json.loads(done.stdout)
    return str((said[0] if isinstance(said, list) else said.get("files", [said])[0])["line"])
