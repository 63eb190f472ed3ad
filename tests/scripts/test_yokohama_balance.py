"""The balance script plays, stores, reports and compares."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "yokohama_balance"


def run(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=True, timeout=300
    ).stdout


def test_a_stored_run_can_be_reported_and_compared(tmp_path: Path) -> None:
    store = tmp_path / "run.jsonl"
    played = run("--games", "1", "--seats", "2", "--store", str(store))
    assert "## 2 players, 1 games" in played and "| order_36 |" in played and "| tea_plantation |" in played
    rows = [json.loads(line) for line in store.read_text().splitlines()]
    assert [seats for seats, _ in rows] == [2] and rows[0][1]["games"] == 1
    assert run("--seats", "2", "--report", str(store)) == played
    side_by_side = run("--seats", "2", "--report", str(store), "--before", str(store))
    assert "| 2 | before | 1 |" in side_by_side and "| 2 | after | 1 |" in side_by_side
