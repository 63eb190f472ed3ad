"""One match for each way Merchants of Osaka can end."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, bool | int | str], int, str, str]] = [
    ("tokens", {}, 3, "01", "greedy"),
    ("tokens-two-players", {"refill_timing": "after_payout"}, 2, "02", "random"),
    ("tokens-any-goods-insured", {"insure_only_sunk_colours": False}, 4, "00", "random"),
    ("standstill", {}, 4, "02", "random"),
]
REASONS = {name: name.partition("-")[0] for name, *_ in ENDINGS}
