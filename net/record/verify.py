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
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from kontor_games.engine import KontorError
from kontor_games.engine import load as load_game

from .compare import Compared
from .rerun import CannotJudge, Load, Refuted, deck_of
from .transcript import Placed, Torn, UnreadableFile, open_file, read
from .verdict import JUDGES, Finding, headline

VERIFIED, REFUTED, UNREADABLE, CANNOT_JUDGE = range(4)
VERDICTS = ("verified", "refuted", "unreadable", "cannot judge")
NOT_JUDGED = "not judged"  # the verdict on a file that no process could judge; its code is that of «cannot judge»


@dataclass(frozen=True, kw_only=True)
class Report(Finding):
    """What verification found in one file; `code` is the exit code."""

    path: str
    code: int
    judged: bool = True  # False: whatever process was to judge it ended or took too long
    copy_of: str = ""  # among several files: one that holds the same match
    contradicts: tuple[dict[str, Any], ...] = ()  # among several files: those that cannot be true beside this one

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        first = {"verdict": self.verdict, "line": self.line, "path": self.path, "code": self.code}
        return first | {each.name: getattr(self, each.name) for each in fields(self) if each.name != "judged"}

    @property
    def verdict(self) -> str:
        """The verdict in a word or two."""
        return VERDICTS[self.code] if self.judged else NOT_JUDGED

    def beside(self, found: Compared) -> Report:
        """This report with what the file adds to those before it."""
        contradicts = tuple(
            {"path": each.label, "twice": [list(pair) for pair in each.twice], "text": each.text}
            for each in found.contradicts
        )
        differing = tuple(f"another file tells another course of this unsigned match: {path}" for path in found.differs)
        return replace(self, copy_of=found.copy_of, contradicts=contradicts, notes=self.notes + differing)

    @property
    def line(self) -> str:
        """The verdict in one line."""
        return headline(self.verdict, self.message)


Progress: TypeAlias = Callable[[int, int], None]


def verify(path: Path, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check one file completely; never raises for what the file holds."""
    try:
        with open_file(path) as file:
            return verify_stream(file, str(path), load, progress)
    except UnreadableFile as error:
        return unreadable(str(path), str(error))


def verify_stream(file: BinaryIO, path: str, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check an open file completely; `path` is what the report calls it."""
    try:
        records, torn = records_in(file)
    except UnreadableFile as error:
        return _report(path, UNREADABLE, Finding(str(error)))
    if not records:
        return _report(path, UNREADABLE, Finding("the file holds no match: not even the terms are complete"))
    deck = deck_of(records[0])
    if deck not in JUDGES:
        return _report(path, CANNOT_JUDGE, Finding(f"deck mode {deck!a} is not known here"))
    try:
        judge = JUDGES[deck](records, load)
    except CannotJudge as error:
        return _report(path, CANNOT_JUDGE, Finding(str(error)))
    except KontorError as error:
        return _report(path, REFUTED, Finding(str(error), differs_at=0))
    try:
        for placed in records[1:]:
            judge.feed(placed)
            if progress:
                progress(placed.number, len(records))
        found = judge.finding(torn is not None)
    except Refuted as error:
        return _report(path, REFUTED, judge.refuted(error))
    if torn is None:
        return _report(path, VERIFIED, found)
    cut = f"byte {torn.offset}: the last record is incomplete ({torn.size} bytes of it)"
    return _report(path, UNREADABLE, replace(found, message=f"{cut}; {found.message}"))


def records_in(file: BinaryIO) -> tuple[list[Placed], Torn | None]:
    """The whole records of a file, and its torn end if it has one; raises UnreadableFile."""
    records: list[Placed] = []
    for item in read(file):
        if isinstance(item, Torn):
            return records, item
        records.append(item)
    return records, None


def unreadable(path: str, reason: str) -> Report:
    """The report on a file that cannot be read."""
    return _report(path, UNREADABLE, Finding(reason))


def not_judged(path: str, reason: str) -> Report:
    """The report on a file that no process could judge; it says nothing about the file."""
    return Report(path=path, code=CANNOT_JUDGE, judged=False, message=reason)


def _report(path: str, code: int, found: Finding) -> Report:
    return Report(path=path, code=code, **{each.name: getattr(found, each.name) for each in fields(found)})
