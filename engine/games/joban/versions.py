"""Rules versions before the newest.

**1.** Named `max_dragons_per_shop` among its options, with 1 as the only value (R3). Nothing else has changed, so it
shares all tables and rules with the newest.
"""

from __future__ import annotations

from dataclasses import replace

from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.game import Option

from . import GAME

_AFTER = '[[options]]\nid = "bonus_may_be_declined"\n'  # the option stood before this one
_GONE = '[[options]]\nid = "max_dragons_per_shop"\ndefault = 1\nallowed = [1]\nprovenance = "ruling"\nrule = "R3"\n\n'
_, _DIGEST_1 = load_data("joban", [(_AFTER, _GONE + _AFTER)])
_DRAGONS = Option("max_dragons_per_shop", 1, (1,), "How many dragons may sit on one shop.")

OLDER = (replace(GAME, rules_version=1, data_digest=_DIGEST_1, options=(GAME.options[0], _DRAGONS, *GAME.options[1:])),)
