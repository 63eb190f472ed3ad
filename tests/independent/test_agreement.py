"""Two verifiers, one of them written from the documents alone, say the same to every file that there is.

Where they did not, the documents decided who was right, or got the sentence that was missing. Mutants of matches and
evidence are judged by both in tests/mutants.
"""

from __future__ import annotations

from collections import Counter

import pytest

from kontor_games.net.record.verify import VERIFIED
from tests.mutants.both import agreed
from tests.mutants.rare import features, rare
from tests.worlds.match_files import packed
from tests.worlds.quick_algebra import quick_algebra

__all__ = ["quick_algebra"]  # a fixture for all tests of this file


@pytest.mark.parametrize("number", [1, 9, 21])
def test_both_verifiers_agree_about_rare_matches(number: int) -> None:
    ours, _ = agreed(packed(rare(number)))
    assert ours.code == VERIFIED, ours.line


@pytest.mark.long
def test_both_verifiers_agree_about_hundreds_of_rare_matches() -> None:
    found: Counter[str] = Counter()
    for number in range(500):
        records = rare(number)
        ours, _ = agreed(packed(records))
        assert ours.code == VERIFIED, f"{number}: {ours.line}"
        found.update(features(records))
    print("\n".join(f"{count:>4} {feature}" for feature, count in sorted(found.items())))
