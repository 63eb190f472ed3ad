"""What a ladder counts by. It is published beside the files: whoever computes the ratings again needs nothing else."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

FORMAT: Final = 1  # of rules, book and manifest
OPEN: Final = "open"  # the list of matches that began at the lobby's own tables
LAN: Final = "lan"  # the list of matches that were played elsewhere and handed in later
HOUR: Final = 3_600_000
DAY: Final = 24 * HOUR
MICRO: Final = 1_000_000

Millis = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Hex32 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Hex64 = Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]


class LadderRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one ladder; times are those at which the lobby had a file whole."""

    keeper: Hex32  # the key of the lobby, which every rated match of its tables names
    since: Millis  # when the first season began
    season_days: Annotated[int, Meta(ge=1, le=3660)] = 91
    window_hours: Annotated[int, Meta(ge=0, le=24 * 60)] = 48  # to contradict a file that not everybody has signed
    return_hours: Annotated[int, Meta(ge=0, le=24 * 60)] = 72  # to come back to a match of two that somebody left
    provisional: Annotated[int, Meta(ge=0, le=1000)] = 10  # matches after which a rating is more than a first guess
    same_people: Annotated[int, Meta(ge=1, le=10_000)] = 10  # matches of one game that the same keys may count a day
    programs: bool = False  # whether seats that say that a program plays them count
    games: Annotated[tuple[str, ...], Meta(max_length=64)] = ()  # empty: all
    format: int = FORMAT

    def season_at(self, at: int) -> int:
        """The season of a moment, from 1; what was before the first belongs to it."""
        return 1 + max(0, at - self.since) // (self.season_days * DAY)
