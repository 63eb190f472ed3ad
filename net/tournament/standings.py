"""Points and standings: what each round brought to whom, and who stands before whom. A machine.

All figures are whole numbers. A place that several share scores the mean of the places they fill, so points are counted
in sixtieths (`UNIT`): every mean of up to five places is exact. Tie-breaks, in whatever order was declared:

- **opponents** (Buchholz, for tables): for every table played, the mean of what the others at it have scored in all,
  in `UNIT * 12`ths of a point; so a table of five does not count more than one of three. A bye adds nothing.
- **wins**, **seconds**: how often first, how often second; a shared place counts for all who share it.
- **share**: at every finished table, one's points of the game among those of all at it, in thousandths, added up.
- **lot**: drawn from the declared seed and the key. It is the same in every round, and ends every tie.

Whoever is equal in everything that was declared shares a rank.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kontor_games.engine.core.stream import H

from .event_records import RankedPlayer, ResultFiled, RoundDrawn
from .event_state import EventState

UNIT: Final = 60  # of a point
_MEAN: Final = 12  # every mean over one to four opponents is exact in twelfths


@dataclass(frozen=True, slots=True)
class Earned:
    """What one round brought to somebody."""

    round: int
    how: str  # played, unfinished, missing, pending, bye, late, absent, left
    points: int  # in `UNIT`s
    table: int = 0
    place: int = 0
    share: int = 0
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class Score:
    """Somebody's rounds so far."""

    key: str
    rounds: list[Earned] = field(default_factory=list)

    @property
    def points(self) -> int:
        return sum(each.points for each in self.rounds)


def scores(state: EventState, is_closed: bool = False) -> dict[str, Score]:
    """What everybody has scored; `is_closed` counts tables of the last round that have no result as missing."""
    found = {key: Score(key) for key in state.entrants}
    for drawn in state.rounds:
        over = is_closed or state.is_over or drawn.number < len(state.rounds)
        earned = _round(state, drawn, over)
        for key, entrant in state.entrants.items():
            if key in earned:
                found[key].rounds.append(earned[key])
            elif entrant.first_round > drawn.number:
                found[key].rounds.append(Earned(drawn.number, "late", UNIT * state.settings.late))
            else:
                found[key].rounds.append(Earned(drawn.number, "absent", 0))
    return found


def _round(state: EventState, drawn: RoundDrawn, is_over: bool) -> dict[str, Earned]:
    earned = {key: Earned(drawn.number, "bye", UNIT * state.settings.bye) for key in drawn.byes}
    for number, table in enumerate(drawn.tables, 1):
        result = state.results.get((drawn.number, number))
        for seat, key in enumerate(table):
            others = tuple(other for other in table if other != key)
            how, points, place, share = _seat(state, result, seat, is_over, len(table))
            earned[key] = Earned(drawn.number, how, points, number, place, share, others)
    return earned


def _seat(
    state: EventState, result: ResultFiled | None, seat: int, is_over: bool, size: int
) -> tuple[str, int, int, int]:
    """How, points, place and share of a seat."""
    settings = state.settings
    if result is None:
        return ("missing", UNIT * settings.missing, 0, 0) if is_over else ("pending", 0, 0, 0)
    counts = result.finish == "signed" or (result.finish == "unsigned" and settings.unsigned == "places")
    if seat in result.left and settings.left == "nothing":
        return "left", 0, 0, 0
    if not counts:
        return "unfinished", UNIT * settings.unfinished, 0, 0
    total = sum(result.scores)
    share = 1000 * max(result.scores[seat], 0) // total if result.scores and total > 0 else 0
    return "played", place_points(state.size_points(size), result.places, seat), result.places[seat], share


def place_points(points: tuple[int, ...], places: tuple[int, ...], seat: int) -> int:
    """What a seat's place scores, in `UNIT`s: those who share places share what these would have scored."""
    place = places[seat]
    sharing = places.count(place)
    first = sum(other < place for other in places)
    return UNIT * sum(points[first : first + sharing]) // sharing


def standings(state: EventState, is_closed: bool = False) -> tuple[RankedPlayer, ...]:
    """Everybody in order, the best first; equals in the order of their keys."""
    found = scores(state, is_closed)
    points = {key: score.points for key, score in found.items()}
    rows = [
        (points[key], tuple(_tie(state, kind, score, points) for kind in state.settings.tie_breaks), key)
        for key, score in found.items()
    ]
    rows.sort(key=lambda row: (-row[0], tuple(-value for value in row[1]), row[2]))
    ranked: list[RankedPlayer] = []
    for number, (total, ties, key) in enumerate(rows, 1):
        last = ranked[-1] if ranked else None
        rank = last.rank if last is not None and (last.points, last.ties) == (total, ties) else number
        ranked.append(RankedPlayer(rank, key, total, ties))
    return tuple(ranked)


def _tie(state: EventState, kind: str, score: Score, points: dict[str, int]) -> int:
    match kind:
        case "wins":
            return sum(each.place == 1 for each in score.rounds)
        case "seconds":
            return sum(each.place == 2 for each in score.rounds)
        case "share":
            return sum(each.share for each in score.rounds)
        case "opponents":
            met = [each.others for each in score.rounds if each.others]
            return sum(_MEAN * sum(points[key] for key in others) // len(others) for others in met)
    return lot(state.settings.seed, score.key)


def lot(seed: str, *what: str) -> int:
    """A number that follows from the declared seed; below 2 ** 48."""
    return int.from_bytes(H("event-lot", seed, *what, size=6), "big")


def tie_text(kind: str, value: int) -> str:
    """A tie-break as people read it."""
    if kind == "opponents":
        return number_text(value, UNIT * _MEAN)
    return f"{value / 1000:.3f}" if kind == "share" else str(value)


def points_text(points: int) -> str:
    """Points as people read them."""
    return number_text(points, UNIT)


def number_text(value: int, unit: int) -> str:
    """A fraction with at most two digits behind the point."""
    whole, rest = divmod(value, unit)
    if not rest:
        return str(whole)
    return f"{value / unit:.2f}".rstrip("0").rstrip(".")
