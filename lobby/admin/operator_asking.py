"""Asking the lobby that runs here, or the database of one that does not."""

from __future__ import annotations

import getpass
import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from kontor_games.engine.errors import KontorError


def operator() -> str:
    """Who sits at the keyboard: behind sudo the one who called it, for the lobby's own user says nothing."""
    with suppress(KeyError, OSError):
        return os.environ.get("SUDO_USER") or getpass.getuser()
    return "unknown"


def ask_lobby(directory: Path, ask: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of the lobby that runs here, of any of its processes; None if none runs."""
    for path in _sockets(directory):
        answer = _ask(path, ask) if path.exists() else None
        if answer is not None:
            return answer
    return None


def ask_every_process(directory: Path, ask: dict[str, Any]) -> dict[str, Any] | None:
    """The answers of all processes that run here, by name where they are several; what each has to do for itself."""
    found = {}
    for path in _sockets(directory):
        answer = _ask(path, ask) if path.exists() else None
        if answer is not None:
            found[path.stem.removeprefix("admin").lstrip("-")] = answer
    if len(found) < 2:
        return next(iter(found.values()), None)
    return {"processes": found}


def _sockets(directory: Path) -> list[Path]:
    return [directory / "admin.sock", *sorted(directory.glob("admin-*.sock"))]


def _ask(path: Path, ask: dict[str, Any]) -> dict[str, Any] | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.settimeout(30)
        try:
            wire.connect(str(path))
        except OSError:
            return None
        wire.sendall(json.dumps(ask).encode() + b"\n")
        answer: dict[str, Any] = json.loads(wire.makefile("rb").readline() or b'{"error": "no answer"}')
        return answer


def ask_store(config: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """The same on the database of a lobby that does not run; people learn of it when they come."""
    import time

    from kontor_games.lobby.commands.operators import perform
    from kontor_games.lobby.model.work import Work, run
    from kontor_games.lobby.store.sqlite import SqliteStore
    from kontor_games.net.table.catalogue import installed

    if "://" in config.store:
        return _ask_redis(config, ask)
    path = config.directory / "lobby.db"
    if not path.exists():
        raise KontorError(f"no lobby is running here and {path} does not exist; is --data right?")
    store = SqliteStore(path)
    try:
        job = run(
            lambda: Work(store, config, installed, int(time.time() * 1000)),
            lambda work: perform(work, ask),
        )
        try:
            job.send(None)
        except StopIteration as done:
            answer: dict[str, Any] = done.value
            return answer
        raise AssertionError("a store without a thread does not wait")
    finally:
        _finish(store.close())


def _ask_redis(config: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """The same on Redis; processes on other machines, if any, carry it out."""
    import time

    from kontor_games.lobby.commands.operators import perform
    from kontor_games.lobby.model.work import Work, run
    from kontor_games.net.table.catalogue import installed

    from .opening import open_store, with_reactor

    async def job(reactor: Any) -> dict[str, Any]:
        store = await open_store(reactor, config)
        try:
            return await run(
                lambda: Work(store, config, installed, int((time.time() + store.skew) * 1000)),
                lambda work: perform(work, ask),
            )
        finally:
            await store.close()

    return with_reactor(job)


def _finish(job: Any) -> None:
    try:
        job.send(None)
    except StopIteration:
        return
