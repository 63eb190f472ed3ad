"""The README promises what docs/threats.md promises, and every promise's tests are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
THREATS = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROMISES = dict(re.findall(r"^\| (P\d) \| (.+?) \| .+ \|$", THREATS, re.M))


def test_the_readme_promises_the_same_word_for_word() -> None:
    assert sorted(PROMISES) == [f"P{number}" for number in range(1, 9)]
    promised = README[README.index("## What is promised") : README.index("Against whom each")]
    assert re.findall(r"^- (.+)$", promised, re.M) == list(PROMISES.values())


def test_every_test_that_the_threat_model_names_is_there() -> None:
    row = re.compile(r"^\|[^|]+\|[^|]+\|([^|]+)\|$", re.M)
    named = [
        name for cells in row.findall(THREATS) for name in re.findall(r"`((?:tests/|scripts/|test_)[^`]*)`", cells)
    ]
    assert len(named) > 20
    found = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    missing = [name for name in named if not (ROOT / name).exists() and name not in found]
    assert not missing
