"""Ratings per season, list, game and number of players: results in their order go in, tables come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct

from kontor_games.net.wire.identity import fingerprint

from .ladder_rules import DAY, LadderRules
from .rating_model import Rating, rated


class Board(NamedTuple):
    """One table of the ladder."""

    season: int
    list_name: str
    game: str
    players: int


class Outcome(Struct, frozen=True):
    """What a match counts for, by seat."""

    places: tuple[int, ...]
    marks: tuple[str, ...]  # «vanished», «voted out», «left» or nothing
    halved: tuple[bool, ...]
    text: str = ""  # what is special about it


@dataclass
class BoardStanding:
    """Somebody on one board."""

    rating: Rating = field(default_factory=Rating)
    matches: int = 0
    won: int = 0
    marks: Counter[str] = field(default_factory=Counter)


class Boards:
    """All boards of a ladder."""

    def __init__(self, rules: LadderRules) -> None:
        self._rules = rules
        self._boards: dict[Board, dict[str, BoardStanding]] = {}
        self._met: Counter[tuple[str, str, frozenset[str], int]] = Counter()
        self.counted = 0

    def why_not(self, at: int, list_name: str, game: str, keys: Sequence[str]) -> str | None:
        """Why one more match of these people does not count today, or None."""
        met = self._met[list_name, game, frozenset(keys), at // DAY]
        if met >= self._rules.same_people:
            return f"the same people have {met} counted matches of {game} on this day already; more do not count"
        return None

    def count(self, at: int, list_name: str, game: str, keys: Sequence[str], outcome: Outcome) -> None:
        """One more result."""
        self._met[list_name, game, frozenset(keys), at // DAY] += 1
        board = Board(self._rules.season_at(at), list_name, game, len(keys))
        people = self._boards.setdefault(board, {})
        standings = [people.setdefault(key, BoardStanding()) for key in keys]
        ratings = rated([each.rating for each in standings], outcome.places, outcome.halved)
        best = min(outcome.places)
        for standing, rating, place, mark in zip(standings, ratings, outcome.places, outcome.marks, strict=True):
            standing.rating = rating
            standing.matches += 1
            standing.won += place == best
            if mark:
                standing.marks[mark] += 1
        self.counted += 1

    def tables(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        """Every board as plain data, people in order: those with enough matches first, then by points."""
        return [
            {
                "season": board.season,
                "list": board.list_name,
                "game": board.game,
                "players": board.players,
                "people": self._rows(people, names),
            }
            for board, people in sorted(self._boards.items())
        ]

    def _rows(self, people: Mapping[str, BoardStanding], names: Mapping[str, str]) -> list[dict[str, Any]]:
        order = sorted(people.items(), key=lambda item: (self._is_new(item[1]), -item[1].rating.points, item[0]))
        return [
            {
                "rank": rank,
                "key": key,
                "fingerprint": fingerprint(bytes.fromhex(key)),
                "name": names.get(key, ""),
                "points": each.rating.points,
                "mu": each.rating.mu,
                "sigma": each.rating.sigma,
                "matches": each.matches,
                "won": each.won,
                "provisional": self._is_new(each),
                "marks": dict(sorted(each.marks.items())),
            }
            for rank, (key, each) in enumerate(order, 1)
        ]

    def _is_new(self, standing: BoardStanding) -> bool:
        return standing.matches < self._rules.provisional
