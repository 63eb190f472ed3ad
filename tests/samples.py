"""Samples of large parameter sets: each value of each parameter stays in the usual suite, all combinations are long."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def combined(*axes: Iterable[Any], more: int = 0) -> list[Any]:
    """All combinations of these values; those that no value needs are marked `long`, but for `more` of them."""
    return sampled(list(itertools.product(*axes)), more=more)


def sampled(cases: Sequence[Sequence[Any]], ids: Sequence[str] | None = None, more: int = 0) -> list[Any]:
    """These cases; those without which every value still occurs are marked `long`, but for `more` of them."""
    kept = covering([frozenset(parts_of(case)) for case in cases])
    rest = [number for number in range(len(cases)) if number not in kept]
    kept |= set(rest[:: len(rest) // more][:more]) if 0 < more <= len(rest) else set()
    return [
        pytest.param(*case, id=ids[number] if ids else None, marks=() if number in kept else pytest.mark.long)
        for number, case in enumerate(cases)
    ]


def parts_of(case: Sequence[Any]) -> Iterable[tuple[object, str]]:
    """The values that must occur: each parameter, and each entry of a parameter that is a set of options."""
    for place, value in enumerate(case):
        if isinstance(value, dict):
            yield from (((place, key), repr(each)) for key, each in value.items())
        else:
            yield place, repr(value)


def covering(cases: Sequence[frozenset[tuple[object, str]]]) -> set[int]:
    """Numbers of cases in which everything occurs that occurs in any: always the one with the most that is new."""
    left = set().union(*cases) if cases else set()
    chosen: set[int] = set()
    while left:
        best = max(range(len(cases)), key=lambda number: (len(cases[number] & left), -number))
        chosen.add(best)
        left -= cases[best]
    return chosen
