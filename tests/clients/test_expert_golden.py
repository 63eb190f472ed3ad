"""Moves of an expert with a fixed budget are the same on every machine, Python and number of workers.

    python -m tests.clients.expert_moves > tests/golden/expert.json

A better plan or a new rule changes them; then write the file anew and say so in the commit. A faster engine must not.
Other Pythons play them in `tests/scripts/test_installed.py`.
"""

from __future__ import annotations

import json

import pytest

from kontor_games import engine
from tests.golden import FOLDER

from .expert_moves import KIND, moves


@pytest.mark.parametrize("name", engine.game_ids())
def test_an_expert_moves_as_it_did_elsewhere(name: str) -> None:
    golden = json.loads((FOLDER / "expert.json").read_text(encoding="utf-8"))
    assert golden["kind"] == KIND
    assert moves(name) == golden["moves"][name]
