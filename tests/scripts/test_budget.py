"""The budget of the suite: slower machines may take longer, and whoever overruns it is told so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _budget  # type: ignore[import-not-found]  # noqa: E402 - a script, not a package


def test_what_is_within_the_budget_is_told_and_what_is_beyond_it_is_refused() -> None:
    text, is_over = _budget.judged(_budget.BUDGET - 1, _budget.UNIT)
    assert not is_over and f"{_budget.BUDGET:,}" in text
    text, is_over = _budget.judged(_budget.BUDGET + 1, _budget.UNIT)
    assert is_over and "OVER BUDGET" in text and "pytest --processor" in text


def test_a_machine_half_as_fast_may_take_twice_as_long() -> None:
    assert not _budget.judged(2 * _budget.BUDGET - 2, 2 * _budget.UNIT)[1]
    assert _budget.judged(2 * _budget.BUDGET + 2, 2 * _budget.UNIT)[1]


def test_a_faster_machine_has_twelve_minutes_and_not_more() -> None:
    assert not _budget.judged(_budget.BUDGET - 1, _budget.UNIT / 2)[1]
    assert _budget.judged(_budget.BUDGET + 1, _budget.UNIT / 2)[1]


def test_the_budget_fits_into_twelve_minutes_on_two_cores() -> None:
    assert _budget.BUDGET <= 2 * 12 * 60


def test_a_unit_is_work_and_children_are_counted_when_they_have_ended() -> None:
    assert 0.005 < _budget.unit() < 5
    before = _budget.spent()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    assert _budget.spent() - before >= 0.2
