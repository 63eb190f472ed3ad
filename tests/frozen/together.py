"""A node of this checkout and one of another play a match of every game together.

`python -m tests.frozen together DIR`: DIR is a checkout of another commit in which `./scripts/kontor` has been
run once, so that it has its environment.

Nodes begin matches of one rules version only. If the two checkouts differ in it, both nodes begin with the older
program, and the one with the newer program changes to it in the midst of the match, as people do who update.
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
LOOK_SECONDS = 0.02  # bots make dozens of plies a second
BEFORE_UPDATE = 3  # plies
RUN = ("node", "run", "--bind", "127.0.0.1", "--no-lan")


def play_together(other: Path) -> None:
    """Play every game, each side as host once; every file must verify with both programs. Raises what goes wrong."""
    programs = {"ours": HERE, "theirs": other.resolve()}
    rules = {name: _rules(root) for name, root in programs.items()}
    for number, game in enumerate(engine.game_ids()):
        with TemporaryDirectory() as folder:
            names = sorted(programs, reverse=bool(number % 2))
            homes = {name: Path(folder) / name for name in names}
            older = min(names, key=lambda name: rules[name][game])
            later = [name for name in names if rules[name][game] > rules[older][game]]
            nodes = {name: _node(name, homes[name], programs[older if name in later else name]) for name in names}
            how = f"{names[0]} hosts"
            try:
                _begin(game, list(nodes.values()), {} if later else QUICK.get(game, {}))
                for name in later:
                    _until(lambda node=nodes[name]: _ply(node) >= BEFORE_UPDATE)
                    how = f"{name} changed from rules {rules[older][game]} at ply {_ply(nodes[name])}"
                    nodes[name].kill()  # an orderly end takes longer than the match
                    assert not list((homes[name] / "matches").glob("*.done")), "the match was over before the update"
                    nodes[name] = _node(name, homes[name], programs[name])
                for node in nodes.values():
                    _until(lambda node=node: _is_complete(node))
            finally:
                for node in nodes.values():
                    node.kill()
            files = sorted(Path(folder).glob("*/matches/*.kontor"))
            assert len(files) == 2, files
            lines = {_verdict(root, file) for root in programs.values() for file in files}
            assert len(lines) == 1 and "verified: finished, signed by all 2" in next(iter(lines)), lines
            print(f"{game}: {how}; both files verify with both programs: {next(iter(lines))}", flush=True)


def _rules(root: Path) -> dict[str, int]:
    """The rules version of each game that a program begins new matches with."""
    done = subprocess.run(
        [*_command(root), "games", "--json"], capture_output=True, text=True, env=_environment(), check=True
    )
    return {game["id"]: game["rules_version"] for game in json.loads(done.stdout)}


def _command(root: Path) -> list[str]:
    entry = "kontor_games.clients.entry" if (root / "scripts" / "package").is_dir() else "clients.entry"
    return [str(root / ".venv" / "bin" / "python"), "-P", "-m", entry]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _node(name: str, home: Path, root: Path) -> ChildNode:
    node = ChildNode(name, home, [*_command(root), *RUN], _environment())
    node.connect(lambda name, event: None)
    return node


def _begin(game: str, nodes: list[ChildNode], options: dict[str, Any]) -> None:
    host, guest = nodes
    table = host.post("tables", {"game": game, "seats": 2, "options": options})["id"]
    here = host.get(f"tables/{table}")
    guest.post("join", {"address": here["addresses"][0], "fingerprint": here["fingerprint"]})
    for seat, node in enumerate(nodes):
        node.post(f"tables/{table}/bot", {"seat": seat, "kind": "greedy", "name": node.name})
    for node in nodes:
        _until(lambda node=node: all(seat["name"] for seat in node.get(f"tables/{table}")["seats"]))
        node.post(f"tables/{table}/ready")


def _ply(node: ChildNode) -> int:
    matches = node.get("matches")["matches"]
    return int(matches[0]["ply"]) if matches else 0


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
        time.sleep(LOOK_SECONDS)


def _verdict(root: Path, file: Path) -> str:
    command = [*_command(root), "verify", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=_environment(), check=True)
    said = json.loads(done.stdout)
    return str((said[0] if isinstance(said, list) else said.get("files", [said])[0])["line"])
