"""The file of an analysis: what is done so far, and whether it belongs to a match.

It lies beside the match file and may come from anywhere: it is small, its figures are within bounds, and its sentences
are plain text that a client cleans like any other. One that does not fit is made anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

MAX_BYTES: Final = 4 << 20
MAX_ITEMS: Final = 4000
VERSION: Final = 3  # raised with the form of the file, and with the expert: no file holds figures of two

Chance = Annotated[int, Meta(ge=0, le=10_000)]
Number = Annotated[int, Meta(ge=0, le=10_000_000)]
Points = Annotated[list[Annotated[int, Meta(ge=-100_000, le=100_000)]], Meta(max_length=8)]
Sentence = Annotated[str, Meta(max_length=600)]
Sentences = Annotated[list[Sentence], Meta(max_length=40)]


class MatchKey(NamedTuple):
    """Which match it is: its id, the digest of its last position (files of one match may differ), how many play."""

    id: str
    end: str
    seats: int


class CurvePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Chances of all seats before a ply, and the standard error of each."""

    ply: Number
    chances: Annotated[list[Chance], Meta(min_length=2, max_length=8)]
    errors: Annotated[list[Chance], Meta(min_length=2, max_length=8)]


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat did, what would have been better, and both chances after it."""

    ply: Number
    seat: Annotated[int, Meta(ge=0, le=7)]
    lines: Number  # that were compared; 1: there was nothing to choose
    worlds: Number
    played: Sentences
    better: Sentences
    chance: Chance
    best: Chance
    error: Chance
    points: Points
    best_points: Points
    rounds: Number = 1  # after so many, at most, the continuations were judged
    facts: Sentences = []  # what the line that was played brings at once
    better_facts: Sentences = []
    # In how many continuations the match was won and lost by then: after what was played, and after what is better.
    ends: Annotated[list[Number], Meta(max_length=4)] = []

    @property
    def cost(self) -> int:
        return max(0, self.best - self.chance)


class StoredAnalysis(msgspec.Struct, forbid_unknown_fields=True):
    """An analysis as far as it has come; which match, rules and budget it is for, and how many parts it will have."""

    match: Annotated[str, Meta(max_length=128)]
    game: Annotated[str, Meta(max_length=32)]
    rules: Number
    plies: Number
    budget: Number
    end: Annotated[str, Meta(max_length=128)]
    total: Number
    seats: Annotated[int, Meta(ge=2, le=8)]
    version: int = VERSION
    curve: Annotated[list[CurvePoint], Meta(max_length=MAX_ITEMS)] = []
    decisions: Annotated[list[Decision], Meta(max_length=MAX_ITEMS)] = []

    def fits(self, other: StoredAnalysis) -> bool:
        """Whether it is the analysis of the same match, made in the same way."""
        return self._key == other._key

    @property
    def _key(self) -> tuple[object, ...]:
        made_for = (self.match, self.game, self.rules, self.plies, self.end, self.total, self.seats)
        return (self.version, self.budget, *made_for)

    def is_of(self, match: MatchKey) -> bool:
        """Whether it tells about this very match."""
        return (self.match, self.end, self.seats) == match

    @property
    def is_sound(self) -> bool:
        """Whether its parts fit together: every seat has its figures, and no part is there twice or too many."""
        return (
            self.version == VERSION
            and self.done <= self.total
            and len({point.ply for point in self.curve}) == len(self.curve)
            and len({each.ply for each in self.decisions}) == len(self.decisions)
            and all(len(point.chances) == len(point.errors) == self.seats for point in self.curve)
            and all(
                each.seat < self.seats
                and len(each.ends) in (0, 4)
                and {len(each.points), len(each.best_points)} <= {0, self.seats}
                for each in self.decisions
            )
        )

    @property
    def done(self) -> int:
        """How many parts are done."""
        return len(self.curve) + len(self.decisions)


def path_of(match: Path) -> Path:
    """Where the analysis of a match file lies."""
    return match.with_name(match.name + ".analysis.json")


def stored_at(path: Path) -> StoredAnalysis | None:
    """What lies there, if it is an analysis."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        found = msgspec.json.decode(raw, type=StoredAnalysis) if len(raw) <= MAX_BYTES else None
    except (OSError, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    return found if found is not None and found.is_sound else None


def load(path: Path, wanted: StoredAnalysis) -> StoredAnalysis:
    """What is stored, if it belongs to the wanted analysis; else the wanted one, with nothing done."""
    found = stored_at(path)
    return found if found is not None and found.fits(wanted) else wanted


def save(path: Path, analysis: StoredAnalysis) -> None:
    """Put it there in one step: a reader never sees half of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(analysis), indent=1))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
