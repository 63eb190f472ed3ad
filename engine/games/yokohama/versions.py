"""Rules versions before the newest.

**1.** Ended a match after 100 rounds unless the players chose another limit. In mini expansion 1 the five tokens with a
flag could not be used as an agent (R26): the data file said otherwise there.
"""

from __future__ import annotations

from dataclasses import replace

from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.game import with_default

from . import build

_SOURCE = 'provenance = "reconstructed"    # '
_UNDONE = (
    (
        f"free_agent = true\n{_SOURCE}the flag; seed 000: the token may be used like an agent\n",
        f"free_agent = false\n{_SOURCE}seeds: six tokens; flags and a free agent exist among them\n",
    ),
)
_FIRST = build(*load_data("yokohama", _UNDONE))

OLDER = (replace(_FIRST, rules_version=1, options=with_default(_FIRST.options, "max_rounds", 100)),)
