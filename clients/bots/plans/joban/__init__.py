"""A skilled player of the Wandering Fair: plans both actions of a turn together.

`spots` says what the field offers, `worth` what a position is worth when the turn is over, `builds` which ways to use
one action deserve a look, `turns` puts two of them together. Half of a winner's points come from the own line and from
dragons, so shops of the colour that pays go to the line with a dragon, and bonuses mend it.
"""

from .prospects import standing  # for those who look further than this plan
from .turns import brisk, line, lines

__all__ = ["brisk", "line", "lines", "standing"]
