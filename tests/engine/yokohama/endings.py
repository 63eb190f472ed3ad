"""One match for each way Yokohama can end; the greedy ones also cover mini expansions and the short options."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, bool | int | str], int, str, str]] = [
    ("church", {}, 2, "01", "random"),
    ("church-three-players", {"mini_1": True}, 3, "01", "greedy"),
    ("customs", {}, 2, "07", "greedy"),
    ("port", {"mini_1": True, "mini_2": True}, 4, "01", "random"),
    ("trading-houses", {"houses_end": 2}, 4, "0005", "greedy"),
    ("shops", {"shops_end": 2}, 3, "01", "random"),
    ("rounds", {"max_rounds": 6}, 3, "01", "random"),
]
REASONS = {
    "church": "church",
    "church-three-players": "church",
    "customs": "customs",
    "port": "port",
    "trading-houses": "trading_houses",
    "shops": "shops",
    "rounds": "rounds",
}
