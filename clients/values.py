"""Types that all clients share."""

from __future__ import annotations

from typing import Any, TypeAlias

Data: TypeAlias = dict[str, Any]  # an object of the node's JSON
