"""Settings for every test: hypothesis draws the same examples on every run, unless asked otherwise.

`pytest` alone leaves out what is slow. Whoever names a file or a folder gets all of it, as `./scripts/test` does.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

LONG = 3 * 3600  # seconds: the longest of them plays for an hour on a busy machine
QUICK = 5.0  # seconds of a processor; tests that take more are marked as slow
TESTS = Path(__file__).parent
SLOW = (  # files and folders in which all tests are slow; single tests carry the mark themselves
    "browser",
    "clients/test_bots.py",
    "clients/test_cli.py",
    "clients/test_hansa_board.py",
    "clients/test_verify.py",
    "clients/tui/test_screen.py",
    "engine/hansa/test_bots.py",
    "engine/hansa/test_hidden.py",
    "engine/hansa/test_legality.py",
    "engine/hansa/test_playouts.py",
    "engine/joban/test_hidden.py",
    "engine/joban/test_playouts.py",
    "engine/test_conformance.py",
    "engine/test_golden.py",
    "engine/yokohama/test_playouts.py",
    "explore",
    "frozen",
    "independent/test_agreement.py",
    "integration",
    "lobby/test_command.py",
    "lobby/test_crash.py",
    "lobby/test_flood.py",
    "lobby/test_hostile.py",
    "lobby/test_siege.py",
    "mutants",
    "net/api/test_command.py",
    "net/api/test_first_page.py",
    "net/api/test_games.py",
    "net/api/test_network.py",
    "net/api/test_play.py",
    "net/ledger/test_places.py",
    "net/links/test_transport.py",
    "net/lockstep/test_promises.py",
    "net/lockstep/test_session.py",
    "net/lockstep/test_session_chaos.py",
    "net/lockstep/test_session_cheats.py",
    "net/lockstep/test_session_leaving.py",
    "net/record/test_compare.py",
    "net/record/test_verdicts.py",
    "net/sealed/test_entries.py",
    "net/table/test_table_lies.py",
    "scripts/test_env.py",
    "scripts/test_wheel.py",
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a suite in the background: its children must hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def leaves_out_slow(config: pytest.Config) -> bool:
    """Whether this is `pytest` alone; the processes of xdist are told by the one that started them."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["leaves_out_slow"])
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["leaves_out_slow"] = leaves_out_slow(node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A long test may take its time, but not for ever."""
    for item in items:
        if item.get_closest_marker("long") or item.get_closest_marker("netns"):
            item.add_marker(pytest.mark.timeout(LONG))
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    if leaves_out_slow(config):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def is_slow(path: Path) -> bool:
    """Whether all tests of a file are slow."""
    name = path.relative_to(TESTS).as_posix()
    return any(name == each or name.startswith(f"{each}/") for each in SLOW)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Note how much of a processor a test took; on a busy machine the clock says little."""
    before = processor_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor", processor_seconds() - before))


def processor_seconds() -> float:
    """Of this process and of those it started and has seen end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name tests that made the quick run slow."""
    if not leaves_out_slow(config):
        return
    for report in terminalreporter.getreports("passed"):
        seconds = dict(report.user_properties).get("processor", 0)
        if isinstance(seconds, float) and seconds > QUICK:
            terminalreporter.write_line(f"{report.nodeid} took {seconds:.0f} s of a processor: mark it as slow")


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
