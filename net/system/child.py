"""Programs of ours in processes of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import kontor_games


def python() -> tuple[str, ...]:
    """How to start them: -P, so that files in the working directory cannot shadow Kontor."""
    return (sys.executable, "-P")


def environment() -> dict[str, str]:
    """Their environment: this very copy of Kontor, whether it is installed or a checkout."""
    here = str(Path(kontor_games.__file__).parents[1])
    paths = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
