"""One match for each way the fair can end: name, options, seats, seed, policy."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, object], int, str, str]] = []
REASONS: dict[str, str] = {}
