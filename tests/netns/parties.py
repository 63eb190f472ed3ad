"""Nodes in namespaces: found on the local network, or met in a lobby."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kontor_games.clients.node.child_nodes import ChildNode, ChildNodes, Tell
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.node_process import node_run
from kontor_games.net.system import child
from tests.worlds.lobby_party import InLobby
from tests.worlds.party import LOOK_SECONDS, PATIENCE, Data, Party

from .namespaces import entered
from .wires import Wires


class FarNode(ChildNode):
    """A node in a namespace, whose loopback is a loopback of its own: whoever asks it has to be there too."""

    def __init__(self, namespace: str, *about: Any) -> None:
        super().__init__(*about)
        self._namespace = namespace

    def ask(self, method: str, path: str, body: object) -> Any:
        with entered(self._namespace):
            return super().ask(method, path, body)

    def _listen(self, since: int, tell: Tell) -> None:
        with entered(self._namespace):
            super()._listen(since, tell)


class FarNodes(ChildNodes):
    """Node processes, each in the namespace of its name, on all its addresses."""

    def __init__(self, folder: Path, wires: Wires, is_on_lan: bool) -> None:
        command = [*node_run(), "--leashed", "--bind", "", "--lan" if is_on_lan else "--no-lan"]
        super().__init__(folder, command, child.environment())
        self._wires = wires

    def prefix(self, name: str) -> tuple[str, ...]:
        """What to put before a command so that it runs at that machine."""
        return self._wires.inside(name.lower())

    def _new(self, name: str) -> ChildNode:
        command = [*self.prefix(name), *self._command]
        return FarNode(self._wires.name(name.lower()), name, self.home(name), command, self.environment)


def agree(table: str, nodes: Sequence[ChildNode], seconds: float = PATIENCE) -> str:
    """All say ready once everybody sits, again whenever the table has changed; the match that begins."""
    end = time.monotonic() + seconds
    while not all(node.get("matches")["matches"] for node in nodes):
        assert time.monotonic() < end, "nothing begins"
        for node in nodes:
            with suppress(Refused):  # the table is not within reach, or has just changed
                shown = node.get(f"tables/{table}")
                if shown["phase"] == "open" and all(seat["name"] for seat in shown["seats"]) and not shown["you_ready"]:
                    node.post(f"tables/{table}/ready")
        time.sleep(LOOK_SECONDS)
    return str(nodes[0].get("matches")["matches"][0]["id"])


class FarParty(Party):
    """Each node in its own namespace, which has the node's name in small letters."""

    is_on_lan = False

    def __init__(self, wires: Wires, folder: Path, game: str, count: int, **options: Any) -> None:
        self._wires = wires
        self.paths: dict[str, dict[str, str]] = {}  # name -> peer -> path
        super().__init__(folder, game, count, **options)

    def _make_nodes(self, folder: Path) -> ChildNodes:
        return FarNodes(folder, self._wires, self.is_on_lan)

    def saw(self, name: str, state: Data) -> None:
        """A node's state of the match; who reaches whom how is kept."""
        super().saw(name, state)
        self.paths[name] = {row["name"]: row["way"] for row in state["grid"] if row["state"] == "linked"}


class LanParty(FarParty):
    """No lobby, no address, no configuration: the others find the table of the first on the local network."""

    is_on_lan = True

    def __init__(self, wires: Wires, folder: Path, game: str, count: int, **options: Any) -> None:
        self.sight: dict[str, float] = {}  # seconds from a node's first look until it saw a table on the local network
        super().__init__(wires, folder, game, count, **options)

    def _come(self, name: str) -> None:
        """Look around until the table is seen, and go there."""
        node = self.nodes[name]
        node.get("tables")  # from now on the node looks around
        began = time.monotonic()
        while not any(table["id"] == self.table for table in node.get("tables")["tables"]):
            assert time.monotonic() - began < PATIENCE, "the table is not seen"
            time.sleep(LOOK_SECONDS / 5)
        self.sight[name] = time.monotonic() - began
        node.post(f"tables/{self.table}/enter")


class LobbyFarParty(InLobby, FarParty):
    """The nodes meet in a lobby at an address that all of them reach."""

    def __init__(self, wires: Wires, folder: Path, lobby: str, game: str, count: int, **options: Any) -> None:
        self.lobby_address = lobby
        super().__init__(wires, folder, game, count, **options)
