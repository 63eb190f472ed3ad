"""Runs a lobby until it is told to stop. The only place that takes the real reactor."""

from __future__ import annotations

import gc
import json
import sys
import time
from contextlib import suppress
from functools import partial
from typing import Any

from twisted.internet import reactor as _reactor
from twisted.internet.address import IPv6Address
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import Logger

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.lobby.commands import operators
from kontor_games.lobby.model.work import run
from kontor_games.lobby.server.certificate import server_tls
from kontor_games.lobby.server.listening import addresses_of, endpoint_at
from kontor_games.lobby.server.service import Lobby
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.log import begin_logging
from kontor_games.lobby.store.base import Store
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.lobby.store.sqlite import InUse, SqliteStore
from kontor_games.net.system.uptime import run_by_uptime
from kontor_games.net.table.catalogue import installed
from kontor_games.net.wire.address import join_address
from kontor_games.net.wire.identity import fingerprint, load_or_create

from .admin_socket import listen_for_operators
from .status import status_site

DATABASE = "lobby.db"
_log = Logger(namespace="kontor.lobby")
reactor: Any = _reactor


def check(config: Config) -> str:
    """Try everything that a start needs but the ports; what to tell the operator."""
    identity = load_or_create(config.directory)
    _, key = server_tls(config, identity)
    is_running = False
    if config.store == "sqlite":
        try:
            store = SqliteStore(config.directory / DATABASE)
        except InUse:
            is_running = True
        else:
            with suppress(StopIteration):
                store.close().send(None)
    found = f"settings are fine; the lobby's fingerprint is {fingerprint(key)}"
    return found + (f"\na lobby with the data in {config.directory} is running now" if is_running else "")


def welcome(config: Config, port: int, mark: str, is_ipv6: bool) -> str:
    """How players come here, for whoever started the lobby."""
    hosts = addresses_of(config.listen, is_ipv6)
    lines = [
        f"{config.title} is open on port {port}. This machine's addresses: {', '.join(hosts)}.",
        "Players name it once, by the address under which they reach this machine and by its fingerprint:",
        f"    kontor tables --lobby {join_address(hosts[0], port)} --lobby-key {mark}",
        f"or in the web client's settings: {join_address(hosts[0], port)}#{mark}",
        f"Its data is in {config.directory}; kontor lobby admin --help looks after it; Ctrl-C stops it.",
    ]
    return "\n".join(lines)


def files_needed(config: Config) -> int:
    """How many files are open when every place is taken."""
    limits, relay = config.limits, config.relay
    return limits.max_connections + limits.max_unsigned + 2 * (relay.max_pairs + relay.max_passes) + 100


def allow_files(wanted: int) -> str | None:
    """Let this process open as many files as it is allowed to; why that may be too few, or None."""
    try:
        import resource
    except ImportError:  # systems that have no such limit
        return None
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    have = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if have in (-1, resource.RLIM_INFINITY) or have >= wanted:
        return None
    return f"only {have} files may be open at a time, for {wanted} connections; see LimitNOFILE in docs/hosting.md"


def tune_interpreter() -> None:
    """Make the interpreter fit for a server: call it once everything is imported."""
    sys.setswitchinterval(0.001)  # the writer thread must not wait long behind a busy reactor
    gc.collect()
    gc.freeze()  # modules and games never become garbage; looking at them again took a tenth of a second each time


class Runner:
    """One lobby process from start to end."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.exit_code = 0
        self.lobby: Lobby | None = None
        self._ports: list[Any] = []
        self._stopping = False

    def run(self) -> int:
        """Serve until SIGTERM or SIGINT; the process's exit code."""
        run_by_uptime(reactor)
        begin_logging(sys.stderr)
        config = self.config
        trouble = allow_files(files_needed(config))
        if trouble is not None:
            _log.warn("open files", reason=trouble)
        reactor.callWhenRunning(self._begin)
        reactor.addSystemEventTrigger("before", "shutdown", self._shut_down)
        reactor.run()
        return self.exit_code

    def _begin(self) -> None:
        Deferred.fromCoroutine(self._start()).addErrback(self._cannot_start)

    async def _start(self) -> None:
        config = self.config
        identity = load_or_create(config.directory)
        store = self._open_store()
        lobby = self.lobby = Lobby(reactor, config, identity, store, installed)
        port = await lobby.start(endpoint_at(reactor, config.listen))
        ready = {"ready": True, "port": port.getHost().port, "key": lobby.key.hex()}
        if config.metrics:
            site = await endpoint_at(reactor, config.metrics).listen(status_site(lobby.metrics, lobby.why_not_healthy))
            self._ports.append(site)
            ready["metrics"] = site.getHost().port
        if config.store == "sqlite":
            self._ports.append(listen_for_operators(reactor, config.directory, self._operate))
        tune_interpreter()
        _log.info("listening", port=port.getHost().port, fingerprint=fingerprint(lobby.key), store=config.store)
        print(json.dumps(ready), flush=True)
        is_ipv6 = isinstance(port.getHost(), IPv6Address)
        print(welcome(config, port.getHost().port, fingerprint(lobby.key), is_ipv6), file=sys.stderr, flush=True)

    def _open_store(self) -> Store:
        if self.config.store == "memory":
            return MemoryStore()
        return SqliteStore(self.config.directory / DATABASE, reactor.callFromThread, self._store_failed)

    def _store_failed(self, error: StoreError) -> None:
        """Memory is ahead of the disk now: end, and let whoever runs us start again from the file."""
        _log.critical("store failed", reason=str(error))
        self._stop(3)

    def _cannot_start(self, failure: Any) -> None:
        text = failure.getErrorMessage()
        if failure.check(KontorError, OSError) or "listen" in text.lower():
            print(f"kontor lobby: {text}", file=sys.stderr)
        else:
            _log.failure("cannot start", failure=failure)
        self._stop(2)

    def _stop(self, code: int) -> None:
        self.exit_code = self.exit_code or code
        if reactor.running:
            reactor.callLater(0, _stop_reactor)

    async def _operate(self, ask: dict[str, Any]) -> dict[str, Any]:
        assert self.lobby is not None
        answer = await run(self.lobby.work, partial(_perform, ask=ask))
        name = str(ask.get("do"))
        self.lobby.metrics.sanctions.labels(name).inc()
        if name in operators.CHANGES:
            done = operators.deed(int(time.time() * 1000), ask, answer)
            _log.info("operator", **{field: str(value) for field, value in done.items()})
        return answer

    def _shut_down(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self._shut()).addErrback(self._cannot_stop)

    def _cannot_stop(self, failure: Any) -> None:
        """Not all could be put away in order; what was acknowledged is on the disk all the same."""
        _log.failure("cannot stop in order", failure=failure)
        self.exit_code = self.exit_code or 3

    async def _shut(self) -> None:
        for port in self._ports:
            await maybeDeferred(port.stopListening)
        if self.lobby is not None:
            _log.info("stopping")
            await self.lobby.stop("the lobby closes or restarts; your matches go on without it")


async def _perform(work: Any, ask: dict[str, Any]) -> dict[str, Any]:
    return await operators.perform(work, ask)


def _stop_reactor() -> None:
    if reactor.running and not reactor._stopped:
        reactor.stop()
