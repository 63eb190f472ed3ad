"""A node with a party, and no socket left open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.net.api.kit import NodeProcess

from .door_host import Host
from .door_phone import RawSocket


@pytest.fixture(autouse=True)
def closed_sockets() -> Iterator[None]:
    yield
    RawSocket.close_all()


@pytest.fixture
def host(node: NodeProcess) -> Iterator[Host]:
    made = Host(node).local()
    yield made
    made.close()
    assert node.raw("GET", "/api/1/hello", node.as_owner())[0] == 200, "the owner's API must stand after every attack"
