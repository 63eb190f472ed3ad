"""The web client in a real browser: first sight from a warm node, a click on each largest board, long tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.bench import measure

GOALS = {"first_ms": 1000, "draw_ms": 16, "click_ms": 100, "long_task_ms": 50}


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """Rows of milliseconds: medians, except for the longest task.

    `draw_ms` is time of a processor from the answer of the node to the last pixel, `thread_ms` with the asking, the
    reading and whoever measures as well; the others are time that passes.
    """
    found = measure()
    rows = [
        {
            "board": game,
            "elements": told["elements"],
            "first_ms": round(told["first_ms"], 1),
            "draw_ms": round(told["draw"], 1),
            "thread_ms": round(told["thread"], 1),
            "click_ms": round(told["all"], 1),
            "long_task_ms": round(told["long"], 1),
        }
        for game, told in found["boards"].items()
    ]
    missed = [f"{row['board']} {name} {row[name]}" for row in rows for name, most in GOALS.items() if row[name] > most]
    goals = ", ".join(f"{name} at most {most}" for name, most in GOALS.items())
    home = f"home: something to click after {found['home_ms']:.0f} ms"
    return {
        "rows": rows,
        "notes": [home, f"goals on a machine at rest: {goals}", f"missed: {', '.join(missed) or 'none'}"],
    }
