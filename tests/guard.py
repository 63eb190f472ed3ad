"""Nothing may be left behind by a test: pytest-twisted lets delayed calls, ports and lost errors pass silently."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Fail a test that leaks a delayed call, an open port or connection, or an unhandled Deferred failure.

    A test that expects errors to be logged takes them out of the list that this gives it.
    """
    from twisted.internet import reactor
    from twisted.logger import LogLevel, globalLogPublisher

    world: Any = reactor
    errors: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if event.get("log_level") in (LogLevel.error, LogLevel.critical):
            failure = event.get("log_failure")
            errors.append(failure.getTraceback() if failure else str(event.get("log_format")))

    calls = set(map(id, world.getDelayedCalls()))
    readers = set(map(id, world.getReaders()))
    globalLogPublisher.addObserver(note)
    try:
        yield errors
        if inspect.iscoroutinefunction(inspect.unwrap(request.function)):
            gc.collect()  # a Deferred tells of its unhandled failure when it dies
    finally:
        globalLogPublisher.removeObserver(note)
    leaked = [call for call in world.getDelayedCalls() if id(call) not in calls and _is_ours(call)]
    open_ones = [reader for reader in world.getReaders() if id(reader) not in readers and _is_socket(reader)]
    for call in leaked:
        call.cancel()
    assert not leaked, f"delayed calls left behind: {leaked}"
    assert not open_ones, f"ports or connections left behind: {open_ones}"
    assert not errors, f"errors logged: {errors}"


def _is_ours(call: Any) -> bool:
    """Twisted's thread pool and resolver keep calls of their own."""
    return not str(getattr(call.func, "__module__", "")).startswith(("twisted.internet.threads", "pytest_twisted"))


def _is_socket(reader: Any) -> bool:
    return hasattr(reader, "getHost")
