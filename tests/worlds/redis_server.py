"""A real Redis server of a test: on loopback, its file in a folder; started, killed, stopped, started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kontor_games.lobby.store.redis.place import read_place
from kontor_games.lobby.store.redis.redis_store import RedisStore
from tests.worlds.lobby_hall import the_reactor

PROGRAM = next((found for name in ("redis-server", "valkey-server") if (found := shutil.which(name))), None)
MISSING = "there is no redis-server on this machine, so nothing of Redis is tested; install redis-server"
needs_redis = pytest.mark.skipif(PROGRAM is None, reason=MISSING)


def free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


class RedisServer:
    """One server; `settings` are those of redis.conf."""

    def __init__(self, folder: Path, fsync: str = "always", **settings: str) -> None:
        assert PROGRAM is not None, MISSING
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = free_port()
        named = {"appendonly": "no" if fsync == "off" else "yes", "appendfsync": "always" if fsync == "off" else fsync}
        named |= {name.replace("_", "-"): value for name, value in settings.items()}
        self._settings = [part for name, value in named.items() for part in (f"--{name}", value)]
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        assert PROGRAM is not None
        where = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        with open(self.folder / "redis.log", "ab") as log:
            self.process = subprocess.Popen([PROGRAM, *where, *self._settings], stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while self.say("PING") not in (b"+PONG", b"-NOAUTH Authentication required."):
            assert self.process.poll() is None, (self.folder / "redis.log").read_text()
            assert time.monotonic() < deadline, "Redis does not answer"
            time.sleep(0.01)  # it has no ready line; there may be no reactor here

    def say(self, command: str) -> bytes:
        """Ask for something in one line; the first line of the answer, empty if there is none."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as wire:
                wire.sendall(command.encode() + b"\r\n")
                with wire.makefile("rb") as answer:
                    return answer.readline().strip()
        except OSError:
            return b""

    def kill(self) -> None:
        """As a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.resume()
            self.process.terminate()
            self.process.wait(20)

    def processor_seconds(self) -> float:
        """How long it has run on a processor."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9


async def open_redis(url: str, **more: Any) -> RedisStore:
    """A store on a server, connected."""
    store = RedisStore(the_reactor(), read_place(url), **more)
    await store.open()
    return store


@contextmanager
def redis_server(folder: Path, fsync: str = "always", **settings: str) -> Iterator[RedisServer]:
    server = RedisServer(folder, fsync, **settings)
    try:
        yield server
    finally:
        server.stop()
