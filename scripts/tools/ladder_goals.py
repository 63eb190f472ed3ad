"""What bots of each level are meant to reach, as one run: every goal by the same commands, in turns.

Three players, seats rotated over each deal. A row ends when the sequential test has excluded one of its two shares, or
at the cap. Rows are played in turns, so a run that is stopped has seen them all, and it goes on from its file. Budgets
of the expert are small on purpose: a match of it costs about as much as ten of skilled players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import ladder_figures as figures

CAP = 200
CURVE = 60  # matches for each budget of the curve; no test, because the shares are compared with each other
GREEDY, SKILLED = ",greedy,greedy", ",skilled,skilled"
BUDGET = {"hansa": 8, "yokohama": 24, "osaka": 96, "joban": 48}
FAIR = 1 / 3

Match = dict[str, Any]


class Goal(NamedTuple):
    """One row: a line of bots in a game, and what its first bot is meant to reach."""

    game: str
    line: str
    least: float | None  # the share; None: the interval's lower end above a third
    test: tuple[float, float] | None  # shares of which one is to be excluded
    cap: int = CAP

    @property
    def hero(self) -> str:
        return self.line.partition(",")[0]

    def wins(self, matches: Sequence[Match]) -> float:
        return sum(figures.share_of(match, self.hero) for match in matches)

    def is_over(self, matches: Sequence[Match]) -> bool:
        """Whether the matches so far suffice."""
        if len(matches) >= self.cap or self.test is None:
            return len(matches) >= self.cap
        return figures.decided(self.wins(matches), len(matches), *self.test) is not None and self._is_told(matches)

    def _is_told(self, matches: Sequence[Match]) -> bool:
        """A share above a third is told by the interval, which wants more matches than the test."""
        low, high = figures.wilson(self.wins(matches), len(matches))
        return self.least is not None or not low <= FAIR <= high

    def verdict(self, matches: Sequence[Match]) -> str:
        """What the matches so far say about the goal."""
        if not matches:
            return "not played"
        share = self.wins(matches) / len(matches)
        low, high = figures.wilson(self.wins(matches), len(matches))
        if self.least is None:
            return "met" if low > FAIR else "missed" if high < FAIR else "open"
        if not self.is_over(matches):
            return "open"
        return "met" if share >= self.least else "missed" if high < self.least else "not shown"


def goals(games: Sequence[str]) -> list[Goal]:
    """The rows, those of one kind together."""
    plain = {"hansa": (0.85, 0.70, 0.95), "yokohama": (0.70, 0.55, 0.80), "osaka": (0.50, 0.35, 0.60)}
    plain["joban"] = plain["osaka"]
    strong = {"hansa": (0.90, 0.75, 0.97), "yokohama": (0.75, 0.55, 0.85), "osaka": (0.75, 0.55, 0.85)}
    strong["joban"] = (0.60, 0.40, 0.70)
    rows = [Goal(game, "skilled" + GREEDY, plain[game][0], plain[game][1:]) for game in games]
    rows += [Goal(game, f"expert:{BUDGET[game]}{GREEDY}", strong[game][0], strong[game][1:]) for game in games]
    rows += [Goal(game, f"expert:{BUDGET[game]}{SKILLED}", None, (FAIR, 0.5)) for game in games]
    return rows


def curve(games: Sequence[str]) -> list[Goal]:
    """The expert with a quarter of its budget, with all of it and with four times as much."""
    budgets = ((game, BUDGET[game] * part // 4) for game in games for part in (1, 4, 16))
    return [Goal(game, f"expert:{budget}{SKILLED}", None, None, CURVE) for game, budget in budgets]


def in_turns(
    rows: Sequence[Goal], found: dict[Goal, dict[int, Match]], play: Callable[[list[tuple[Goal, int]]], Iterator[Match]]
) -> Iterator[Match]:
    """Play the next match of every row that is not over, again and again; `found` is filled by number."""
    while True:
        wanted = []
        for row in rows:
            ready = row_matches(found[row])
            if not row.is_over(ready):
                wanted.append((row, len(ready)))
        if not wanted:
            return
        for (row, number), match in zip(wanted, play(wanted), strict=True):
            found[row][number] = match
            yield match


def row_matches(found: dict[int, Match]) -> list[Match]:
    """The matches of a row up to the first that is missing."""
    ready = []
    while len(ready) in found:
        ready.append(found[len(ready)])
    return ready


def table(rows: Sequence[Goal], found: dict[Goal, dict[int, Match]]) -> Iterator[str]:
    """The rows as they stand, to be put into a document."""
    yield "| game | bots | wins | share | 95 % | goal | |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        ready = row_matches(found[row])
        wins = row.wins(ready)
        low, high = figures.wilson(wins, len(ready))
        goal = "above 33 %" if row.least is None else f"{row.least:.0%}"
        share = f"{wins / len(ready):.0%}" if ready else "–"
        yield (
            f"| {row.game} | `{row.line}` | {wins:g} of {len(ready)} | {share} | {low:.0%}–{high:.0%} "
            f"| {goal} | {row.verdict(ready)} |"
        )
