"""How each game is searched: by whom continuations are played, how far, and how a position is made a chance to win."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """Settings of one game; found by matches of `scripts/bot_ladder` (docs/bots.md)."""

    policy: str = "greedy"  # who plays all seats in a continuation
    rounds: int = 1  # a continuation ends when so many rounds are over
    spread: int = 1  # by world, from none to so many less one rounds more: no line lives by one horizon
    odd: int = 0  # one in so many decisions of a continuation is a greedy one, where worlds alone differ too little
    scale: int = 600  # an evaluation so far ahead is three quarters of a win
    is_lead: bool = False  # the engine's evaluation compares with rivals already
    width: int = 6  # lines of the own turn that are followed
    most: int = 16  # lines that are compared by continuations
    by_plan: bool = False  # positions are judged by the plan of `skilled`, not by the engine


STYLES = {
    "osaka": Style(policy="quick", rounds=1, scale=600, is_lead=True, by_plan=True),
    "joban": Style(rounds=1, scale=1500, by_plan=True),
    "hansa": Style(policy="skilled", rounds=1, spread=3, odd=8, scale=2500, most=8, by_plan=True),
    "yokohama": Style(policy="quick", rounds=1, scale=2500, most=12, by_plan=True),
}


def style_of(game: str) -> Style:
    return STYLES.get(game, Style())
