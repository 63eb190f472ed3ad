"""How each game is searched: by whom continuations are played, how far, and how a position is made a chance to win."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """Settings of one game; found by matches of `scripts/bot_ladder` (docs/bots.md)."""

    policy: str = "greedy"  # who plays all seats in a continuation
    judged: tuple[int, ...] = (1,)  # after how many rounds a continuation is judged; the mean counts
    odd: int = 0  # one in so many decisions is a greedy one, in all worlds but the first: where these differ too little
    scale: int = 600  # an evaluation so far ahead is three quarters of a win
    is_lead: bool = False  # the engine's evaluation compares with rivals already
    width: int = 6  # lines of the own turn that are followed
    most: int = 16  # lines that are compared by continuations
    each: int = 6  # and fewer, if a budget does not give each of them so many worlds
    opinion: int = 0  # what the plan thinks of a line counts as much as so many worlds
    doubt: int = 60  # per cent of the standard error that a gain must reach
    by_plan: bool = False  # positions are judged by the plan of `skilled`, not by the engine


STYLES = {
    "osaka": Style(policy="quick", judged=(1, 2, 3), scale=600, is_lead=True, by_plan=True),
    "joban": Style(policy="brisk", scale=1500, most=8, each=4, opinion=2, doubt=30, by_plan=True),
    "hansa": Style(policy="skilled", judged=(1, 2, 3), odd=16, scale=2500, most=8, each=1, doubt=20, by_plan=True),
    "yokohama": Style(policy="brisk", judged=(1, 2, 3), scale=2500, most=12, each=3, opinion=1, doubt=30, by_plan=True),
}


def style_of(game: str) -> Style:
    return STYLES.get(game, Style())
