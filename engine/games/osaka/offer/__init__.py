"""How Merchants of Osaka is offered to people."""

from __future__ import annotations

from kontor_games.engine.core.offer import Offer

from ..state import State
from .asked import now, why_none
from .choice import KINDS, STEPS, details, kind, targets
from .foresight import FIGURES, foresee, points
from .hidden import unseen
from .joined import at_rest, continues
from .travel import travels

__all__ = ["OFFER", "points", "unseen"]

OFFER: Offer[State] = Offer(
    kinds=KINDS,
    steps=STEPS,
    kind=kind,
    targets=targets,
    details=details,
    continues=continues,
    why_none=why_none,
    at_rest=at_rest,
    now=now,
    figures=FIGURES,
    foresee=foresee,
    travels=travels,
)
