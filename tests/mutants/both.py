"""Two verifiers judge one file; they must say the same."""

from __future__ import annotations

from kontor_games.net.record.verify import UNREADABLE, VERIFIED, Report
from tests.independent import Judgement, judge
from tests.worlds.match_files import judged


def agreed(data: bytes, label: str = "") -> tuple[Report, Judgement]:
    """What both say to a file; fails if they differ in the code, or in words and tip where there are any."""
    ours, theirs = judged(data), judge(data)
    difference = f"{label}\nours:        {ours.line}\nindependent: {theirs.code} {theirs.text}"
    assert ours.code == theirs.code, difference
    if ours.fault:
        assert ours.line.startswith(f"{theirs.text} ("), difference
    elif ours.code == VERIFIED or (ours.code == UNREADABLE and ours.tip):
        assert _what_holds(ours.line) == _what_holds(theirs.text), difference
    if ours.tip:
        assert theirs.tip is not None and ours.tip == theirs.tip.hex(), difference
    return ours, theirs


def _what_holds(line: str) -> str:
    """The part that speaks of the match: of a torn file, what is before the cut."""
    return line[line.index("verified") :]
