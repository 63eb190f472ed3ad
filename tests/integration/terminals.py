"""`kontor` in child processes with pipes for a terminal: what a person types and reads."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from kontor_games.net.api import daemon
from kontor_games.net.node import home_lock
from kontor_games.net.system import child

PATIENCE = 90.0
QUIET_NETWORK = {"KONTOR_BIND": "127.0.0.1", "KONTOR_LAN": "0"}  # nodes that only this machine can see


class Seat:
    """One person's `kontor` command."""

    def __init__(self, home: Path, arguments: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.text = ""  # everything that was printed
        self.passed = 0  # how much of it `until` has passed
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a letter may come in two parts
        self.process = subprocess.Popen(
            [*child.python(), "-m", "kontor_games.clients.entry", *arguments, "--home", str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**child.environment(), **QUIET_NETWORK, "NO_COLOR": "1", **(variables or {})},
        )

    def until(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        """Read on until the pattern was printed."""
        end = time.monotonic() + patience
        while True:
            found = re.compile(pattern).search(self.text, self.passed)
            if found:
                self.passed = found.end()
                return found
            assert time.monotonic() < end, f"{pattern!r} was not printed, but: {self.text[self.passed :][-2000:]}"
            self.read()

    def read(self) -> None:
        """Take in what was printed meanwhile."""
        assert self.takes_in(), f"kontor has ended: {self.text[-2000:]}"

    def takes_in(self) -> bool:
        """Wait a moment for what is printed; False at its end."""
        stdout = self.process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], 0.2)[0]:
            return True
        data = os.read(stdout.fileno(), 65536)
        self.text += self._decoder.decode(data)
        return bool(data)

    def type(self, text: str) -> None:
        """Type one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> bool:
        """Answer a prompt, if there is one: confirm the draft, else the first entry of the menu. True if confirmed."""
        prompt = re.compile(r"(Enter confirms[^>\n]*)?> $").search(self.text, self.passed)
        if prompt is None:
            self.read()
            return False
        self.passed = prompt.end()
        self.type("" if prompt[1] else "1")
        return bool(prompt[1])

    @property
    def is_asked(self) -> bool:
        """Whether a prompt waits for an answer."""
        return self.text[self.passed :].endswith("> ")

    def interrupt(self) -> int:
        """Ctrl-C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def kill(self) -> None:
        """kill -9"""
        self.process.kill()
        self.close()

    def wait(self) -> int:
        """Let it end by itself; returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self.takes_in():
            assert time.monotonic() < end, f"kontor goes on and on: {self.text[-2000:]}"
        code = self.process.wait(30)
        self.close()
        return code

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(OSError):  # unread input of a killed process
                    pipe.close()


def kill_node(home: Path) -> None:
    """kill -9 for the background node of this home; the next client starts it again."""
    running = daemon.find(home)
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    until = time.monotonic() + PATIENCE
    while home_lock.is_locked(home):
        assert time.monotonic() < until
        time.sleep(0.02)


def take_turns(seats: Sequence[Seat], turns: int) -> None:
    """Whoever is asked plays, until this many turns were confirmed."""
    end = time.monotonic() + PATIENCE
    while turns:
        turns -= sum(seat.answer() for seat in seats)
        assert time.monotonic() < end, [seat.text[-500:] for seat in seats]
