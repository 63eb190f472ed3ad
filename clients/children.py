"""Nodes as child processes: started, listened to, told what to do, and never left behind."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds without any news after which something must be broken


class Silent(Exception):
    """The nodes say nothing any more."""


class Children:
    """Node processes by name; what they say arrives in one queue, in the order in which it came."""

    Silent = Silent

    def __init__(self, folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._command = list(command)
        self._environment = dict(environment)
        self.running: dict[str, subprocess.Popen[str]] = {}
        self._news: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self._listeners: list[threading.Thread] = []
        self._began = time.monotonic()

    def home(self, name: str) -> Path:
        """Where the node of this name keeps its files."""
        return self.folder / name.lower()

    def start(self, name: str, arguments: Sequence[str]) -> None:
        """Start a node; its first news is `ready`."""
        child = subprocess.Popen(  # noqa: S603 - our own program
            [*self._command, "--home", str(self.home(name)), "--name", name, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=self._environment,
        )
        self.running[name] = child
        listener = threading.Thread(target=self._listen, args=(name, child), daemon=True)
        self._listeners.append(listener)
        listener.start()

    def _listen(self, name: str, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        with child.stdout:
            for line in child.stdout:
                if line.endswith("\n"):  # a killed node may leave half a line
                    self._news.put((name, json.loads(line)))
        self._news.put((name, {"news": "exit", "code": child.wait(), "pid": child.pid}))

    def next(self, patience: float = PATIENCE) -> tuple[float, str, dict[str, Any]]:
        """The next news with its time and its node; raises Silent when there is none for too long."""
        try:
            name, data = self._news.get(timeout=patience)
        except queue.Empty:
            raise Silent(f"no news from any node for {patience:.0f} seconds") from None
        return time.monotonic() - self._began, name, data

    def tell(self, name: str, command: str) -> None:
        """Give a node a command."""
        stdin = self.running[name].stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # it is gone; its exit is in the news
            stdin.write(command + "\n")
            stdin.flush()

    def kill(self, name: str) -> None:
        """End a node at once, without warning."""
        child = self.running.pop(name)
        child.kill()
        child.wait()
        self._close(child)

    def stop(self) -> None:
        """End all nodes: politely, then not."""
        for name in self.running:
            self.tell(name, "quit")
        for child in self.running.values():
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            self._close(child)
        self.running.clear()
        for listener in self._listeners:
            listener.join(10)

    @staticmethod
    def _close(child: subprocess.Popen[str]) -> None:
        if child.stdin is not None:
            with contextlib.suppress(OSError):  # unwritten commands for a node that is gone
                child.stdin.close()
