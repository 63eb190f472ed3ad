"""The node's process: one per home. Lock, port and token lie in files there; clients find it by them."""

from __future__ import annotations

import errno
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.node.home_lock import is_locked
from kontor_games.net.system import child
from kontor_games.net.system.private_file import write_private

if TYPE_CHECKING:
    from kontor_games.net.api.matches.hub import Setup

PORT: Final = "node.port"
START_SECONDS: Final = 30
STOP_SECONDS: Final = 10
LOOPBACK_SECONDS: Final = 5
MAX_FILES: Final = 4096


@dataclass(frozen=True)
class Running:
    """A node that can be asked."""

    port: int
    pid: int
    token: str


# ---- the process itself


def run(directory: Path, setup: Setup, ready: BinaryIO | None = None, leash: int | None = None) -> None:
    """Be the node of this home until a signal ends it; tells `ready` in one JSON line when clients may come.

    The end of `leash`, a file descriptor to read from, ends the node too: whoever holds its other end is gone.
    """
    from kontor_games.net.node.home import Home

    home = Home(directory)  # locked while we live; the system lets go of it however the process ends
    _check_loopback()
    check_port(setup.bind, setup.port)
    from twisted.internet import reactor as installed

    from kontor_games.net.system import logs
    from kontor_games.net.system.uptime import run_by_uptime
    from kontor_games.net.wire.identity import load_or_create

    from .local_api import LocalApi

    reactor: Any = installed
    _want_files()
    run_by_uptime(reactor)
    logs.begin_logging(directory)
    identity = load_or_create(directory, os.environ.get("KONTOR_PASSPHRASE"))
    api = LocalApi(reactor, home, identity, setup)
    number = api.listen(_last_port(directory))
    write_private(directory / PORT, json.dumps({"port": number, "pid": os.getpid()}))
    if ready is not None:
        ready.write(json.dumps({"ready": True, "port": number, "pid": os.getpid()}).encode("ascii") + b"\n")
        ready.flush()
    reactor.addSystemEventTrigger("before", "shutdown", api.stop)
    if leash is not None:
        threading.Thread(target=_end_with, args=(reactor, leash), name="leash", daemon=True).start()
    reactor.run()
    write_private(directory / PORT, json.dumps({"port": number, "pid": 0}))
    home.close()


def _check_loopback() -> None:
    """ConfigError where clients could not reach us: without loopback a port opens, but every call to it fails."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as ear:
            socket.create_connection(ear.getsockname(), timeout=LOOPBACK_SECONDS).close()
    except OSError as error:
        missing = f"this machine does not reach itself at 127.0.0.1 ({error.strerror or 'no answer'})"
        raise ConfigError(f"{missing}: its loopback network is missing. On Linux: ip link set lo up") from None


def check_port(bind: str, port: int) -> None:
    """ConfigError if other nodes could not reach us at the port that was asked for: better now than at a table."""
    if not port:
        return
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as wire:
            if os.name == "posix":  # as the node will: a port that was in use a moment ago is free
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            wire.bind((bind, port))
            wire.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"port {port} is taken by another program; choose another with --port") from None
        raise ConfigError(f"port {port} cannot be opened{f' at {bind}' if bind else ''}: {error.strerror}") from None


def _end_with(reactor: Any, leash: int) -> None:
    # The bare descriptor: a thread that dies inside Python's buffered reader would spoil the exit.
    with suppress(OSError):
        while os.read(leash, 4096):
            pass
    reactor.callFromThread(lambda: reactor.running and reactor.stop())


def _want_files() -> None:
    """Every match and every connection is an open file: take as many as the system grants, up to some thousands."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wish = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wish:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wish, hard))


def _last_port(home: Path) -> int:
    """An open page finds the node again after a restart if the port is the same."""
    try:
        port = json.loads((home / PORT).read_text(encoding="ascii"))["port"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return port if isinstance(port, int) and 1024 <= port < 65536 else 0


# ---- its clients


def find(home: Path) -> Running | None:
    """The running node of this home, None if there is none."""
    from kontor_games.net.api.http.tokens import owner_token

    if not is_locked(home):
        return None
    try:
        found = json.loads((home / PORT).read_text(encoding="ascii"))
        if not found["pid"]:
            return None  # another program of ours works in this home, or a node is just starting
        return Running(int(found["port"]), int(found["pid"]), owner_token(home))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def start(home: Path, command: Sequence[str]) -> Running:
    """The node of this home, started with `command` if there is none."""
    running = find(home)
    if running is not None:
        return running
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = subprocess.Popen(  # noqa: S603 - our own program
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=child.environment(),
    )
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    process.stdout.close()
    if not line:
        complaint = process.stderr.read(4000).decode("utf-8", "replace").strip().splitlines()
        process.stderr.close()
        process.wait()
        running = find(home)  # another client was faster
        if running is not None:
            return running
        raise StoreError(f"the node did not start: {complaint[-1] if complaint else 'no reason given'}")
    process.stderr.close()
    process.returncode = 0  # it lives on by itself: do not warn about it when this object dies
    running = find(home)
    if running is None:
        raise StoreError(f"the node ended right after its start; see {home / 'node.log'}")
    return running


def stop(home: Path) -> bool:
    """End the node in order; False if there was none."""
    running = find(home)
    if running is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(running.pid, signal.SIGTERM)
    until = time.monotonic() + STOP_SECONDS
    while is_locked(home):
        if time.monotonic() > until:
            raise StoreError(f"the node (process {running.pid}) does not end")
        time.sleep(0.02)
    return True


def ended_in_order(home: Path) -> bool:
    """Whether the node that a client has just lost was stopped; False if it crashed, or runs after all."""
    until = time.monotonic() + STOP_SECONDS
    while is_locked(home) and time.monotonic() < until:
        running = find(home)
        if running is not None and _listens(running.port):
            return False
        time.sleep(0.05)
    try:
        return not is_locked(home) and not json.loads((home / PORT).read_text(encoding="ascii"))["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def ask(running: Running, method: str, path: str, body: object = None) -> Any:
    """One request to the API as its owner."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    try:
        headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
        connection.request(method, f"/api/1/{path}", None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        data = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise StoreError(f"the node does not answer: {type(error).__name__}") from None
    finally:
        connection.close()
    if answer.status >= 400:
        raise ConfigError(str(data.get("message", answer.status)))
    return data
