"""Programs that play: each sees the state and what its own seat knows, like a person.

`KINDS` is the one list of them that every client shows, the usual opponent first. `greedy` was the only one for long:
it stays for the matches that name it, and as the measure of all others (`scripts/bot_ladder`).
"""

from __future__ import annotations

from .expert import Expert
from .expert.workers import Workers
from .greedy import Greedy
from .novice import Novice
from .random import Random
from .skilled import Skilled

Bot = Expert | Greedy | Novice | Random | Skilled

KINDS: dict[str, type[Bot]] = {
    "skilled": Skilled,
    "expert": Expert,
    "novice": Novice,
    "greedy": Greedy,
    "random": Random,
}
DEFAULT = "skilled"


def make(kind: str, seed: bytes, workers: Workers | None = None) -> Bot:
    """A bot of this kind; the same seed makes the same choices. «expert:200» plays 200 continuations for each line."""
    name, _, nodes = kind.partition(":")
    return Expert(seed, int(nodes or 0), workers) if name == "expert" else KINDS[name](seed)
