"""Marks for names that somebody else used first, where no lobby gives them: at tables and in lists of this node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .names import skeleton

LETTERS: Final = 19  # of a fingerprint, as a lobby marks: 80 bits, which nobody makes a second key for


def marks_of(people: Iterable[tuple[str, str]]) -> list[str]:
    """For people in the order of their coming, each a fingerprint and a name: the mark to be shown, or nothing.

    Whoever comes with a name that can be taken for one of somebody before them is marked by their own key. The first
    is not, and nobody is refused: honest people share names.
    """
    first: dict[str, str] = {}
    return [
        "" if first.setdefault(skeleton(name), fingerprint) == fingerprint else fingerprint[:LETTERS]
        for fingerprint, name in people
    ]
