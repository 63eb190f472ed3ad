"""Runs a lobby until it is told to stop. The only place that takes the real reactor."""

from __future__ import annotations

import errno
import gc
import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from twisted.internet import reactor as _reactor
from twisted.internet.address import IPv6Address
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.logger import Logger

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.lobby.commands import operators
from kontor_games.lobby.model.work import run
from kontor_games.lobby.pages.kit import PageKit
from kontor_games.lobby.pages.pages import Pages
from kontor_games.lobby.server.listening import addresses_of, endpoint_at
from kontor_games.lobby.server.service import Lobby
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.log import begin_logging
from kontor_games.lobby.settings.reloading import reloaded
from kontor_games.lobby.store.base import Unreachable
from kontor_games.net.system.uptime import run_by_uptime
from kontor_games.net.table.catalogue import installed
from kontor_games.net.wire.address import join_address
from kontor_games.net.wire.identity import fingerprint, load_or_create

from .admin.opening import as_one_of_several, is_in_redis, open_store, read_redis
from .admin_socket import SOCKET, listen_for_operators
from .status import status_site

NO_ADDRESS = (
    "nodes are not told where this process is: they cannot move here when another ends, and its relay serves nobody "
    "while there are others; set address (docs/hosting.md)"
)
_log = Logger(namespace="kontor.lobby")
reactor: Any = _reactor


def welcome(config: Config, port: int, mark: str, is_ipv6: bool) -> str:
    """How players come here, for whoever started the lobby."""
    hosts = addresses_of(config.listen, is_ipv6)
    address = config.address or join_address(hosts[0], port)
    data = str(config.directory)
    if is_in_redis(config):
        data = f"{read_redis(config.store)}, its key in {config.directory}"
    lines = [
        f"{config.title} is open on port {port}. This machine's addresses: {', '.join(hosts)}.",
        "Players add it once, with an address at which they can reach this machine and its fingerprint:",
        f"    kontor tables --lobby {address} --lobby-key {mark}",
        f"or in the web client's settings: {address}#{mark}",
        *([f"Its pages are at {config.pages.url or config.pages.listen}."] if config.pages.listen else []),
        f"Its data is in {data}; kontor lobby admin --help shows how to manage it; Ctrl-C stops it.",
    ]
    return "\n".join(lines)


def why_not_listening(error: CannotListenError) -> str:
    """What is in the way of a port, and what to do about it."""
    address = join_address(str(error.interface or "0.0.0.0"), int(error.port))  # noqa: S104 - told, not listened on
    match getattr(error.socketError, "errno", None):
        case errno.EADDRINUSE:
            return f"{address} is in use by another program, perhaps another lobby; stop it or choose another port"
        case errno.EADDRNOTAVAIL:
            return f"{address} is not an address of this machine"
        case errno.EACCES:
            return f"this user may not listen on {address}; choose a port above 1023"
    return f"cannot listen on {address}: {error.socketError}"


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
    return f"only {have} files may be open, but connections may need {wanted}; see LimitNOFILE in docs/hosting.md"


def tune_interpreter() -> None:
    """Make the interpreter fit for a server: call it once everything is imported."""
    sys.setswitchinterval(0.001)  # the writer thread must not wait long behind a busy reactor
    gc.collect()
    gc.freeze()  # modules and games never become garbage; looking at them again took a tenth of a second each time


class Runner:
    """One lobby process from start to end."""

    def __init__(self, config: Config, reread: Callable[[], Config], kit: PageKit | None = None) -> None:
        self.config = config
        self._reread = reread  # the settings as file and flags give them now
        self.exit_code = 0
        self.lobby: Lobby | None = None
        self._kit = kit
        self._pages: Pages | None = None
        self._ports: list[Any] = []
        self._trouble = ""  # why it could not start

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
        if self._trouble:  # last, behind the log
            print(f"kontor lobby: {self._trouble}", file=sys.stderr)
        return self.exit_code

    def _begin(self) -> None:
        Deferred.fromCoroutine(self._start()).addErrback(self._cannot_start)

    async def _start(self) -> None:
        config = self.config
        identity = load_or_create(config.directory)
        endpoint = endpoint_at(reactor, config.listen)
        config = self.config = self._as_started(config)
        store = await open_store(reactor, config, self._store_failed)
        lobby = self.lobby = Lobby(reactor, config, identity, store, installed)
        lobby.crew.on_replaced = self._replaced
        port = await lobby.start(endpoint)
        ready = {"ready": True, "port": port.getHost().port, "key": lobby.key.hex()}
        if config.metrics:
            site = await endpoint_at(reactor, config.metrics).listen(status_site(lobby.metrics, lobby.why_not_healthy))
            self._ports.append(site)
            ready["metrics"] = site.getHost().port
        if config.pages.listen:
            self._pages = Pages(reactor, config, self._kit, lobby.work)
            where = endpoint_at(reactor, config.pages.listen)
            ready["pages"] = await self._pages.open(where, port.getHost().port, fingerprint(lobby.key))
        if config.store != "memory":
            # Several processes may share a directory, with the lobby's key in it.
            name = f"admin-{config.process}.sock" if is_in_redis(config) else SOCKET
            self._ports.append(listen_for_operators(reactor, config.directory, self._operate, name))
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(self._hung_up))
        tune_interpreter()
        _log.info("listening", port=port.getHost().port, fingerprint=fingerprint(lobby.key), process=config.process)
        if store.is_shared and not config.address:
            _log.warn("no address", reason=NO_ADDRESS)
        print(json.dumps(ready), flush=True)
        is_ipv6 = isinstance(port.getHost(), IPv6Address)
        print(welcome(config, port.getHost().port, fingerprint(lobby.key), is_ipv6), file=sys.stderr, flush=True)

    @staticmethod
    def _as_started(config: Config) -> Config:
        return as_one_of_several(config, int(config.listen.rpartition(":")[2]))

    def _store_failed(self, error: StoreError) -> None:
        """Memory is ahead of the disk now: end, and let whoever runs us start again from the file."""
        _log.critical("store failed", reason=str(error))
        self._stop(3)

    def _replaced(self, reason: str) -> None:
        """Another process was started with our name while this one was stopped: two would fight over the people."""
        _log.critical("replaced", reason=reason)
        self._stop(4)

    def _cannot_start(self, failure: Any) -> None:
        if failure.check(CannotListenError):
            self._trouble = why_not_listening(failure.value)
        elif failure.check(KontorError, OSError):
            self._trouble = failure.getErrorMessage()
        else:
            _log.failure("cannot start", failure=failure)
            self._trouble = "cannot start because of a defect; the log has the place"
        # What is only away may be back in a moment: whoever runs us may start us again.
        self._stop(3 if failure.check(Unreachable) else 2)

    def _stop(self, code: int) -> None:
        self.exit_code = self.exit_code or code
        if reactor.running:
            reactor.callLater(0, _stop_reactor)

    def _hung_up(self) -> None:
        """SIGHUP: read the settings again, as an operator may ask for too."""
        job = Deferred.fromCoroutine(self._operate({"do": "reload", "by": "SIGHUP"}))
        job.addErrback(lambda failure: _log.error("cannot reload", reason=failure.getErrorMessage()))

    def _reload(self) -> dict[str, Any]:
        """Take over what can be; KontorError, and nothing has changed, if the settings have a fault."""
        assert self.lobby is not None
        reloads = self.lobby.metrics.reloads
        try:
            found = reloaded(self.config, self._as_started(self._reread()))
            if self._pages is not None:
                self._pages.read_certificate()
            self.lobby.reload(found.config)
        except KontorError:
            reloads.labels("refused").inc()
            raise
        if self._pages is not None:
            self._pages.rename(found.config.title)
        reloads.labels("done").inc()
        self.config = found.config
        return {"reloaded": list(found.changed), "waiting": list(found.waiting)}

    async def _operate(self, ask: dict[str, Any]) -> dict[str, Any]:
        assert self.lobby is not None
        done_here = {"reload": self._reload}.get(str(ask.get("do")))
        perform = partial(operators.record, answer=done_here()) if done_here else operators.perform
        answer = await run(self.lobby.work, partial(perform, ask=ask))
        name = str(ask.get("do"))
        self.lobby.metrics.sanctions.labels(name).inc()
        if name in operators.CHANGES:
            done = operators.deed(int(time.time() * 1000), ask, answer)
            _log.info("operator", **{field: str(value) for field, value in done.items()})
        return answer

    def _shut_down(self) -> Deferred[None]:
        for name in ("SIGINT", "SIGTERM", "SIGBREAK"):  # one is enough: it ends within seconds
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        return Deferred.fromCoroutine(self._shut()).addErrback(self._cannot_stop)

    def _cannot_stop(self, failure: Any) -> None:
        """Not all could be put away in order; what was acknowledged is on the disk all the same."""
        _log.failure("cannot stop in order", failure=failure)
        self.exit_code = self.exit_code or 3

    async def _shut(self) -> None:
        for port in self._ports:
            await maybeDeferred(port.stopListening)
        if self._pages is not None:
            await self._pages.close()
        if self.lobby is not None:
            _log.info("stopping")
            await self.lobby.stop("the lobby closes or restarts; your matches go on without it")


def _stop_reactor() -> None:
    if reactor.running and not reactor._stopped:
        reactor.stop()
