"""A node as a child process, and a client that remembers every byte it was sent."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kontor_games.clients.node.node_link import NodeLink, Refused
from tests.worlds.quick_start import Popen

ROOT = Path(__file__).parents[3]
WAIT = 60.0
ENTRY = ("-m", "kontor_games.clients.entry")  # what Python runs


class NodeProcess:
    """One node on one home; it can be stopped, killed and started again."""

    def __init__(
        self,
        home: Path,
        lan: bool = False,
        bind: str = "127.0.0.1",
        program: Sequence[str] = ENTRY,
    ) -> None:
        self.home = home
        self.program = program
        self.lan = lan
        self.bind = bind
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self._links: list[NodeLink] = []

    def start(self, bots: str | None = None) -> NodeProcess:
        """`bots`: another program in place of the bots'."""
        self._launch(bots)
        return self._ready()

    @staticmethod
    def started(*nodes: NodeProcess) -> list[NodeProcess]:
        """These nodes, started beside each other: each takes a while to import everything."""
        for node in nodes:
            node._launch()
        return [node._ready() for node in nodes]

    def _launch(self, bots: str | None = None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts" / "package")}
        command = [
            sys.executable,
            *self.program,
            "node",
            "run",
            "--home",
            str(self.home),
            "--bind",
            self.bind,
        ]
        command += ["--lan" if self.lan else "--no-lan", *(["--bots", bots] if bots else [])]
        self.process = Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment)

    def _ready(self) -> NodeProcess:
        assert self.process is not None and self.process.stdout is not None
        ready = json.loads(self.process.stdout.readline())
        self.port = ready["port"]
        return self

    def end(self, how: int = signal.SIGTERM) -> int:
        assert self.process is not None and self.process.stdout is not None
        self.process.send_signal(how)
        code = self.process.wait(WAIT)
        self.close_links()
        self.process.stdout.close()
        self.process = None
        return code

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    @property
    def token(self) -> str:
        return (self.home / "node.token").read_text().strip()

    def link(self) -> NodeLink:
        """A client; it is closed at the end of the test."""
        self._links.append(NodeLink(self.port, self.token))
        return self._links[-1]

    def close_links(self) -> None:
        for link in self._links:
            link.close()
        self._links.clear()

    def raw(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request with exactly these headers (and a proper Host unless given)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
            if body is not None:
                given.setdefault("Content-Length", str(len(body)))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders()
            if body is not None:
                connection.send(body)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def as_owner(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **more}


class Listener(threading.Thread):
    """Collects events until it is told to stop."""

    def __init__(self, link: NodeLink, since: int | None = None) -> None:
        super().__init__(daemon=True)
        self._link = link
        self._stream = link.events(since)
        self.seen: list[dict[str, Any]] = []
        self._more = threading.Condition()
        assert next(self._stream) == {"kind": "open"}
        self.start()

    def stop(self) -> None:
        """Listen no longer."""
        self._link.close()
        self.join(WAIT)

    def run(self) -> None:
        try:
            for event in self._stream:
                with self._more:
                    self.seen.append(event)
                    self._more.notify_all()
        except (OSError, Refused):
            pass
        with self._more:
            self.seen.append({"kind": "closed"})
            self._more.notify_all()

    def wait_for(self, found: Callable[[dict[str, Any]], bool], after: int = 0) -> int:
        """The place after the first event that fits; from `after` on."""
        with self._more:
            place = after
            while True:
                while place < len(self.seen):
                    place += 1
                    if found(self.seen[place - 1]):
                        return place
                assert self._more.wait(WAIT), f"no such event among {len(self.seen)}"


def state_where(link: NodeLink, match: str, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The match's state once it is so: asked again and again, so that no event can be missed between two calls."""
    end = time.monotonic() + WAIT
    while not found(state := link.get(f"matches/{match}")):
        assert time.monotonic() < end, f"not within {WAIT} s; status {state['status']}, ply {state['ply']}"
        time.sleep(0.05)
    return state


def new_match(link: NodeLink, game: str, seats: list[dict[str, str]], **more: Any) -> str:
    return str(link.post("matches", {"game": game, "seats": seats, **more})["id"])


TWO_AND_A_BOT = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}, {"kind": "greedy", "name": "Carl"}]
