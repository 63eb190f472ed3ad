"""One node for the tests that leave it as they found it; a fresh one for those that end it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .kit import NodeProcess


@pytest.fixture(scope="session")
def shared_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path_factory.mktemp("home")).start()
    yield made
    assert made.end() == 0
    assert "Traceback" not in (made.home / "node.log").read_text()


@pytest.fixture
def node(shared_node: NodeProcess) -> Iterator[NodeProcess]:
    yield shared_node
    shared_node.close_links()


@pytest.fixture
def own_node(tmp_path: Path) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path / "home").start()
    yield made
    if made.process is not None:
        made.end()
