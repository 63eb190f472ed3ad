"""Opens the store that the settings name. Redis is imported only where it is used: it is an extra."""

from __future__ import annotations

import re
import socket
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from msgspec.structs import replace
from twisted.internet.defer import Deferred

from kontor_games.engine.errors import ConfigError, KontorError, StoreError
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import Store
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.lobby.store.sqlite import DATABASE, SqliteStore

MAIN = "main"  # the name of a process that was given none
MISSING = (
    "a store in Redis needs the package hiredis: pip install 'kontor-games[redis]', "
    "or in a checkout .venv/bin/python -m pip install hiredis"
)
R = TypeVar("R")


def is_in_redis(config: Config) -> bool:
    """Whether several processes can share the store of these settings."""
    return "://" in config.store


def read_redis(text: str) -> Any:
    """The place that a redis:// address means; ConfigError says what is wrong, or missing."""
    try:
        from kontor_games.lobby.store.redis.place import read_place
        from kontor_games.lobby.store.redis.redis_store import RedisStore  # noqa: F401 - is hiredis here?
    except ImportError as error:
        if error.name != "hiredis":
            raise
        raise ConfigError(MISSING) from None
    return read_place(text)


async def open_store(reactor: Any, config: Config, on_failure: Callable[[StoreError], None] | None = None) -> Store:
    """The store, ready for use; KontorError says why it is not."""
    if config.store == "memory":
        return MemoryStore()
    if config.store == "sqlite":
        return SqliteStore(config.directory / DATABASE, reactor.callFromThread, on_failure)
    place = read_redis(config.store)
    from kontor_games.lobby.store.redis.redis_store import RedisStore

    shared = RedisStore(reactor, place)
    await shared.open()
    return shared


def as_one_of_several(config: Config, port: int) -> Config:
    """The settings of a process that shares its store: a name of its own, and passes for its relay lead to it."""
    if not is_in_redis(config):
        return config
    if config.process == MAIN:
        host = re.sub(r"[^a-z0-9-]", "-", socket.gethostname().lower())[:24].strip("-") or "lobby"
        config = replace(config, process=f"{host}-{port}")
    if config.address and not config.relay.address:
        config = replace(config, relay=replace(config.relay, address=config.address))
    return config


def with_reactor(job: Callable[[Any], Awaitable[R]]) -> R:
    """Run a job that needs the reactor in a command that has none; its errors are the caller's."""
    from twisted.internet import reactor as _reactor

    reactor: Any = _reactor
    outcome: list[R] = []
    failures: list[BaseException] = []

    async def run() -> None:
        try:
            outcome.append(await job(reactor))
        except (KontorError, OSError) as error:
            failures.append(error)
        finally:
            reactor.callLater(0, reactor.stop)

    def failed(failure: Any) -> None:
        failures.append(failure.value)

    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(run()).addErrback(failed))
    reactor.run()
    if failures:
        raise failures[0]
    if not outcome:
        raise KontorError("stopped before it was done")
    return outcome[0]
