"""Interleaved rounds: every contender runs once per round, in rotated order; medians of per-round ratios."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

Contender = Callable[[float], float]  # runs for about that many seconds, returns operations per second


def rounds(contenders: Mapping[str, Contender], count: int, seconds: float) -> list[dict[str, float]]:
    """Operations per second of each contender in each round; one unmeasured warm-up round comes first."""
    names = list(contenders)
    found = []
    for number in range(-1, count):
        shift = number % len(names)
        order = names[shift:] + names[:shift]
        rates = {name: contenders[name](seconds if number >= 0 else seconds / 4) for name in order}
        if number >= 0:
            found.append(rates)
    return found


def rate(work: Callable[[], int], seconds: float) -> float:
    """How many operations per CPU second `work` does; it returns how many it did in one call.

    CPU time, because these contenders never wait: what else runs on the machine then does not count.
    """
    done = 0
    start = time.process_time()
    while (passed := time.process_time() - start) < seconds:
        done += work()
    return done / passed


def ratio(found: list[dict[str, float]], name: str, against: str) -> dict[str, float]:
    """Median and range of the per-round ratios."""
    ratios = [each[name] / each[against] for each in found]
    return {"median": median(ratios), "low": min(ratios), "high": max(ratios)}


def middle(found: list[dict[str, float]], name: str) -> float:
    """Median rate, for orientation only: it is not comparable between runs."""
    return median(each[name] for each in found)


def steal() -> tuple[int, int] | None:
    """Stolen and total time of this machine so far, where the system tells."""
    try:
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    except (OSError, ValueError):
        return None
    return fields[7], sum(fields)


def steal_since(before: tuple[int, int] | None) -> float | None:
    """Percent of time that the hypervisor took since then; above 2 the run is void."""
    now = steal()
    if before is None or now is None or now[1] == before[1]:
        return None
    return round(100 * (now[0] - before[0]) / (now[1] - before[1]), 2)


def print_table(part: str, report: dict[str, Any]) -> None:
    """The rows of one part, as aligned text."""
    rows = report["rows"]
    print(f"\n{part}   (steal {report['steal_percent']} %)")
    heads = list(rows[0])
    cells = [[_text(row[head]) for head in heads] for row in rows]
    widths = [max(len(head), *(len(row[index]) for row in cells)) for index, head in enumerate(heads)]
    print("  ".join(head.ljust(width) for head, width in zip(heads, widths, strict=True)))
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    for note in report.get("notes", []):
        print(f"  {note}")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['median']:.2f} ({value['low']:.2f} to {value['high']:.2f})"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return str(value)
