"""Ratings by OpenSkill: the model, its parameters and the place at which numbers are rounded, all pinned (ADR 35).

A rating is two whole numbers, millionths of the model's units. The library computes with floating point, whose last
bits depend on processor and C library; rounding after every match keeps such differences from adding up, so that
everybody who rates the same results in the same order comes to the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from .ladder_rules import MICRO

MODEL: Final = "openskill 6, PlackettLuce, mu 25, sigma 25/3, beta 25/6, tau 25/300, kappa 0.0001, rounded to 0.000001"
_FIRST_POINTS: Final = 1000
_SCALE: Final = 20  # points for one unit of the model


class Rating(Struct, frozen=True, array_like=True):
    """What is believed about somebody's strength: the middle and how unsure it is, in millionths."""

    mu: int = 25 * MICRO
    sigma: int = round(25 * MICRO / 3)

    @property
    def points(self) -> int:
        """The number that is shown: what somebody is at least worth with near certainty; 1000 for whoever begins."""
        return _FIRST_POINTS + _SCALE * (self.mu - 3 * self.sigma) // MICRO


def rated(ratings: Sequence[Rating], places: Sequence[int], halved: Sequence[bool]) -> list[Rating]:
    """The ratings after a match in which these came out at these places; a halved one moves half the way."""
    model = _model()
    teams = [[model.rating(mu=each.mu / MICRO, sigma=each.sigma / MICRO)] for each in ratings]
    found = model.rate(teams, ranks=[float(place) for place in places])
    return [
        _between(before, Rating(round(after.mu * MICRO), round(after.sigma * MICRO)), half)
        for before, (after,), half in zip(ratings, found, halved, strict=True)
    ]


def _between(before: Rating, after: Rating, half: bool) -> Rating:
    if not half:
        return after
    return Rating((before.mu + after.mu) // 2, (before.sigma + after.sigma) // 2)


@cache
def _model() -> Any:
    from openskill.models import PlackettLuce  # here: only whoever rates waits for it

    return PlackettLuce(mu=25.0, sigma=25.0 / 3, beta=25.0 / 6, kappa=0.0001, tau=25.0 / 300, limit_sigma=False)
