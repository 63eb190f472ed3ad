"""The web client in a real browser: first paint from a warm node, and what an update of each largest board costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.bench import measure

FIRST_GOAL_MS = 1000
REDRAW_GOAL_MS = 16


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """Rows of milliseconds; `whole` draws the same board from nothing, so that `share` holds on any machine."""
    found: Any = measure()
    rows = [
        {
            "board": game,
            "elements": told["elements"],
            "first_ms": found[f"{game}_first_ms"],
            "update_ms": round(told["script_ms"] + told["layout_ms"], 1),
            "whole_ms": told["whole_ms"],
            "share": round(told["script_ms"] / told["whole_ms"], 2),
        }
        for game, told in found["redraw"].items()
    ]
    home = f"home: first paint after {found['home_ms']} ms"
    goals = f"goals: first paint below {FIRST_GOAL_MS} ms, update below {REDRAW_GOAL_MS} ms, on a machine at rest"
    return {"rows": rows, "notes": [home, goals]}
