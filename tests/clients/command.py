"""Running `kontor` as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.worlds.quick_start import run

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-P", "-W", "error", "-m", "kontor_games.clients.entry"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user whose Kontor lives in `home`."""
    quiet = {"KONTOR_BIND": "127.0.0.1", "KONTOR_LAN": "0"}  # a node that only this machine can see
    own = {"PYTHONPATH": str(ROOT / "scripts" / "package"), "KONTOR_HOME": str(home), "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **quiet, **own, **more}


def kontor(home: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run one command to its end with this input; a traceback is always a failure."""
    done = run(
        [*COMMAND, *arguments],
        cwd=home,
        env=environment(home),
        input=typed,
        text=True,
        encoding="utf-8",
        timeout=220,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done
