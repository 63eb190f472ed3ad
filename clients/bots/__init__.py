"""Programs that play: each sees the state and what its own seat knows, like a person."""

from __future__ import annotations

from .greedy import Greedy
from .random import Random

KINDS: dict[str, type[Greedy] | type[Random]] = {"greedy": Greedy, "random": Random}
DEFAULT = "greedy"


def make(kind: str, seed: bytes) -> Greedy | Random:
    """A bot of this kind; the same seed makes the same choices."""
    return KINDS[kind](seed)
