"""Settings for every test: hypothesis draws the same examples on every run, unless asked otherwise.

`pytest` alone leaves out what is slow. Whoever names a file or a folder gets all of it, as `./scripts/test` does. What
has been compiled is kept in `build/pycache` where Python was told not to keep it beside the sources: hundreds of
processes are started here, and each would compile everything anew.

`--processor` prints how much of a processor the tests of each folder took, and the dearest of them.
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import HealthCheck, settings

LONG = 3 * 3600  # seconds: the longest of them plays for an hour on a busy machine
QUICK = 5.0  # seconds of a processor; tests that take more are marked as slow
TESTS = Path(__file__).parent
STARTED = pytest.StashKey[float]()
DEAREST = 40
MAX_NAME = 12  # bytes of a parameter in the name of a test
# Slow files that are counted all the same: without them too little of the engine would be.
COUNTED_TOO = ("engine/hansa/test_legality.py", "engine/test_departures.py")
SLOW = (  # files and folders in which all tests are slow; single tests carry the mark themselves
    "browser",
    "clients/test_acquaintance_commands.py",
    "clients/test_analysis.py",
    "clients/test_bots.py",
    "clients/test_cli.py",
    "clients/test_expert.py",
    "clients/test_hansa_board.py",
    "clients/test_kill.py",
    "clients/test_refusals.py",
    "clients/test_stats.py",
    "clients/test_verify.py",
    "clients/test_verify_archive.py",
    "clients/tui/test_after.py",
    "clients/tui/test_screen.py",
    "engine/hansa/test_bots.py",
    "engine/hansa/test_hidden.py",
    "engine/hansa/test_legality.py",
    "engine/hansa/test_playouts.py",
    "engine/joban/test_hidden.py",
    "engine/joban/test_playouts.py",
    "engine/osaka/test_playouts.py",
    "engine/test_conformance.py",
    "engine/test_departures.py",
    "engine/test_golden.py",
    "engine/yokohama/test_playouts.py",
    "explore",
    "frozen",
    "independent/test_agreement.py",
    "integration",
    "lobby/pages/test_published.py",
    "lobby/test_backup.py",
    "lobby/test_command.py",
    "lobby/test_crash.py",
    "lobby/test_flood.py",
    "lobby/test_hostile.py",
    "lobby/test_hosting.py",
    "lobby/test_ladder_desk.py",
    "lobby/test_ladder_lobby.py",
    "lobby/test_several.py",
    "lobby/test_siege.py",
    "mutants",
    "net/api/test_command.py",
    "net/api/test_first_page.py",
    "net/api/test_games.py",
    "net/api/test_network.py",
    "net/api/test_play.py",
    "net/archive/test_archive_reports.py",
    "net/ledger/test_places.py",
    "net/links/test_transport.py",
    "net/lockstep/test_promises.py",
    "net/lockstep/test_session.py",
    "net/lockstep/test_session_chaos.py",
    "net/lockstep/test_session_cheats.py",
    "net/lockstep/test_session_leaving.py",
    "net/node/test_discovery.py",
    "net/record/test_compare.py",
    "net/record/test_verdicts.py",
    "net/sealed/test_entries.py",
    "net/table/test_table_lies.py",
    "scripts/test_env.py",
    "scripts/test_make_archive.py",
    "scripts/test_wheel.py",
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a suite in the background: its children must hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

if sys.dont_write_bytecode:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(TESTS.parent / "build" / "pycache"))
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"]
    sys.dont_write_bytecode = False

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processor", action="store_true", help="print the processor seconds by folder")
    parser.addoption("--count-quick", action="store_true", help="coverage counts the quick tests of the engine alone")


def leaves_out_slow(config: pytest.Config) -> bool:
    """Whether this is `pytest` alone; the processes of xdist are told by the one that started them."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["leaves_out_slow"])
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long bytes do not name a test: keys and the like differ in every process, and all must see the same tests."""
    return argname if isinstance(val, bytes) and len(val) > MAX_NAME else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["leaves_out_slow"] = leaves_out_slow(node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A long test may take its time, but not for ever. Files of slow tests come first: nobody waits at the end."""
    for item in items:
        if item.get_closest_marker("long") or item.get_closest_marker("netns"):
            item.add_marker(pytest.mark.timeout(LONG))
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not is_slow(item.path))
    if leaves_out_slow(config):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: to look through all of it at every collection of garbage takes 0.2 s."""
    gc.collect()
    gc.freeze()


@functools.cache
def is_slow(path: Path) -> bool:
    """Whether all tests of a file are slow."""
    name = path.relative_to(TESTS).as_posix()
    return any(name == each or name.startswith(f"{each}/") for each in SLOW)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Coverage rests while a test runs that is not to be counted; counting makes it up to five times as long.

    A process of xdist counts twice, for itself and as the one that it was started like; where the one stops, the other
    goes on.
    """
    resting: list[coverage.Coverage] = []
    if item.config.getoption("--count-quick") and not is_counted(item):
        while counting := coverage.Coverage.current():
            counting.stop()
            resting.append(counting)
    try:
        return (yield)
    finally:
        for counting in reversed(resting):
            counting.start()


def is_counted(item: pytest.Item) -> bool:
    """Whether this test counts for the coverage of the engine in the usual run."""
    name = item.path.relative_to(TESTS).as_posix()
    return name in COUNTED_TOO or (name.startswith("engine/") and not item.get_closest_marker("slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Note how much of a processor a test took; on a busy machine the clock says little."""
    item.stash[STARTED] = processor_seconds()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """What a fixture of a whole module took counts for the test that made or ended it."""
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor", processor_seconds() - item.stash[STARTED]))


def processor_seconds() -> float:
    """Of this process and of those it started and has seen end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name tests that made the quick run slow, and print what all took if that is wanted."""
    took: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                seconds = dict(report.user_properties).get("processor", 0)
                took[report.nodeid] += seconds if isinstance(seconds, float) else 0
    if leaves_out_slow(config):
        for name, seconds in took.items():
            if seconds > QUICK:
                terminalreporter.write_line(f"{name} took {seconds:.0f} s of a processor: mark it as slow")
    if config.getoption("--processor"):
        folders: Counter[str] = Counter()
        for name, seconds in took.items():
            folders[name.split("::")[0].rpartition("/")[0]] += seconds
        for title, found in (("folder", folders.most_common()), ("test", took.most_common(DEAREST))):
            terminalreporter.write_sep("-", f"processor seconds by {title}")
            for name, seconds in found:
                terminalreporter.write_line(f"{seconds:8.1f} {name}")
        terminalreporter.write_line(f"{took.total():8.1f} s of a processor in all")


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
