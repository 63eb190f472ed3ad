"""A person at a terminal: `kontor screen` in tmux, read as text and driven by keys."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from kontor_games.net.system import child
from tests.net.api.kit import ROOT

PATIENCE = 90.0
POLL = 0.05


class Window:
    """One tmux server with one window, both our own."""

    def __init__(self, folder: Path, columns: int = 100, rows: int = 30) -> None:
        self._socket = str(folder / "tmux")
        self._size = (columns, rows)

    def run(self, *arguments: str, **environment: str) -> Window:
        """Run `kontor` with these arguments; the window stays open when it has ended."""
        kontor = shlex.join([*child.python(), "-m", "kontor_games.clients.entry", *arguments])
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        command = f"cd {shlex.quote(str(ROOT))} && {settings} {kontor}; echo ended with $?; exec cat"
        columns, rows = self._size
        self._tmux("-f", os.devnull, "new-session", "-d", "-x", str(columns), "-y", str(rows), command)
        return self

    def _tmux(self, *arguments: str) -> str:
        environment = {**child.environment(), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "screen-256color"}
        command = ["tmux", "-u", "-S", self._socket, *arguments]
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    @property
    def text(self) -> str:
        """What is on the screen now."""
        return self._tmux("capture-pane", "-p")

    @property
    def coloured(self) -> str:
        """The same with its colours."""
        return self._tmux("capture-pane", "-p", "-e")

    def keys(self, *keys: str) -> None:
        """Press keys by their tmux names; other words are typed."""
        self._tmux("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def until(self, pattern: str, patience: float = PATIENCE) -> str:
        """Wait until the screen shows the pattern."""
        return self.wait(lambda text: re.search(pattern, text) is not None, f"{pattern!r} does not appear", patience)

    def wait(self, good: Callable[[str], bool], otherwise: str, patience: float = PATIENCE) -> str:
        """Wait until the screen is as it should be; what it shows then."""
        end = time.monotonic() + patience
        while not good(text := self.text):
            assert time.monotonic() < end and "ended with" not in text, f"{otherwise}:\n{text}"
            time.sleep(POLL)
        return text

    def close(self) -> None:
        """End the window and its server."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True)
