"""Processes of the lobby's bench: children that speak JSON lines, pinned to a core, and how a lobby is started."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ROLES = ROOT / "scripts" / "benches" / "bench_lobby_roles.py"
SERVER, LOAD = "0", "1"  # cores
FREE = "{per_second = 1e8, burst = 1e8}"
SETTINGS = (
    "[limits]\n"
    + "".join(
        f"{kind} = {FREE}\n"
        for kind in (
            "arrivals",
            "handshakes",
            "messages",
            "bytes",
            "chat",
            "tables",
            "names",
            "lists",
            "relays",
        )
    )
    + "max_unsigned = 10000\nmax_connections = 20000\nping_every = 120\n"
    + "[relay]\nbytes_per_second = 1e9\nbytes_burst = 1e9\nbytes_per_day = 1000000000\ntotal_bytes_per_second = 1e9\n"
)


class RoleProcess:
    """A process that speaks JSON lines."""

    def __init__(self, command: list[str], core: str | None = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, preexec_fn=_pin(core)
        )

    def hear(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError(f"{self.process.args} ended")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def tell(self, line: str) -> dict[str, Any]:
        self.process.stdin.write(line + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        return self.hear()

    def rss(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def starved_seconds(self) -> float:
        """How long it was ready to run while others had the processors; much of it makes a latency worthless."""
        with contextlib.suppress(OSError):
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9
        return 0.0

    def stop(self, patience: float = 0.0) -> None:
        """End it; a load that has told its result ends by itself within its patience."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]


def _pin(core: str | None) -> Callable[[], None] | None:
    if core is None or not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2:
        return None
    return lambda: os.sched_setaffinity(0, {int(core)})


@contextlib.contextmanager
def child(command: list[str], core: str | None = None, patience: float = 0.0) -> Iterator[RoleProcess]:
    it = RoleProcess(command, core)
    try:
        yield it
    finally:
        it.stop(patience)


def role(core: str, name: str, *arguments: object) -> list[str]:
    return [sys.executable, str(ROLES), core, name, *map(str, arguments)]


def lobby_command(folder: Path, *flags: str) -> list[str]:
    """A lobby on loopback with its data in this folder and without limits; it says its port in its first line."""
    (folder / "lobby.toml").write_text(SETTINGS)
    start = "import sys; from kontor_games.clients.entry import main; sys.exit(main())"
    own = ["--config", f"{folder}/lobby.toml", "--data", f"{folder}/data", "--metrics", "", *flags]
    command = [sys.executable, "-c", start, "lobby", "--listen", "127.0.0.1:0", *own]
    return ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "lobby", *command]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Return once somebody listens there."""
    for _ in range(200):
        with socket.socket() as it:
            if it.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")
