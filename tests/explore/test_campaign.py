"""A campaign that was stopped goes on, and counts only what this very code gave."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from . import campaign
from .done import ROOT, Done, files
from .findings import Tally, Trace

START = "damaged vote"  # few faults
TOPS = {"net/__init__.py", "tests/__init__.py", "scripts/package/kontor_games/__init__.py"}


def test_a_campaign_goes_on_where_another_stopped(tmp_path: Path) -> None:
    """The command itself: its pool forks, which a process with threads, as those that run tests are, must not do."""
    whole = _explored(tmp_path)
    done = tmp_path / "done.jsonl"
    lines = done.read_text(encoding="utf-8").splitlines(keepends=True)
    done.write_text("".join(lines[:4]) + '{"code": "the power was cut he', encoding="utf-8")
    again = _explored(tmp_path, "--resume")
    count = len(lines)
    assert count > 4 and f"{count:,} of {count:,} parts (4 of them before)" in again
    assert f"4 of {count:,} parts were done before and are in these sums" in again
    assert len(_sums(whole)) == 3 and _sums(again) == _sums(whole)


def _explored(path: Path, *more: str) -> str:
    command = ["--orders", "--start", START, "--depth", "0", "--leaves", "1", "--jobs", "1", "--traces", str(path)]
    run = [sys.executable, "-m", "tests.explore", *command, *more]
    return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _sums(said: str) -> list[str]:
    """What was searched, in all; how much of it sessions really ran depends on what was remembered from before."""
    lines = [line for line in said.splitlines() if line.startswith((START, "in all", "fair phases"))]
    return [re.sub(r"[\d,]+ run by sessions", "", line) for line in lines]


def test_what_is_done_counts_for_the_code_that_was_searched_and_for_the_same_search(tmp_path: Path) -> None:
    path = tmp_path / "done.jsonl"
    part = campaign.Part("own turn", (0, 1), ((("lose", 0, 1),),), 8, 4)
    Done(path, "this").add(part, Tally(schedules=7))
    known = Done(path, "this").tally(part)
    assert known is not None and known.schedules == 7
    assert Done(path, "that").tally(part) is None
    for change in ({"name": "deal"}, {"liars": 1}, {"plans": ((),)}, {"depth": 7}, {"leaves": 5}):
        assert Done(path, "this").tally(replace(part, **change)) is None


@pytest.mark.parametrize("is_cut", [True, False])
def test_what_was_cut_short_or_found_something_is_searched_again(tmp_path: Path, is_cut: bool) -> None:
    part, tally = campaign.Part("own turn", None, ((),)), Tally(incomplete=int(is_cut))
    if not is_cut:
        tally.note("P5", "stands still", Trace("own turn", None, ()))
    Done(tmp_path / "done.jsonl", "this").add(part, tally)
    assert Done(tmp_path / "done.jsonl", "this").tally(part) is None


def test_the_digest_is_of_all_code_that_a_campaign_loads() -> None:
    """Except the top of the packages, which hold nothing."""
    tell = "import sys, tests.explore.campaign\nfor m in sys.modules.values(): print(getattr(m, '__file__', ''))"
    said = subprocess.run([sys.executable, "-c", tell], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded = {Path(line).resolve() for line in said.splitlines() if line.endswith(".py")}
    ours = {path for path in loaded if path.is_relative_to(ROOT) and ".venv" not in path.parts[len(ROOT.parts)]}
    left_out = ours - {path.resolve() for path in files()}
    assert len(ours) > 80
    assert {path.relative_to(ROOT).as_posix() for path in left_out} <= TOPS
