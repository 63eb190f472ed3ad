"""No file in which one signed thing is another is judged like the match it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest

from net.transcript import FrameRecord
from net.verify import VERIFIED, Report
from tests.mutants import MATCHES, Mutant, match_named, mutants, originals
from tests.mutants.matches import kinds
from tests.net.files import frame_of, judged


def strength(report: Report) -> int:
    """How much a verdict is worth."""
    return 0 if report.code != VERIFIED else 1 + report.finished + report.final


def check(made: Iterable[Mutant]) -> Counter[tuple[str, str, str]]:
    """Judge mutants; how often each field of each game came to which outcome."""
    whole: dict[str, Report] = {}
    found: Counter[tuple[str, str, str]] = Counter()
    for label, data in made:
        name, field, _ = label.split(" | ", 2)
        if name not in whole:
            whole[name] = judged(dict(originals([name]))[name])
        report, true = judged(data), whole[name]
        outcome = report.as_dict()["verdict"] if report.code != VERIFIED else "weaker"
        assert report.line != true.line and strength(report) <= strength(true), f"{label}: {report.line}"
        assert not report.fault, f"{label}: {report.line}"
        found[field, name.partition("-")[0], outcome] += 1
    return found


def shown(found: Counter[tuple[str, str, str]]) -> str:
    """The outcomes as a table: kind.field, game, how many mutants were what."""
    rows = [f"{field:<20} {game:<9} {outcome:<13} {count}" for (field, game, outcome), count in sorted(found.items())]
    return "\n".join([*rows, f"{sum(found.values())} mutants"])


def test_no_mutant_of_a_short_match_is_judged_like_the_match() -> None:
    found = check(islice(mutants(1, ["hansa-2-forfeit"]), 0, None, 2))
    assert {field.partition(".")[0] for field, _, _ in found} >= {"terms", "frame", "key", "bye", "opn", "end", "final"}


def test_no_mutant_of_votes_and_shares_is_judged_like_the_match() -> None:
    made = [each for each in mutants(1, ["hansa-5-two-voted-out"]) if " | g" in each.label]
    found = check(made[::2])
    assert {field.partition(".")[0] for field, _, _ in found} == {"gon", "giv"}


@pytest.mark.long
def test_the_matches_hold_every_kind_of_message_and_every_way_to_leave() -> None:
    records = [match_named(name).records for name in MATCHES]
    every = {"key", "esc", "rdy", "mix", "shr", "rky", "gon", "giv", "bye", "opn"}
    assert set().union(*map(kinds, records)) == every
    frames = [frame_of(each) for match in records for each in match if isinstance(each, FrameRecord)]
    assert any(frame.u is not None for frame in frames)
    lines = {name: judged(data).line for name, data in originals()}
    assert all(line.startswith("verified: finished") for line in lines.values()), lines
    for words in ("signed by all", "left in order", "voted out at", "voted out after the end", "forfeits"):
        assert any(words in line for line in lines.values()), words


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", MATCHES)
def test_no_mutant_of_any_match_is_judged_like_the_match(name: str) -> None:
    per = 2 if name.startswith("hansa") else 1  # the other matches are long
    print(shown(check(mutants(per, [name]))))
