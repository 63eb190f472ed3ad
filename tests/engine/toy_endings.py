"""One match for each way the toy can end."""

from __future__ import annotations

from typing import Any

ENDINGS: list[tuple[str, dict[str, Any], int, str, str]] = [
    ("points", {}, 3, "0000", "greedy"),
    ("rounds", {"rounds": 2}, 4, "0000", "random"),
]
REASONS = {"points": "points", "rounds": "rounds"}
