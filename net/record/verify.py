"""`verify`: run a match file again from nothing but its bytes, and say what was found.

Rules in order; the first that fails gives the verdict:

1. The whole file is split into records before anything is judged (`transcript.py`). If that fails: unreadable.
2. The terms name the deck mode. This program does not judge one that it does not know, nor other rules or other data.
3. The judge of that kind of file (`verdict.py`) is fed one record after the other, then asked what they come to. If a
   record does not follow from those before it, or the whole does not hold: refuted, with the first ply that differs.
4. A torn end makes the file unreadable, but only if all that is before it holds. If not, it is refuted:
   otherwise a forger could cut off the last byte and have a file that is merely unreadable.

A report says what holds, and nothing that the file only claims. `verify` never raises for what a file holds and needs
nothing but the file: no key, no clock, no network, no other file. Several files are compared afterwards (`compare.py`).

What an attacker would try: names that look like a verdict (characters that steer a terminal are refused), a file that
stops where it suits him (the report says how far it goes; that it stops is nobody's fault), a match that he played
against himself (the report has whole keys; `--players` compares them), bytes that crash or slow down the engine
(`rerun.judging` makes a verdict of whatever is raised; sizes are bounded).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from kontor_games.engine import KontorError
from kontor_games.engine import load as load_game

from .compare import Comparison, Story
from .rerun import CannotJudge, Load, Refuted, deck_of
from .transcript import Placed, Torn, UnreadableFile, open_file, read
from .verdict import JUDGES, Finding, headline

VERIFIED, REFUTED, UNREADABLE, CANNOT_JUDGE = range(4)
VERDICTS = ("verified", "refuted", "unreadable", "cannot judge")


@dataclass(frozen=True)
class Report:
    """What verification found in one file; `code` is the exit code."""

    path: str
    code: int
    message: str
    game: str = ""
    match: str = ""
    players: tuple[str, ...] = ()
    plies: int = 0
    differs_at: int | None = None  # the first ply that differs
    finished: bool = False  # over, and not only by the word of the last peer to move
    final: bool = False  # signed at its end by all who stayed
    result: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    peers: tuple[dict[str, Any], ...] = ()  # of a network match: key, fingerprint, names, signed, left
    sealed: bool = False  # a network match whose hidden cards are proven
    fault: str = ""  # what the file proves somebody did, if it is evidence
    tip: str = ""  # the last link of a network match's chain: equal tips are equal matches
    copy_of: str = ""  # among several files: one that holds the same match
    contradicts: tuple[dict[str, Any], ...] = ()  # among several files: those that cannot be true beside this one
    story: Story | None = field(default=None, repr=False)  # what comparing needs

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        shown = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "story"}
        return {"verdict": VERDICTS[self.code], "line": self.line, **shown}

    def beside(self, comparison: Comparison) -> Report:
        """This report with what the file adds to those that were fed before."""
        if self.code != VERIFIED or self.story is None:
            return self
        found = comparison.feed(self.path, self.story)
        contradicts = tuple(
            {"path": each.label, "twice": [list(pair) for pair in each.twice], "text": each.text}
            for each in found.contradicts
        )
        return replace(self, copy_of=found.copy_of, contradicts=contradicts, story=None)

    @property
    def line(self) -> str:
        """The verdict in one line."""
        return headline(VERDICTS[self.code], self.message)


Progress: TypeAlias = Callable[[int, int], None]


def verify(path: Path, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check one file completely; never raises for what the file holds."""
    try:
        with open_file(path) as file:
            return verify_stream(file, str(path), load, progress)
    except UnreadableFile as error:
        return Report(str(path), UNREADABLE, str(error))


def verify_stream(file: BinaryIO, path: str, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check an open file completely; `path` is what the report calls it."""
    try:
        records, torn = _records(file)
    except UnreadableFile as error:
        return Report(path, UNREADABLE, str(error))
    if not records:
        return Report(path, UNREADABLE, "the file holds no match: not even the terms are complete")
    deck = deck_of(records[0])
    if deck not in JUDGES:
        return Report(path, CANNOT_JUDGE, f"deck mode {deck!a} is not known here")
    try:
        judge = JUDGES[deck](records, load)
    except CannotJudge as error:
        return Report(path, CANNOT_JUDGE, str(error))
    except KontorError as error:
        return Report(path, REFUTED, str(error), differs_at=0)
    try:
        for placed in records[1:]:
            judge.feed(placed)
            if progress:
                progress(placed.number, len(records))
        found = judge.finding(torn is not None)
    except Refuted as error:
        return _report(path, REFUTED, judge.refuted(str(error)), differs_at=error.ply)
    if torn is None:
        return _report(path, VERIFIED, found)
    cut = f"byte {torn.offset}: the last record is incomplete ({torn.size} bytes of it)"
    return _report(path, UNREADABLE, replace(found, message=f"{cut}; {found.message}"))


def _records(file: BinaryIO) -> tuple[list[Placed], Torn | None]:
    records: list[Placed] = []
    for item in read(file):
        if isinstance(item, Torn):
            return records, item
        records.append(item)
    return records, None


def _report(path: str, code: int, found: Finding, differs_at: int | None = None) -> Report:
    facts = {each.name: getattr(found, each.name) for each in fields(found)}
    return Report(path, code, differs_at=differs_at, **facts)
