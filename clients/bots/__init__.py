"""Programs that play: each sees the state and what its own seat knows, like a person.

`KINDS` is the one list of them that every client shows, the strongest first. `greedy` was the only one for long: it
stays for the matches that name it, and as the measure of all others (`scripts/bot_ladder`).
"""

from __future__ import annotations

from .greedy import Greedy
from .novice import Novice
from .random import Random
from .skilled import Skilled

Bot = Greedy | Novice | Random | Skilled

KINDS: dict[str, type[Bot]] = {"skilled": Skilled, "novice": Novice, "greedy": Greedy, "random": Random}
DEFAULT = "skilled"


def make(kind: str, seed: bytes) -> Bot:
    """A bot of this kind; the same seed makes the same choices."""
    return KINDS[kind](seed)
