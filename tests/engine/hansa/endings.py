"""One match for each way a match can end on each map: name, options, seats, seed, policy."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, bool | int | str], int, str, str]] = [
    ("base-45-points", {"map": "base_45"}, 4, "00", "greedy"),
    ("base-45-markers", {"map": "base_45"}, 4, "00", "hansa:collector"),
    ("base-45-cities", {"map": "base_45"}, 5, "00", "hansa:builder"),
    ("base-3-points", {"map": "base_3", "missions": True, "favour": True}, 3, "01", "greedy"),
    ("base-3-markers", {"map": "base_3"}, 3, "00", "hansa:collector"),
    ("base-3-cities", {"map": "base_3"}, 3, "00", "hansa:builder"),
    ("base-3-two-players", {"map": "base_3", "missions": True}, 2, "02", "greedy"),
    ("east-points", {"map": "east"}, 3, "00", "greedy"),
    ("east-markers", {"map": "east"}, 2, "00", "hansa:collector"),
    ("east-cities", {"map": "east"}, 4, "02", "hansa:builder"),
    ("britannia-45-points", {"map": "britannia_45"}, 4, "00", "greedy"),
    ("britannia-45-markers", {"map": "britannia_45"}, 4, "00", "hansa:collector"),
    ("britannia-45-cities", {"map": "britannia_45"}, 4, "00", "hansa:builder"),
    ("britannia-3-points", {"map": "britannia_3"}, 2, "00", "greedy"),
    ("britannia-3-markers", {"map": "britannia_3"}, 3, "00", "hansa:collector"),
    ("britannia-3-cities", {"map": "britannia_3"}, 3, "00", "hansa:builder"),
    (
        "rounds-with-every-module",
        {
            "missions": True,
            "favour": True,
            "silver": "extra:2,swap:2,move:1,develop:1,exchange:2,office:2,route:2",
            "max_rounds": 20,
        },
        5,
        "00",
        "random",
    ),
]
REASONS = {
    name: next((word for word in ("points", "markers", "cities", "rounds") if word in name), "points")
    for name, *_ in ENDINGS
}
