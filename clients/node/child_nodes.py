"""Nodes as child processes: started, asked and listened to through their API, and never left behind."""

from __future__ import annotations

import http.client
import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .node_connection import NodeConnection, Stopped
from .node_link import Asking, NodeLink, Refused

PATIENCE = 60.0  # seconds without any event after which something must be broken
STOP_SECONDS = 10.0
END_SECONDS = 0.5  # between the last word of a node that ends and its end
Event = dict[str, Any]
Tell = Callable[[str, Event], None]


class Silent(Exception):
    """The nodes say nothing any more."""


class ChildNode(Asking):
    """One node, asked by the thread that started it. It ends with its standard input, so it cannot outlive us."""

    def __init__(self, name: str, home: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self.home = home
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [*command, "--home", str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,  # Ctrl-C is for us, who then end it in order
        )
        self.link: NodeLink
        self._ears: NodeConnection | None = None
        self._listener: threading.Thread | None = None

    def connect(self, tell: Tell) -> None:
        """Wait until it runs; from now on all its events are told, and `exit` when it ends."""
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            line = stdout.readline()
        if not line:
            raise Silent(f"the node of {self.name} does not start; see {self.home / 'node.log'}")
        self.link = NodeLink(json.loads(line)["port"], (self.home / "node.token").read_text(encoding="ascii").strip())
        since = self.get("hello")["last"]
        self._ears = NodeConnection(self.link.another(), self._found_again)
        self._listener = threading.Thread(target=self._listen, args=(since, tell), daemon=True)
        self._listener.start()

    def ask(self, method: str, path: str, body: object) -> Any:
        try:
            return self.link.ask(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise Silent(f"the node of {self.name} does not answer: {type(error).__name__}") from None

    def _listen(self, since: int, tell: Tell) -> None:
        assert self._ears is not None
        with suppress(Stopped, Refused):
            for event in self._ears.events(since):
                tell(self.name, event)
        tell(self.name, {"kind": "exit", "code": self.process.wait(), "pid": self.process.pid})

    def _found_again(self) -> NodeLink:
        """A new connection to a node that is too busy to take us; one that has ended is not started again."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
            raise Stopped
        return self.link.another()

    def hang_up(self) -> None:
        """Let it end in order; `wait` waits for that."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> None:
        """Wait for its end, and end it if it takes too long."""
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close()

    def kill(self) -> None:
        """End it at once, without warning."""
        self.process.kill()
        self.process.wait()
        self.hang_up()
        self._close()

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
        if self._ears is not None and self._listener is not None:
            self._ears.close()
            self._listener.join(STOP_SECONDS)
            self.link.close()


class ChildNodes:
    """Nodes by name; what they tell arrives in one queue, in the order in which it came."""

    Silent = Silent

    def __init__(self, folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = dict(environment)
        self.running: dict[str, ChildNode] = {}
        self._command = tuple(command)
        self._events: queue.Queue[tuple[str, Event]] = queue.Queue()

    def __getitem__(self, name: str) -> ChildNode:
        return self.running[name]

    def home(self, name: str) -> Path:
        """Where the node of this name keeps its files."""
        return self.folder / name.lower()

    def start(self, *names: str) -> None:
        """Start nodes all at once, and wait until they can be asked."""
        for name in names:
            self.running[name] = self._new(name)
        for name in names:
            self.running[name].connect(self._tell)

    def _new(self, name: str) -> ChildNode:
        return ChildNode(name, self.home(name), self._command, self.environment)

    def _tell(self, name: str, event: Event) -> None:
        self._events.put((name, event))

    def next(self, patience: float = PATIENCE) -> tuple[str, Event]:
        """The next event and its node; raises Silent when there is none for too long."""
        try:
            return self._events.get(timeout=patience)
        except queue.Empty:
            raise Silent(f"no word from any node for {patience:.0f} seconds") from None

    def kill(self, name: str) -> None:
        """End a node at once, without warning."""
        self.running.pop(name).kill()

    def stop(self) -> None:
        """End all nodes: in order, then not."""
        for node in self.running.values():
            node.hang_up()
        for node in self.running.values():
            node.wait()
        self.running.clear()
