"""A lobby in a process of its own, for tests that kill or flood it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.worlds.quick_start import MAIN, Popen

ROOT = Path(__file__).parents[2]
KONTOR = [sys.executable, "-c", MAIN]


class LobbyProcess:
    """`kontor lobby` on loopback, from its ready line on."""

    def __init__(
        self,
        data: Path,
        port: int = 0,
        *arguments: str,
        prefix: Sequence[str] = (),
        kontor: Sequence[str] = tuple(KONTOR),
        host: str = "127.0.0.1",
    ) -> None:
        listen = ("--listen", f"{host}:{port}", "--metrics", "127.0.0.1:0", "--data", str(data))
        self.data = data
        self._errors = open(data.with_suffix(".log"), "ab")  # noqa: SIM115 - closed in `close`
        self.process = Popen(
            [*prefix, *kontor, "lobby", *listen, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, data.with_suffix(".log").read_text()
        ready: dict[str, Any] = json.loads(line)
        self.ready = ready
        self.port: int = ready["port"]
        self.key = bytes.fromhex(ready["key"])
        self._metrics: int = ready["metrics"]

    def kill(self) -> None:
        """As a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self._close()

    def stop(self) -> int:
        """In order; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._close()
        return code

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()

    def rss(self) -> float:
        """Megabytes of memory in use."""
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def sockets(self) -> int:
        """How many it has open, those it listens on included."""
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        return sum(_leads_to_a_socket(link) for link in links)

    def starved_seconds(self) -> float:
        """How long it was ready to run while others had the processors: with much of it latencies mean little."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9

    def processor_seconds(self) -> float:
        """How long it has run on a processor."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9

    def health(self) -> tuple[int, str]:
        """What a monitor is told."""
        try:
            with urlopen(f"http://127.0.0.1:{self._metrics}/health", timeout=30) as answer:
                return answer.status, answer.read().decode().strip()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode().strip()

    def metrics(self) -> dict[str, float]:
        """All counters by name and labels."""
        text = urlopen(f"http://127.0.0.1:{self._metrics}/metrics", timeout=30).read().decode()
        rows = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name.removeprefix("kontor_lobby_"): float(value) for name, value in rows}


def _leads_to_a_socket(link: Path) -> bool:
    try:
        return os.readlink(link).startswith("socket:")
    except OSError:  # closed meanwhile
        return False
