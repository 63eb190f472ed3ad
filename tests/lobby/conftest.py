"""The guard against leftovers of net's tests holds here too."""

from __future__ import annotations

from tests.net.conftest import nothing_left_behind  # noqa: F401 - a fixture for every test in this folder
