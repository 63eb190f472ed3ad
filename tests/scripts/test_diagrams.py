"""The pictures in `docs/` that follow from the code are up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kontor_games.net.lockstep.steps import STEPS

ROOT = Path(__file__).parent.parent.parent


def test_the_steps_in_the_documents_are_those_of_the_code() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "tools" / "diagrams_main.py"), "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0, "run scripts/diagrams"


def test_every_step_has_a_name_of_its_own_and_says_in_one_sentence_what_it_does() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)
    for step in STEPS:
        assert step.text.endswith(".") and "\n" not in step.text, step.name
