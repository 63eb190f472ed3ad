"""How Yokohama is offered to people; see engine/core/offer.py."""

from __future__ import annotations

from functools import partial

from kontor_games.engine.core.offer import Offer
from kontor_games.engine.games.yokohama.state import State
from kontor_games.engine.games.yokohama.tables import Tables

from . import details, foresight, kinds, now, targets, travels, why_none
from .foresight import points
from .unseen import unseen

__all__ = ["offer", "points", "unseen"]


def offer(t: Tables) -> Offer[State]:
    """The offer over these tables."""
    return Offer(
        kinds=kinds.KINDS,
        steps=kinds.STEPS,
        kind=partial(kinds.kind, t),
        targets=partial(targets.targets, t),
        details=partial(details.details, t),
        continues=partial(kinds.continues, t),
        why_none=partial(why_none.why_none, t),
        at_rest=kinds.at_rest,
        now=partial(now.now, t),
        figures=foresight.FIGURES,
        foresee=partial(foresight.foresee, t),
        travels=partial(travels.travels, t),
    )
