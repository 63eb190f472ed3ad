"""Settings for every test: hypothesis draws the same examples on every run, unless asked otherwise."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

LONG = 3 * 3600  # seconds: the longest of them plays for an hour on a busy machine

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a suite in the background: its children must hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A long test may take its time, but not for ever."""
    for item in items:
        if item.get_closest_marker("long") or item.get_closest_marker("netns"):
            item.add_marker(pytest.mark.timeout(LONG))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """pytest-twisted wraps a hypothesis test anew for each parameter set; the second wrapping would not run."""
    handle = getattr(pyfuncitem.obj, "hypothesis", None)
    inner = handle.inner_test if handle else None
    try:
        return (yield)
    finally:
        if handle:
            handle.inner_test = inner
