"""The node as commands use it: found or started; its crash is survived, its stop is not undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kontor_games.clients.home_folder import home_of
from kontor_games.clients.node_process import ensure, was_stopped
from kontor_games.clients.text.game_options import find_game

from .node_connection import LOST, NodeConnection, Stopped
from .node_link import NodeLink, Refused

ANSWER_SECONDS = 30.0


def connected(home: Path) -> NodeLink:
    """A link to the node of this home, which is started if need be; it has answered."""
    until = time.monotonic() + ANSWER_SECONDS
    while True:
        running = ensure(home)
        link = NodeLink(running.port, running.token)
        try:
            link.get("hello")
        except (*LOST, Refused):  # it is just starting, or just gone
            link.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return link


class NodeClient(NodeConnection):
    """One command's connection."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home_of(home)
        super().__init__(connected(self.home), self._found)
        self.hello: dict[str, Any] = self.get("hello")

    def game(self, game: str) -> dict[str, Any]:
        """What the node tells about a game; click's error if it has none of this name."""
        return find_game(self.get("games")["games"], game)

    def listen(self, hear: Callable[[dict[str, Any]], None]) -> None:
        """Tell all events from now on, in a thread; `stopped` is the last one if the node is ended in order."""
        threading.Thread(target=self._listen, args=(hear,), name="events", daemon=True).start()

    def _found(self) -> NodeLink:
        if was_stopped(self.home):
            raise Stopped
        return connected(self.home)

    def _listen(self, hear: Callable[[dict[str, Any]], None]) -> None:
        try:
            for event in self.events(self.hello["last"]):
                if event["kind"] != "closed":
                    hear(event)
        except Stopped:
            hear({"kind": "stopped", "reason": ""})
        except Exception as error:  # whatever it is, a person has to know that nothing more is heard
            hear({"kind": "stopped", "reason": str(error)})


class PatientClient(NodeConnection):
    """The full screen's connection: a node that was stopped in order is waited for, not started."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home_of(home)
        super().__init__(connected(self.home), self._found)

    def _found(self) -> NodeLink:
        with suppress(Exception):  # whatever keeps it from starting, it is tried again, and the screen says it is away
            if not was_stopped(self.home):
                running = ensure(self.home)
                return NodeLink(running.port, running.token)
        return self._link.another()
