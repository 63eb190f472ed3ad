"""Programs of ours in processes of their own."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

import kontor_games


def python() -> tuple[str, ...]:
    """How to start them: -P, so that files in the working directory cannot shadow Kontor."""
    return (sys.executable, "-P")


def environment() -> dict[str, str]:
    """Their environment: this very copy of Kontor, whether it is installed or a checkout.

    An installed copy is found without help; naming its folder would let foreign packages there shadow standard modules.
    """
    here = str(Path(kontor_games.__file__).parents[1])
    if here in (*site.getsitepackages(), site.getusersitepackages()):
        return dict(os.environ)
    paths = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
