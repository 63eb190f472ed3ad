"""A node and a window for the browser tests; without Chromium they say so and are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser, programs
from .play import set_pace

MISSING = "no Chromium with chromedriver here: apt-get install chromium chromium-driver"


@pytest.fixture(scope="session")
def _chromium() -> None:
    if programs() is None:
        pytest.skip(MISSING)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory, _chromium: None) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path_factory.mktemp("home")).start()
    set_pace(made, "off")
    made.link().put("settings", {**made.link().get("settings"), "name": "Ann"})
    yield made
    if made.process is not None:
        made.end()


@pytest.fixture(scope="session")
def _chromium_window(_chromium: None) -> Iterator[Browser]:
    """One for all files: a browser takes seconds to start."""
    with Browser() as window:
        yield window


@pytest.fixture(scope="module")
def _window(_chromium_window: Browser) -> Browser:
    """The window as it was when it was new, for each file: empty, nobody signed in, nothing remembered."""
    _chromium_window.forget()
    return _chromium_window


@pytest.fixture
def browser(_window: Browser) -> Browser:
    """The module's window, as wide as a desk and without old complaints."""
    _window.resize(1280, 900)
    _window.complaints()
    return _window
