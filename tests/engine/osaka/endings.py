"""One match for each way Merchants of Osaka can end."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, bool | int | str], int, str, str]] = [
    ("tokens", {}, 3, "01", "greedy"),
    ("tokens-two-players", {"refill_timing": "after_payout"}, 2, "02", "random"),
    ("standstill", {}, 4, "02", "random"),
]
REASONS = {"tokens": "tokens", "tokens-two-players": "tokens", "standstill": "standstill"}
